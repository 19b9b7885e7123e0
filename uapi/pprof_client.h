/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Profiles of a program's own, as Go's pprof.NewProfile: the program says what
 * there is of something (open connections, buffers, locks held), and whoever
 * may profile it sees, at any time, how many there are and which code made them:
 *
 *	pprof_new_profile("connections");		once
 *	pprof_add("connections", connection, 0);	where one is opened
 *	pprof_remove("connections", connection);	where it is closed
 *
 *	$ pprof-collect --profile connections --pid PID
 *
 * And labels of its threads, as Go's pprof.Do, which all samples, but not these values,
 * carry and are grouped by:
 *
 *	reader = pprof_with_label(0, "role", "reader");		once
 *	before = pprof_labels();
 *	pprof_set_labels(reader);				a store, no system call
 *	read_it();
 *	pprof_set_labels(before);
 *
 * Include it in any number of files of C11, C++11 or later; there is nothing to link.
 * Every function may be called by any thread at any time, but not in a signal
 * handler, and returns a negative errno if it fails. Without the module all fail
 * with -ENOENT or -ENODEV, with one that is older -ENOTTY, and where one may not
 * open /dev/pprof -EACCES: a program that doesn't mind need not look.
 *
 * The kernel keeps what was added. It goes with the process, and with an exec. A
 * child begins with nothing: it has to make the profiles and the sets of labels that it
 * wants. A process has PPROF_MAX_CUSTOM_PROFILES profiles at most, and
 * PPROF_MAX_CUSTOM_VALUES values; and PPROF_MAX_LABEL_SETS sets of PPROF_MAX_LABELS labels.
 *
 * One file of the device stays open, for all threads. One that does not have it (it
 * has files of its own, or somebody closed it) opens it for each call.
 */
#ifndef _UAPI_PPROF_CLIENT_H
#define _UAPI_PPROF_CLIENT_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

/* C++ calls the arrays at the end of structs an extension. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "pprof.h"
#pragma GCC diagnostic pop

/* Strict C11 does not show the name: this is its value on x86 and ARM. */
#ifdef O_CLOEXEC
#define PPROF_CLIENT_OPEN	(O_WRONLY | O_CLOEXEC)
#else
#define PPROF_CLIENT_OPEN	(O_WRONLY | 02000000)
#endif

/* Nor these, which are the same on x86 and ARM. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS		0x20
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK		18
int madvise(void *at, size_t bytes, int advice);
#endif

/* Of each stack, so many frames are kept, the innermost; define it before this file. */
#ifndef PPROF_CLIENT_FRAMES
#define PPROF_CLIENT_FRAMES	32
#endif

/*
 * One of the process, whoever includes this: the file in the lower half, plus 1, or 0
 * if there is none, and how often that changed in the upper.
 */
__attribute__((weak)) __u64 pprof_client_file;

/* 0, or -1 if @word is not what was found there. */
static inline int pprof_client_replace(__u64 word, int fd)
{
	__u64 to = ((word >> 32) + 1) << 32 | (__u64)(fd + 1);

	return __atomic_compare_exchange_n(&pprof_client_file, &word, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED) ? 0 : -1;
}

/*
 * With the file that there is. -EBADF: there is none of ours. After a fork it is the
 * parent's, which the kernel tells from ours, and a copy, which is ours to close. What
 * is no file, or something else, is left alone: other threads may have it.
 */
static inline int pprof_client_try(unsigned long request, void *arg)
{
	__u64 word = __atomic_load_n(&pprof_client_file, __ATOMIC_ACQUIRE);
	int fd = (int)(__u32)word - 1, err;

	if (fd < 0)
		return -EBADF;
	err = ioctl(fd, request, arg) ? -errno : 0;
	if (err == -ESRCH && !pprof_client_replace(word, -1))
		close(fd);
	return err == -ESRCH || err == -ENOTTY ? -EBADF : err;
}

/* With a new file, which becomes that of all if there is none. */
static inline int pprof_client_retry(unsigned long request, void *arg)
{
	__u64 word = __atomic_load_n(&pprof_client_file, __ATOMIC_ACQUIRE);
	int fd = open("/dev/pprof", PPROF_CLIENT_OPEN), err;

	if (fd < 0)
		return -errno;
	err = ioctl(fd, request, arg) ? -errno : 0;
	if (err == -ENOTTY || (__u32)word || pprof_client_replace(word, fd))
		close(fd);
	return err;
}

static inline int pprof_client_call(unsigned long request, void *arg)
{
	int saved = errno, err = pprof_client_try(request, arg);

	if (err == -EBADF)
		err = pprof_client_retry(request, arg);
	errno = saved;
	return err;
}

static inline int pprof_client_name(struct pprof_custom *custom, const char *name, __u32 op)
{
	size_t bytes = strlen(name);

	memset(custom, 0, sizeof(*custom));
	custom->size = sizeof(*custom);
	custom->op = op;
	if (bytes >= sizeof(custom->name))
		return -EINVAL;
	memcpy(custom->name, name, bytes);
	return 0;
}

struct pprof_client_stack {
	__u64 frames[PPROF_CLIENT_FRAMES];
	__u32 nr;
	int skip;
	__u32 flags;
};

/* A signal interrupted a frame at an instruction; others are at return addresses. */
static inline _Unwind_Reason_Code pprof_client_frame(struct _Unwind_Context *context, void *arg)
{
	struct pprof_client_stack *stack = (struct pprof_client_stack *)arg;
	int before = 0;
	__u64 pc = (__u64)_Unwind_GetIPInfo(context, &before);

	if (!pc)
		return _URC_END_OF_STACK;
	if (stack->skip-- > 0)
		return _URC_NO_REASON;
	stack->skip = 0;
	if (stack->nr == PPROF_CLIENT_FRAMES) {
		stack->flags = PPROF_CUSTOM_CUT;
		return _URC_END_OF_STACK;
	}
	stack->frames[stack->nr++] = pc + !!before;
	return _URC_NO_REASON;
}

static __attribute__((noinline, unused))
int pprof_client_add(const char *name, const void *value, int skip)
{
	struct pprof_client_stack stack;
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_ADD);

	if (err)
		return err;
	stack.nr = 0;
	stack.flags = 0;
	stack.skip = skip < 0 ? 1 : skip < 0x7fffffff ? skip + 1 : skip;	/* and this one */
	_Unwind_Backtrace(pprof_client_frame, &stack);
	custom.value = (__u64)(__UINTPTR_TYPE__)value;
	custom.frames = (__u64)(__UINTPTR_TYPE__)stack.frames;
	custom.nr_frames = stack.nr;
	custom.flags = stack.flags;
	return pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/*
 * Makes a profile. -EINVAL: not a name as pprof.h says. -EEXIST: it is there, or
 * the name is that of a kind, as cpu or heap. -ENOSPC: there are too many.
 */
static inline int pprof_new_profile(const char *name)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_NEW);

	return err ? err : pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/* What is done with a result makes the call no tail call: the caller's frame is wanted. */
static inline __attribute__((always_inline, unused))
int pprof_client_result(int err)
{
	__asm__ volatile("" : "+r"(err));
	return err;
}

/*
 * int pprof_add(const char *name, const void *value, int skip)
 *
 * Adds a value, an address or any other number, with the stack that leads here: with
 * skip 0 it begins at the call of pprof_add(), with 1 at that of the function that
 * it is in, and so on. If no frame is left, the profile shows lostProfileEvent.
 * -EEXIST: the value is there. -ENOENT: no such profile. -ENOSPC: there are too many.
 * A macro, since an inlined function would be shown as one that the caller called.
 */
#define pprof_add(name, value, skip)						\
	pprof_client_result(pprof_client_add(name, value, skip))

/* Removes a value. That it is not there is no error. -ENOENT: no such profile. */
static inline int pprof_remove(const char *name, const void *value)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_REMOVE);

	custom.value = (__u64)(__UINTPTR_TYPE__)value;
	return err ? err : pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/* How many values there are, or -ENOENT: no such profile. */
static inline int pprof_count(const char *name)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_COUNT);

	if (!err)
		err = pprof_client_call(PPROF_IOC_CUSTOM, &custom);
	return err ? err : (int)custom.count;
}

/* Is there such a profile? 0, or -ENOENT, also for a kind: it is not the process's own. */
static inline int pprof_lookup(const char *name)
{
	int count = pprof_count(name);

	return count < 0 ? count : 0;
}

/* By bytes, as Go. There are few; and qsort() may ask for memory. */
static inline void pprof_client_sort(struct pprof_custom_name *names, __u32 nr)
{
	struct pprof_custom_name name;
	__u32 i, at;

	for (i = 1; i < nr; i++) {
		name = names[i];
		for (at = i; at && strcmp((char *)names[at - 1].name, (char *)name.name) > 0; at--)
			names[at] = names[at - 1];
		names[at] = name;
	}
}

/*
 * The profiles of this process, without the kinds, sorted by name: how many there are.
 * Where there is less room, the first of them are told.
 */
static inline int pprof_profiles(struct pprof_custom_name *names, unsigned int room)
{
	struct pprof_custom_name all[PPROF_MAX_CUSTOM_PROFILES];
	struct pprof_custom_list list;
	__u32 nr, i;
	int err;

	memset(&list, 0, sizeof(list));
	list.size = sizeof(list);
	list.names = (__u64)(__UINTPTR_TYPE__)all;
	list.room = PPROF_MAX_CUSTOM_PROFILES;
	err = pprof_client_call(PPROF_IOC_CUSTOM_LIST, &list);
	if (err)
		return err;
	nr = list.nr < list.room ? list.nr : list.room;
	pprof_client_sort(all, nr);
	for (i = 0; i < nr && i < room; i++)
		names[i] = all[i];
	return (int)list.nr;
}

/*
 * Of the process (or of each executable or library of it that sees no other's): a page
 * that a child finds empty. Of each thread: its word, and for
 * which labels it was told. A child has copies of its parent's threads' memory, but not
 * the words, so that what is in the page is looked at first.
 */
struct pprof_client_labels {
	__u64 space;	/* as struct pprof_label_word; 0: no thread has asked */
	__u64 first_set;	/* its number, which no child's is; 0: there are no sets */
};

__attribute__((weak)) struct pprof_client_labels *pprof_client_labels;

struct pprof_client_word {
	const __u64 *ours;	/* the word is good while this says */
	__u64 as;		/* the same as this; NULL: there is none yet */
	volatile __u32 *word;
	__u32 none;		/* it, where there are too many threads */
};

__attribute__((weak)) __thread struct pprof_client_word pprof_client_word;

static inline struct pprof_client_labels *pprof_client_page(void)
{
	return __atomic_load_n(&pprof_client_labels, __ATOMIC_ACQUIRE);
}

/* 0 or -ENOMEM. */
static inline int pprof_client_make_page(void)
{
	struct pprof_client_labels *none = NULL;
	size_t bytes = 4096;
	void *made;

	if (pprof_client_page())
		return 0;
	made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		return -ENOMEM;
	if (madvise(made, bytes, MADV_WIPEONFORK) ||
	    !__atomic_compare_exchange_n(&pprof_client_labels, &none,
					 (struct pprof_client_labels *)made, 0,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(made, bytes);	/* another thread was faster */
	return pprof_client_page() ? 0 : -ENOMEM;
}

static inline void pprof_client_take_word(const __u64 *ours, __u64 as, volatile __u32 *word)
{
	pprof_client_word.word = word;
	pprof_client_word.as = as;
	pprof_client_word.ours = ours;
}

/* Asks where this thread's word is. -ENOENT: no thread has labels. */
static __attribute__((noinline, unused))
int pprof_client_ask(void)
{
	struct pprof_client_labels *page = pprof_client_page();
	struct pprof_label_word word;
	__u64 first_set;
	int err;

	first_set = page ? __atomic_load_n(&page->first_set, __ATOMIC_RELAXED) : 0;
	if (!first_set)
		return -ENOENT;
	memset(&word, 0, sizeof(word));
	word.size = sizeof(word);
	err = pprof_client_call(PPROF_IOC_LABEL_WORD, &word);
	if (err == -ENOSPC)	/* told once: the next change is no system call either */
		pprof_client_take_word(&page->first_set, first_set, &pprof_client_word.none);
	if (err)
		return err;
	__atomic_store_n(&page->space, word.space, __ATOMIC_RELAXED);
	pprof_client_take_word(&page->space, word.space,
			       (volatile __u32 *)(__UINTPTR_TYPE__)word.address);
	return 0;
}

/* This thread's word, or NULL and *err. */
static inline volatile __u32 *pprof_client_my_word(int *err)
{
	const struct pprof_client_word *mine = &pprof_client_word;

	*err = 0;
	if (!mine->ours || __atomic_load_n(mine->ours, __ATOMIC_RELAXED) != mine->as)
		*err = pprof_client_ask();
	return *err ? NULL : mine->word;
}

/*
 * The set of labels that is `set` (0: none) and one label more, or the same with
 * another value: a number above 0, for any thread of this process. Asking for the
 * same labels again gives the same number, but is a system call. -EINVAL: a key is a
 * name as that of a profile; a value is of 255 bytes at most. -ENOENT: no such set.
 * -E2BIG, -ENOSPC: too many labels, too many sets.
 */
static inline int pprof_with_label(int set, const char *key, const char *value)
{
	size_t key_bytes = strlen(key), value_bytes = strlen(value);
	struct pprof_label label;
	__u64 *first_set;
	int err;

	memset(&label, 0, sizeof(label));
	label.size = sizeof(label);
	label.set = (__u32)set;
	if (key_bytes >= sizeof(label.key) || value_bytes >= sizeof(label.value))
		return -EINVAL;
	memcpy(label.key, key, key_bytes);
	memcpy(label.value, value, value_bytes);
	err = pprof_client_call(PPROF_IOC_LABEL, &label);
	if (!err)
		err = pprof_client_make_page();
	if (err)
		return err;
	first_set = &pprof_client_page()->first_set;
	if (!__atomic_load_n(first_set, __ATOMIC_RELAXED))
		__atomic_store_n(first_set, label.set, __ATOMIC_RELAXED);
	return (int)label.set;
}

/*
 * From now on this thread has the labels of the set; 0: none. Threads that it makes
 * begin with them. What is no set of this process's, as an error of
 * pprof_with_label(), is none. It is one store, but for a thread's first call, which
 * may fail: -ENOENT: there are no sets; -ENOSPC: too many threads have labels, of the
 * process (PPROF_MAX_LABEL_THREADS), or of all processes of its user if he has no
 * CAP_PERFMON (PPROF_MAX_USER_LABEL_THREADS). A thread that was refused, or made when
 * there was no place for it, has none.
 */
static inline int pprof_set_labels(int set)
{
	int err;
	volatile __u32 *word = pprof_client_my_word(&err);

	if (word)
		*word = (__u32)set;
	return err == -ENOENT && !set ? 0 : err;
}

/*
 * The set that this thread has, to be set again; 0: none. A library that is loaded by
 * dlopen() may not see the others' sets before its own first pprof_with_label().
 */
static inline int pprof_labels(void)
{
	int err;
	volatile __u32 *word = pprof_client_my_word(&err);

	return word ? (int)*word : 0;
}

#endif /* _UAPI_PPROF_CLIENT_H */
