/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Custom profiles, as Go's pprof.NewProfile. A program reports which objects exist: open
 * connections, buffers, locks held. At any time, a user with the right to profile it can see how
 * many there are, and which code made them:
 *
 *	pprof_new_profile("connections");		once
 *	pprof_add("connections", connection, 0);	where one is opened
 *	pprof_remove("connections", connection);	where it is closed
 *
 *	$ pprof-collect --profile connections --pid PID
 *
 * Labels of threads, as Go's pprof.Do. Samples of all sources carry them and are grouped by them.
 * Values of custom profiles do not:
 *
 *	reader = pprof_with_label(0, "role", "reader");		once
 *	before = pprof_labels();
 *	pprof_set_labels(reader);				a store, no system call
 *	read_it();
 *	pprof_set_labels(before);
 *
 * Include this header in any number of files of C11, C++11 or later. There is no library to link.
 *
 * Context: any thread at any time, but not a signal handler.
 *
 * Returns: every function returns a negative errno if it fails. A program may ignore it.
 * - -ENOENT or -ENODEV: the module is not loaded.
 * - -ENOTTY: the module is older than this header.
 * - -EACCES: the user may not open /dev/pprof.
 *
 * The kernel keeps the profiles and labels until the process ends or calls exec. A child process
 * begins without any, and must make its own. A process has at most PPROF_MAX_CUSTOM_PROFILES
 * profiles with PPROF_MAX_CUSTOM_VALUES values. It has at most PPROF_MAX_LABEL_SETS sets of
 * PPROF_MAX_LABELS labels.
 *
 * All threads share one open file of the device. A thread without that file opens the device for
 * each call. This happens if it has a file table of its own, or if the program closed the file.
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

/* With -Wpedantic, C++ compilers warn about the arrays at the end of structs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include "pprof.h"
#pragma GCC diagnostic pop

/* Strict C11 does not define O_CLOEXEC. This is its value on x86 and ARM. */
#ifdef O_CLOEXEC
#define PPROF_CLIENT_OPEN	(O_WRONLY | O_CLOEXEC)
#else
#define PPROF_CLIENT_OPEN	(O_WRONLY | 02000000)
#endif

/* Strict C11 does not declare these either. The values are the same on x86 and ARM. */
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS		0x20
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK		18
int madvise(void *at, size_t bytes, int advice);
#endif

/*
 * The kernel keeps this number of frames of each stack, the innermost ones. Define it before you
 * include this file.
 */
#ifndef PPROF_CLIENT_FRAMES
#define PPROF_CLIENT_FRAMES	32
#endif

/*
 * One variable for the whole process, by weak linkage. The lower half is the file descriptor plus
 * 1, or 0 for none. The upper half counts the changes, so that compare-and-exchange detects a file
 * that was replaced.
 */
__attribute__((weak)) __u64 pprof_client_file;

/* Returns: 0, or -1 if pprof_client_file is not @word any more. */
static inline int pprof_client_replace(__u64 word, int fd)
{
	__u64 to = ((word >> 32) + 1) << 32 | (__u64)(fd + 1);

	return __atomic_compare_exchange_n(&pprof_client_file, &word, to, 0, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED) ? 0 : -1;
}

/*
 * Calls @request on the shared file.
 * Returns: -EBADF if the shared file is not usable, else the result of the call.
 *
 * After a fork() the file is that of the parent: the kernel returns -ESRCH. The descriptor is a
 * copy, so this process closes it. A descriptor that is closed, or is another file (-ENOTTY), is
 * left alone: other threads may use it.
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

/* Calls @request on a new file. The new file becomes the shared one if there is none. */
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

/*
 * In a frame that a signal interrupted, the PC is an instruction. In other frames it is a return
 * address. The kernel expects return addresses, so the first kind gets 1 added.
 */
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
		stack->flags = PPROF_CUSTOM_TRUNCATED;
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
	/* Plus the frame of this function */
	stack.skip = skip < 0 ? 1 : skip < 0x7fffffff ? skip + 1 : skip;
	_Unwind_Backtrace(pprof_client_frame, &stack);
	custom.value = (__u64)(__UINTPTR_TYPE__)value;
	custom.frames = (__u64)(__UINTPTR_TYPE__)stack.frames;
	custom.nr_frames = stack.nr;
	custom.flags = stack.flags;
	return pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/*
 * Makes a profile.
 * Returns: 0, or a negative errno.
 * - -EINVAL: the name breaks the rules of pprof.h.
 * - -EEXIST: the profile exists, or it is a built-in profile type as cpu or heap.
 * - -ENOSPC: the process has too many profiles.
 */
static inline int pprof_new_profile(const char *name)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_NEW);

	return err ? err : pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/*
 * The asm uses the result. So the call in pprof_add() is not a tail call, and the frame of the
 * caller stays on the stack.
 */
static inline __attribute__((always_inline, unused))
int pprof_client_result(int err)
{
	__asm__ volatile("" : "+r"(err));
	return err;
}

/*
 * int pprof_add(const char *name, const void *value, int skip)
 *
 * Adds a value, an address or any other number, with the stack of the caller. With skip 0 the stack
 * begins at the call of pprof_add(). With 1 it begins at the call of the function that contains it,
 * and so on. If no frame is left, the profile shows lostProfileEvent.
 * Returns: 0, or a negative errno.
 * - -EEXIST: the value exists.
 * - -ENOENT: no such profile.
 * - -ENOSPC: the process has too many values.
 *
 * It is a macro, because an inlined function would appear in the stack as a callee of the caller.
 */
#define pprof_add(name, value, skip)						\
	pprof_client_result(pprof_client_add(name, value, skip))

/*
 * Removes a value. A value that does not exist is no error.
 * Returns: 0, or -ENOENT: no such profile.
 */
static inline int pprof_remove(const char *name, const void *value)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_REMOVE);

	custom.value = (__u64)(__UINTPTR_TYPE__)value;
	return err ? err : pprof_client_call(PPROF_IOC_CUSTOM, &custom);
}

/* Returns: the number of values, or -ENOENT: no such profile. */
static inline int pprof_count(const char *name)
{
	struct pprof_custom custom;
	int err = pprof_client_name(&custom, name, PPROF_CUSTOM_COUNT);

	if (!err)
		err = pprof_client_call(PPROF_IOC_CUSTOM, &custom);
	return err ? err : (int)custom.count;
}

/* Returns: 0 if the profile exists, or -ENOENT. A built-in profile type is -ENOENT, too. */
static inline int pprof_lookup(const char *name)
{
	int count = pprof_count(name);

	return count < 0 ? count : 0;
}

/* Sorts by bytes, as Go does. The list is short. qsort() is rejected: it may allocate memory. */
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
 * Fills @names with the profiles of this process, sorted by name, without built-in profile types.
 * If @room is smaller than their number, it gets the first ones.
 * Returns: the number of profiles, or a negative errno.
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
 * A page of memory of the process, which a child of fork() finds zeroed. An executable or library
 * that does not see the symbols of other files has a page of its own.
 *
 * A child has copies of its parent's thread-local memory, but not the label page. So each access
 * first compares the page with the thread's copy.
 */
struct pprof_client_labels {
	__u64 address_space; /* of struct pprof_label_slot; 0: no thread has asked for its slot */
	/* Number of the first set, which no child's set has; 0: there are no sets */
	__u64 first_set;
};

__attribute__((weak)) struct pprof_client_labels *pprof_client_labels;

struct pprof_client_slot {
	const __u64 *ours;	/* slot is valid while *ours == as; NULL: there is no slot yet */
	__u64 as;		/* the expected value of *ours */
	volatile __u32 *slot;
	__u32 none;		/* used in place of a slot, if too many threads have labels */
};

__attribute__((weak)) __thread struct pprof_client_slot pprof_client_slot;

static inline struct pprof_client_labels *pprof_client_page(void)
{
	return __atomic_load_n(&pprof_client_labels, __ATOMIC_ACQUIRE);
}

/* Makes the page if there is none. Returns: 0, or -ENOMEM. */
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
		munmap(made, bytes);	/* another thread was faster, or madvise() failed */
	return pprof_client_page() ? 0 : -ENOMEM;
}

static inline void pprof_client_set_slot(const __u64 *ours, __u64 as, volatile __u32 *slot)
{
	pprof_client_slot.slot = slot;
	pprof_client_slot.as = as;
	pprof_client_slot.ours = ours;
}

/* Asks the kernel where this thread's slot is. -ENOENT: the process has no label sets. */
static __attribute__((noinline, unused))
int pprof_client_ask(void)
{
	struct pprof_client_labels *page = pprof_client_page();
	struct pprof_label_slot slot;
	__u64 first_set;
	int err;

	first_set = page ? __atomic_load_n(&page->first_set, __ATOMIC_RELAXED) : 0;
	if (!first_set)
		return -ENOENT;
	memset(&slot, 0, sizeof(slot));
	slot.size = sizeof(slot);
	err = pprof_client_call(PPROF_IOC_LABEL_SLOT, &slot);
	/* Report the error once. Later changes must not be system calls either. */
	if (err == -ENOSPC)
		pprof_client_set_slot(&page->first_set, first_set, &pprof_client_slot.none);
	if (err)
		return err;
	__atomic_store_n(&page->address_space, slot.address_space, __ATOMIC_RELAXED);
	pprof_client_set_slot(&page->address_space, slot.address_space,
			      (volatile __u32 *)(__UINTPTR_TYPE__)slot.address);
	return 0;
}

/* Returns: this thread's slot, or NULL and an error in *err. */
static inline volatile __u32 *pprof_client_my_slot(int *err)
{
	const struct pprof_client_slot *mine = &pprof_client_slot;

	*err = 0;
	if (!mine->ours || __atomic_load_n(mine->ours, __ATOMIC_RELAXED) != mine->as)
		*err = pprof_client_ask();
	return *err ? NULL : mine->slot;
}

/*
 * Makes a set of labels: the set `set` (0: none) plus one label. A label with the same key is
 * replaced. Any thread of this process may use the set. The same labels have the same number. Each
 * call is a system call.
 * Returns: the number of the set, above 0, or a negative errno.
 * - -EINVAL: the key is no valid profile name, or the value is over 255 bytes.
 * - -ENOENT: no such set.
 * - -E2BIG: too many labels, or too many bytes of labels.
 * - -ENOSPC: too many sets.
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
 * Gives this thread the labels of a set; 0: none. New threads inherit them. A number that is no set
 * of this process means no labels. So the error of a pprof_with_label() that failed can be passed,
 * too. It is one store. Only the first call of a thread is a system call, and can fail.
 * Returns: 0, or a negative errno.
 * - -ENOENT: the process has no sets.
 * - -ENOSPC: too many threads have labels. The bounds are PPROF_MAX_LABEL_THREADS of the process
 *   and, without CAP_PERFMON, PPROF_MAX_USER_LABEL_THREADS of its user and three times as many of
 *   all users.
 *
 * A thread that was refused has no labels. Nor has a thread that was created when there was no free
 * slot for it.
 */
static inline int pprof_set_labels(int set)
{
	int err;
	volatile __u32 *slot = pprof_client_my_slot(&err);

	if (slot)
		*slot = (__u32)set;
	return err == -ENOENT && !set ? 0 : err;
}

/*
 * Returns: the set of this thread, to set it again later; 0: none. In a library that is loaded by
 * dlopen(), the result may be 0 until this library has called pprof_with_label().
 */
static inline int pprof_labels(void)
{
	int err;
	volatile __u32 *slot = pprof_client_my_slot(&err);

	return slot ? (int)*slot : 0;
}

#endif /* _UAPI_PPROF_CLIENT_H */
