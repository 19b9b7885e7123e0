// SPDX-License-Identifier: GPL-2.0
#include "device/wait_class.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "arch/system_calls.h"
#include "pprof.h"

/*
 * System calls of Linux 6.7. The headers of Debian 12 do not name them. The numbers are the same on
 * all CPUs but Alpha.
 */
#define NR_FUTEX_WAIT		455
#define NR_FUTEX_REQUEUE	456

struct syscall {
	uint16_t nr;
	const char *name;
};

static const struct {
	const char *name;
	const struct syscall *syscalls;
	size_t nr;
} classes[] = {
#define S(name)		{ SYS_##name, #name }
#define LIST(...)	((const struct syscall[]){ __VA_ARGS__ })
#define CLASS(name, ...) { name, LIST(__VA_ARGS__),				\
			   sizeof(LIST(__VA_ARGS__)) / sizeof(struct syscall) }
	CLASS("futex", { SYS_futex, "futex_wait" }, { SYS_futex_waitv, "futex_wait" },
	      { NR_FUTEX_WAIT, "futex_wait" }, { NR_FUTEX_REQUEUE, "futex_wait" }),
	CLASS("poll", S(ppoll), S(pselect6), S(epoll_pwait), S(epoll_pwait2)),
	CLASS("sleep", S(nanosleep), S(clock_nanosleep)),
	CLASS("io", S(read), S(write), S(pread64), S(pwrite64), S(readv), S(writev), S(preadv),
	      S(pwritev), S(preadv2), S(pwritev2), S(openat), S(openat2), S(close), S(fsync),
	      S(fdatasync), S(sync), S(syncfs), S(sync_file_range), S(msync), S(fallocate),
	      S(ftruncate), S(sendfile), S(splice), S(tee), S(vmsplice), S(copy_file_range),
	      S(readahead), S(getdents64), S(fstat), S(newfstatat), S(statx), S(unlinkat),
	      S(renameat), S(renameat2), S(mkdirat), S(connect), S(accept), S(accept4),
	      S(recvfrom), S(recvmsg), S(recvmmsg), S(sendto), S(sendmsg), S(sendmmsg),
	      S(io_getevents), S(io_pgetevents), S(io_submit), S(io_uring_enter), S(ioctl),
	      { PPROF_NO_SYSCALL & UINT16_MAX, "page_fault" }),
	CLASS("other", S(wait4), S(waitid), S(rt_sigsuspend), S(rt_sigtimedwait), S(flock),
	      S(fcntl), S(semop), S(semtimedop), S(msgrcv), S(msgsnd), S(mq_timedreceive),
	      S(mq_timedsend), S(clone), S(mmap), S(munmap), S(mprotect), S(madvise)),
#undef CLASS
#undef LIST
#undef S
};

static const struct {
	uint16_t nr;
	const char *name;
	const char *class;
} cpu_syscalls[] = ARCH_SYSTEM_CALLS;

#define NR(array)	(sizeof(array) / sizeof(*(array)))

static const char *find_nr(uint16_t nr, const char **class)
{
	for (size_t i = 0; i < NR(classes); i++)
		for (size_t j = 0; j < classes[i].nr; j++)
			if (classes[i].syscalls[j].nr == nr) {
				*class = classes[i].name;
				return classes[i].syscalls[j].name;
			}
	for (size_t i = 0; i < NR(cpu_syscalls); i++)
		if (cpu_syscalls[i].nr == nr) {
			*class = cpu_syscalls[i].class;
			return cpu_syscalls[i].name;
		}
	return NULL;
}

/*
 * Returns the name of a system call, and sets its class; or NULL. A page fault is no call. Its
 * entry has the low 16 bits of PPROF_NO_SYSCALL, which are the number of no call.
 */
static const char *find(uint64_t syscall, const char **class)
{
	if (syscall != PPROF_NO_SYSCALL && syscall >= UINT16_MAX)
		return NULL;
	return find_nr(syscall, class);
}

const char *wait_class_name(uint64_t syscall)
{
	const char *class;

	return find(syscall, &class) ? class : "other";
}

const char *wait_class_syscall(uint64_t syscall)
{
	const char *class;

	return find(syscall, &class);
}
