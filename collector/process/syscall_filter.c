// SPDX-License-Identifier: GPL-2.0
/*
 * A filter is a program of classic BPF. It loads the number of the system call, and compares it
 * with each rule. See Documentation/userspace-api/seccomp_filter.rst. libseccomp is rejected: the
 * lists below would be the same with it.
 *
 * The collector has a list of refused calls. It runs code of libc, libdw and curl, whose calls vary
 * with their version: a list of allowed calls would break a run on another distribution. The parser
 * runs little code besides that of this project. So it has a list of allowed calls.
 */
#include "process/syscall_filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch/machine.h"
#include "arch/system_calls.h"

#define MAX_INSTRUCTIONS	512

/* Calls from this number on are of the x32 ABI on x86-64. Other CPUs have none. */
#define X32_CALLS	0x40000000

#define REFUSE(error)	(SECCOMP_RET_ERRNO | (error))
#define NAMESPACES	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |	\
			 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

struct program {
	struct sock_filter code[MAX_INSTRUCTIONS];
	unsigned short len;
};

enum test { IF_EQUAL, IF_ANY_BIT, UNLESS_EQUAL };

/* The low 32 bits of an argument are compared. No kernel uses more of the arguments used here. */
struct condition {
	enum test test;
	uint32_t arg;
	uint32_t value;
};

static const uint32_t refused[] = {
	/* Other programs. */
	SYS_execve, SYS_execveat,
	/* Other processes. Most of these are open to a process with CAP_SYS_PTRACE. */
	SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd,
	SYS_process_madvise, SYS_kcmp, SYS_move_pages, SYS_migrate_pages,
	SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_send_signal,
	/* CAP_DAC_READ_SEARCH opens any inode with this one, also beyond a mount or a chroot. */
	SYS_open_by_handle_at,
	/* Permissions and special files: uid 0 owns the files of the system. */
	SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_mknodat, SYS_symlinkat,
	SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr,
	SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
	/* Mounts and namespaces. Without CAP_PERFMON a process may still have CAP_SYS_ADMIN. */
	SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_move_mount, SYS_open_tree,
	SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr,
	SYS_unshare, SYS_setns,
	/* Large parts of the kernel that are not needed. CAP_PERFMON opens the first two. */
	SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,	/* pass by any filter */
	SYS_add_key, SYS_request_key, SYS_keyctl, SYS_fanotify_init, SYS_quotactl,
	/* The machine. These need capabilities that are dropped, unless CAP_SYS_ADMIN is left. */
	SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
	SYS_reboot, SYS_swapon, SYS_swapoff, SYS_sethostname, SYS_setdomainname,
};

static const uint32_t refused_here[] = ARCH_REFUSED_CALLS;

static const uint32_t parser_calls[] = {
	/* Files that are open. */
	SYS_read, SYS_pread64, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_close,
	/* Memory. malloc() asks for the number of CPUs, qsort() for the size of memory. */
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk,
	SYS_sched_getaffinity, SYS_sysinfo, SYS_getrandom,
	/* Mutexes, conditions, signals (base/sigbus_guard.c), and the end of the thread. */
	SYS_futex, SYS_restart_syscall, SYS_sched_yield, SYS_clock_gettime,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
	SYS_gettid, SYS_getpid, SYS_set_robust_list, SYS_rseq, SYS_exit, SYS_exit_group,
};

static const uint32_t parser_calls_here[] = ARCH_PARSER_CALLS;

static void add(struct program *p, struct sock_filter instruction)
{
	p->code[p->len++] = instruction;
}

static void load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

static void end_with(struct program *p, uint32_t action)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Skips `no` instructions unless the loaded number and value pass the test. */
static void skip_unless(struct program *p, unsigned int test, uint32_t value, uint8_t no)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, no));
}

static void load_call(struct program *p)
{
	load(p, offsetof(struct seccomp_data, nr));
}

static void rule(struct program *p, uint32_t call, uint32_t action)
{
	skip_unless(p, BPF_JEQ, call, 1);
	end_with(p, action);
}

static void rules(struct program *p, const uint32_t *calls, size_t nr, uint32_t action)
{
	for (size_t i = 0; i < nr; i++)
		rule(p, calls[i], action);
}

static void rule_if(struct program *p, uint32_t call, struct condition c, uint32_t action)
{
	skip_unless(p, BPF_JEQ, call, 4);
	load(p, offsetof(struct seccomp_data, args) + c.arg * sizeof(uint64_t));
	if (c.test == UNLESS_EQUAL)
		add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, c.value, 1, 0));
	else
		skip_unless(p, c.test == IF_EQUAL ? BPF_JEQ : BPF_JSET, c.value, 1);
	end_with(p, action);
	load_call(p);
}

/* Numbers mean other calls in the other ABIs of a CPU: these are refused. */
static void begin(struct program *p)
{
	p->len = 0;
	load(p, offsetof(struct seccomp_data, arch));
	skip_unless(p, BPF_JEQ, ARCH_AUDIT, 1);
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
	end_with(p, REFUSE(ENOSYS));
	load_call(p);
	skip_unless(p, BPF_JGE, X32_CALLS, 1);
	end_with(p, REFUSE(ENOSYS));
}

/*
 * Kernels before 5.16 disable speculation in a process with a filter, which slows it down, unless
 * seccomp() has a flag. A filter that is there already may kill a process that calls seccomp(), as
 * SystemCallFilter=@system-service of systemd 252 does. Under such a filter prctl() is called.
 */
static int set_filter(const struct sock_fprog *program)
{
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_DISABLED)
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			       SECCOMP_FILTER_FLAG_SPEC_ALLOW, program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
}

static int install(const struct program *p)
{
	const struct sock_fprog program = { .len = p->len, .filter = (void *)p->code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (!set_filter(&program))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? -EOPNOTSUPP : -errno;
}

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* A terminal takes the characters of these as if they were typed: a shell would execute them. */
static void refuse_typing(struct program *p)
{
	rule_if(p, SYS_ioctl, (struct condition){ IF_EQUAL, 1, TIOCSTI }, REFUSE(EPERM));
	rule_if(p, SYS_ioctl, (struct condition){ IF_EQUAL, 1, TIOCLINUX }, REFUSE(EPERM));
}

int syscall_filter_collector(pid_t program, bool asks_servers)
{
	const struct condition other_process = { UNLESS_EQUAL, 0, getpid() };
	struct program p;

	begin(&p);
	rules(&p, refused, NR(refused), REFUSE(EPERM));
	rules(&p, refused_here, NR(refused_here), REFUSE(EPERM));
	rule_if(&p, SYS_kill, program ? (struct condition){ UNLESS_EQUAL, 0, program }
				      : other_process, REFUSE(EPERM));
	rule_if(&p, SYS_tgkill, other_process, REFUSE(EPERM));
	rule_if(&p, SYS_prlimit64, (struct condition){ UNLESS_EQUAL, 0, 0 }, REFUSE(EPERM));
	/* libc calls clone() if clone3() is unknown: a filter cannot read the flags of clone3(). */
	rule(&p, SYS_clone3, REFUSE(ENOSYS));
	rule_if(&p, SYS_clone, (struct condition){ IF_ANY_BIT, 0, NAMESPACES }, REFUSE(EPERM));
	refuse_typing(&p);
	if (!asks_servers) {
		rule(&p, SYS_fchmod, REFUSE(EPERM));
		rule_if(&p, SYS_socket, (struct condition){ UNLESS_EQUAL, 0, AF_NETLINK },
			REFUSE(EPERM));
	}
	end_with(&p, SECCOMP_RET_ALLOW);
	return install(&p);
}

int syscall_filter_parser(int write_fd, const uint32_t *requests, size_t nr)
{
	const uint32_t allow = SECCOMP_RET_ALLOW;
	struct program p;

	begin(&p);
	rules(&p, parser_calls, NR(parser_calls), allow);
	rules(&p, parser_calls_here, NR(parser_calls_here), allow);
	rule_if(&p, SYS_write, (struct condition){ IF_EQUAL, 0, write_fd }, allow);
	for (size_t i = 0; i < nr; i++)
		rule_if(&p, SYS_ioctl, (struct condition){ IF_EQUAL, 1, requests[i] }, allow);
	/* abort() */
	rule_if(&p, SYS_writev, (struct condition){ IF_EQUAL, 0, STDERR_FILENO }, allow);
	rule_if(&p, SYS_tgkill, (struct condition){ IF_EQUAL, 0, getpid() }, allow);
	end_with(&p, REFUSE(EPERM));
	return install(&p);
}
