// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the module for the exec id of a process where /proc never answers: there /proc is a
 * FUSE file system of the caller, in its own namespaces. Prints "asked" once the kernel waits
 * for an answer. That lasts until this process is killed.
 *
 *	stuck PID
 */
#include <linux/fuse.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <unistd.h>

#include "device.h"

static void need(const char *what, long ret)
{
	if (ret >= 0)
		return;
	perror(what);
	exit(1);
}

static void write_map(const char *path, const char *format, ...)
{
	int fd = open(path, O_WRONLY);
	va_list args;

	need(path, fd);
	va_start(args, format);
	need(path, vdprintf(fd, format, args));
	va_end(args);
	close(fd);
}

/* Mounts the file system over /proc. Returns: the file from which it reads requests. */
static int hide_proc(void)
{
	unsigned int uid = getuid(), gid = getgid();
	char options[80];
	int fd;

	need("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
	write_map("/proc/self/setgroups", "deny");
	write_map("/proc/self/uid_map", "0 %u 1", uid);
	write_map("/proc/self/gid_map", "0 %u 1", gid);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	need("/dev/fuse", fd);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	need("private", mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	need("mount", mount("stuck", "/proc", "fuse", 0, options));
	return fd;
}

static __u32 next_request(int fd, struct fuse_in_header *header)
{
	static char buf[FUSE_MIN_READ_BUFFER];

	need("request", read(fd, buf, sizeof(buf)));
	memcpy(header, buf, sizeof(*header));
	return header->opcode;
}

static void answer_init(int fd)
{
	struct {
		struct fuse_out_header header;
		struct fuse_init_out init;
	} reply = {
		.header.len = sizeof(reply),
		.init = { .major = 7, .minor = 31, .max_write = PAGE_BYTES },	/* of Linux 5.4 */
	};
	struct fuse_in_header header;

	if (next_request(fd, &header) != FUSE_INIT)
		exit(1);
	reply.header.unique = header.unique;
	need("answer", write(fd, &reply, sizeof(reply)));
}

/* Closes fuse_fd: the kernel gives up when no process has it open any more. */
static void ask(int pid, int fuse_fd)
{
	struct pprof_attach attach = { .size = sizeof(attach), .pid = pid };
	int fd = open("/dev/pprof", O_RDWR | O_CLOEXEC);

	need("/dev/pprof", fd);
	close(fuse_fd);
	ioctl(fd, PPROF_IOC_EXEC_ID, &attach);
	exit(0);
}

int main(int argc, char **argv)
{
	int pid = argc == 2 ? atoi(argv[1]) : 0, fd;
	struct fuse_in_header header;

	if (!pid)
		return 2;
	fd = hide_proc();
	if (!fork())
		ask(pid, fd);
	answer_init(fd);
	next_request(fd, &header);
	puts("asked");
	fflush(stdout);
	for (;;)
		pause();
}
