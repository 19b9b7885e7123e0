// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of a cgroup, and processes that begin in one.
 *
 *	cgroups errors FOLDER		wrong arguments, with the cgroup of FOLDER for a target;
 *					prints a line for each problem, and exits with 1
 *	cgroups run FOLDER COMMAND	executes COMMAND in a child that clone3() puts into FOLDER,
 *					and exits as it does
 */
#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device.h"

static long setup_cgroup(int fd, unsigned int flags, int cgroup)
{
	struct pprof_setup arg = {
		.size = sizeof(arg), .flags = PPROF_SETUP_CGROUP | flags,
		.ring_bytes = RING_BYTES, .cgroup = cgroup,
	};

	return ioctl(fd, PPROF_IOC_SETUP, &arg);
}

static int open_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		give_up(folder);
	return fd;
}

static void check_flags(int fd, int cgroup)
{
	check("with all", setup_cgroup(fd, PPROF_SETUP_ALL, cgroup), EINVAL);
	check("with children", setup_cgroup(fd, PPROF_SETUP_CHILDREN, cgroup), EINVAL);
	check("a snapshot", setup_cgroup(fd, PPROF_SETUP_SNAPSHOT, cgroup), EINVAL);
}

static void check_descriptors(int fd)
{
	int root = open_folder("/"), device = open_device();

	check("no descriptor", setup_cgroup(fd, 0, -1), EBADF);
	check("a folder of another file system", setup_cgroup(fd, 0, root), EBADF);
	check("a device", setup_cgroup(fd, 0, device), EBADF);
	close(root);
	close(device);
}

static void check_sources(int fd)
{
	static const unsigned int refused[] = {
		PPROF_SOURCE_WALL, PPROF_SOURCE_BLOCK, PPROF_SOURCE_MUTEX, PPROF_SOURCE_HEAP,
	};
	char what[64];

	for (unsigned int i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		snprintf(what, sizeof(what), "start of source %u", refused[i]);
		check(what, start(fd, refused[i], PERIOD_NS), EOPNOTSUPP);
	}
	check("start of cpu", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), 0);
	check("start of threadcreate", start(fd, PPROF_SOURCE_THREADCREATE, 0), 0);
	check("start of growth", start(fd, PPROF_SOURCE_GROWTH, 4096), 0);
}

static void try_errors(const char *folder)
{
	int fd = open_device(), cgroup = open_folder(folder);

	check_flags(fd, cgroup);
	check_descriptors(fd);
	check("setup", setup_cgroup(fd, 0, cgroup), 0);
	check("setup again", setup_cgroup(fd, 0, cgroup), EBUSY);
	check("attach", attach(fd, getpid(), NULL), EINVAL);
	check_sources(fd);
	close(fd);
	close(cgroup);
}

static int run(const char *folder, char **command)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = open_folder(folder),
	};
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));
	int status;

	if (pid < 0)
		give_up("clone3");
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		give_up("wait");
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "run"))
		return run(argv[2], &argv[3]);
	if (argc != 3 || strcmp(argv[1], "errors"))
		return 2;
	try_errors(argv[2]);
	return conclude();
}
