// SPDX-License-Identifier: GPL-2.0
/*
 * Starts COUNT children, at most AT_ONCE at a time. Each burns 5 ms of CPU in child_work()
 * and ends. With MS the parent sleeps for MS before each fork: earlier children have ended
 * by then, if there is a CPU for each.
 *
 *	forks COUNT AT_ONCE [MS]
 *
 * Prints children, child_cpu_ns (the CPU time of all children) and cpu_ns (of the parent).
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define CHILD_NS	(5 * NSEC_PER_MSEC)

static KEEP void child_work(void)
{
	uint64_t end_ns = cpu_ns() + CHILD_NS;

	while (cpu_ns() < end_ns)
		spin(SLICE / 10);
}

static void fork_child(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (!pid) {
		child_work();
		_exit(0);
	}
}

static uint64_t timeval_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * NSEC_PER_SEC + (uint64_t)tv.tv_usec * NSEC_PER_USEC;
}

int main(int argc, char **argv)
{
	uint64_t count, at_once, started, ended = 0;
	struct rusage usage_children;

	if (argc != 3 && argc != 4)
		usage("forks COUNT AT_ONCE [MS]");
	count = arg_count(argv[1]);
	at_once = arg_scaled(argv[2], 1, 1, 1000);
	settle();

	for (started = 0; started < count; started++) {
		if (started - ended == at_once && wait(NULL) > 0)
			ended++;
		if (argc == 4)
			usleep(arg_msec(argv[3]) / NSEC_PER_USEC);
		fork_child();
	}
	while (wait(NULL) > 0)
		ended++;
	getrusage(RUSAGE_CHILDREN, &usage_children);
	printf("children=%" PRIu64 "\nchild_cpu_ns=%" PRIu64 "\ncpu_ns=%" PRIu64 "\n", ended,
	       timeval_ns(usage_children.ru_utime) + timeval_ns(usage_children.ru_stime),
	       cpu_ns());
	return 0;
}
