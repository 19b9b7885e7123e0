/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hostile memory for the arguments of ioctls. Each caller has some pages of a file, which are
 * mapped in three views:
 *
 * - CALM is always there. The caller writes its argument there, and reads the result.
 * - WATCHED belongs to a userfaultfd: an access of the module waits until a thread of this
 *   process lets it go on, or unmaps the page.
 * - TORN is unmapped, mapped and protected all the time by another thread.
 *
 * The views are at fixed addresses far from those that mmap() chooses: no other mapping may come
 * to a hole in them.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "race.h"

#define VIEWS_AT	0x100000000000ULL
#define VIEW_PAGES	8U
#define VIEW_BYTES	(VIEW_PAGES * PAGE_BYTES)
#define DATA_AT		(2 * PAGE_BYTES)	/* in a view; before it is the argument itself */
#define DATA_BYTES	(VIEW_BYTES - DATA_AT)
#define MAX_DELAY_US	4000
#define MAX_TEAR_US	20000

enum view { CALM, WATCHED, TORN, NR_VIEWS };

static int views_fd, fault_fd;
static unsigned int nr_viewers;		/* callers of this process */
static __thread unsigned int viewer;	/* number of this caller */

static inline char *view_of(unsigned int caller, enum view view)
{
	return (char *)VIEWS_AT + (caller * NR_VIEWS + view) * VIEW_BYTES;
}

static inline char *calm(void)
{
	return view_of(viewer, CALM);
}

static inline void map_view(unsigned int caller, enum view view)
{
	if (mmap(view_of(caller, view), VIEW_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 views_fd, caller * VIEW_BYTES) == MAP_FAILED)
		give_up("view");
}

/* From now on an access to a page without an entry in the page table waits. */
static inline void watch_view(unsigned int caller)
{
	struct uffdio_register range = {
		.range = { (uintptr_t)view_of(caller, WATCHED), VIEW_BYTES },
		.mode = UFFDIO_REGISTER_MODE_MINOR,
	};

	map_view(caller, WATCHED);
	if (ioctl(fault_fd, UFFDIO_REGISTER, &range))
		give_up("userfaultfd");
}

/* Opens the descriptors, which needs the rights of root, and maps the views of nr callers. */
static inline void make_views(const char *folder, unsigned int nr)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_MINOR_SHMEM };

	views_fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	fault_fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (views_fd < 0 || ftruncate(views_fd, nr * VIEW_BYTES))
		give_up(folder);
	if (fault_fd < 0 || ioctl(fault_fd, UFFDIO_API, &api))
		give_up("userfaultfd");
	nr_viewers = nr;
	for (unsigned int caller = 0; caller < nr; caller++) {
		map_view(caller, CALM);
		memset(view_of(caller, CALM), 0, VIEW_BYTES);
		watch_view(caller);
		map_view(caller, TORN);
	}
}

/* Lets the accesses of a page go on. Their threads try again. */
static inline void wake(char *page)
{
	struct uffdio_range range = { (uintptr_t)page, PAGE_BYTES };

	ioctl(fault_fd, UFFDIO_WAKE, &range);
}

static inline void take_away(char *page)
{
	unsigned int caller = ((uintptr_t)page - VIEWS_AT) / VIEW_BYTES / NR_VIEWS;

	munmap(page, PAGE_BYTES);
	wake(page);
	add(UNMAPS, 1);
	sleep_us(below(MAX_DELAY_US));
	watch_view(caller);
	for (unsigned int i = 0; i < VIEW_PAGES; i++)	/* a waiting thread waits for all time */
		wake(view_of(caller, WATCHED) + i * PAGE_BYTES);
}

static inline void answer_fault(char *page)
{
	struct uffdio_continue whole = { .range = { (uintptr_t)page, PAGE_BYTES } };

	add(DELAYS, 1);
	if (one_in(2))
		sleep_us(below(MAX_DELAY_US));
	if (one_in(8))
		take_away(page);
	else if (ioctl(fault_fd, UFFDIO_CONTINUE, &whole))
		wake(page);	/* another thread had the same fault, or there is a fork */
}

/* A thread: answers the faults of all callers of this process. */
static inline void *answer_faults(void *seed)
{
	struct pollfd poll_fd = { .fd = fault_fd, .events = POLLIN };
	struct uffd_msg message;
	uint64_t address;

	random_state = (uintptr_t)seed;
	for (;;) {
		poll(&poll_fd, 1, -1);
		if (read(fault_fd, &message, sizeof(message)) != sizeof(message))
			continue;
		address = message.arg.pagefault.address;
		answer_fault((char *)(address & -(uint64_t)PAGE_BYTES));
	}
	return NULL;
}

static inline void tear(unsigned int caller)
{
	char *at = view_of(caller, TORN) + below(VIEW_PAGES) * PAGE_BYTES;
	size_t bytes = view_of(caller, TORN) + VIEW_BYTES - at;

	switch (below(4)) {
	case 0:
		munmap(at, PAGE_BYTES * (1 + below(bytes / PAGE_BYTES)));
		add(UNMAPS, 1);
		break;
	case 1:
		mprotect(at, PAGE_BYTES, one_in(2) ? PROT_READ : PROT_NONE);
		break;
	default:
		map_view(caller, TORN);
	}
}

/* A thread: tears the views of all callers of this process. */
static inline void *tear_views(void *seed)
{
	random_state = (uintptr_t)seed;
	for (;;) {
		tear(below(nr_viewers));
		sleep_us(below(MAX_TEAR_US));
	}
	return NULL;
}

/* Makes the next accesses to the watched view wait. */
static inline enum view some_view(void)
{
	switch (below(8)) {
	case 0:
	case 1:
		madvise(view_of(viewer, WATCHED), VIEW_BYTES, MADV_DONTNEED);
		return WATCHED;
	case 2:
		return TORN;
	default:
		return CALM;
	}
}

/* Returns the address of the data of an argument, DATA_BYTES, in any view. */
static inline uint64_t data_address(void)
{
	return (uintptr_t)view_of(viewer, some_view()) + DATA_AT;
}

/* Returns where the caller writes the data. */
static inline char *data(void)
{
	return calm() + DATA_AT;
}

/* Calls an ioctl with a copy of the argument in any view, most often across two pages. */
static inline long hostile_ioctl(enum kind kind, int fd, unsigned long cmd, void *arg,
				 size_t bytes)
{
	size_t at = PAGE_BYTES - below(bytes / 8 + 1) * 8;
	char *place = view_of(viewer, some_view()) + at;
	long ret;

	memcpy(calm() + at, arg, bytes);
	if (one_in(100))
		place = (char *)odd();
	ret = called(kind, ioctl(fd, cmd, place));
	memcpy(arg, calm() + at, bytes);
	return ret;
}

#endif
