// SPDX-License-Identifier: GPL-2.0
#include "blockclass.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "pprof.h"

/* Of Linux 6.7, later than the libc headers that we build with. */
#define NR_FUTEX_WAIT		455
#define NR_FUTEX_REQUEUE	456

static const struct {
	const char *name;
	const uint16_t *syscalls;
	size_t nr;
} classes[] = {
#define CLASS(name, ...) { name, (const uint16_t[]){ __VA_ARGS__ },		\
			   sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t) }
	CLASS("futex", SYS_futex, SYS_futex_waitv, NR_FUTEX_WAIT, NR_FUTEX_REQUEUE),
	CLASS("poll", SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_wait,
	      SYS_epoll_pwait, SYS_epoll_pwait2),
	CLASS("sleep", SYS_nanosleep, SYS_clock_nanosleep),
	CLASS("io", SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev,
	      SYS_preadv, SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_open, SYS_openat,
	      SYS_openat2, SYS_creat, SYS_close, SYS_fsync, SYS_fdatasync, SYS_sync,
	      SYS_syncfs, SYS_sync_file_range, SYS_msync, SYS_fallocate, SYS_ftruncate,
	      SYS_sendfile, SYS_splice, SYS_tee, SYS_vmsplice, SYS_copy_file_range,
	      SYS_readahead, SYS_getdents, SYS_getdents64, SYS_stat, SYS_fstat, SYS_lstat,
	      SYS_newfstatat, SYS_statx, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat,
	      SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_connect, SYS_accept, SYS_accept4,
	      SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto, SYS_sendmsg, SYS_sendmmsg,
	      SYS_io_getevents, SYS_io_pgetevents, SYS_io_submit, SYS_io_uring_enter,
	      SYS_ioctl),
#undef CLASS
};

const char *blockclass_name(uint64_t syscall)
{
	if (syscall == PPROF_NO_SYSCALL)
		return "io";
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		for (size_t j = 0; j < classes[i].nr; j++)
			if (classes[i].syscalls[j] == syscall)
				return classes[i].name;
	return "other";
}
