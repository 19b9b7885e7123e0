// SPDX-License-Identifier: GPL-2.0
/*
 * Burns MS of CPU in before_exec(), executes itself under another name, and burns MS in
 * after_exec(). Prints pid and before_ns, and after_ns: the CPU time before and after.
 *
 *	execchain MS [COMM]	(COMM: the thread's name in both, any bytes)
 */
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "program.h"

#define AFTER	"execchain-after"

static KEEP void before_exec(uint64_t end_ns)
{
	spin_until(end_ns);
}

static KEEP void after_exec(uint64_t end_ns)
{
	spin_until(end_ns);
}

/* By the real path: with /proc/self/exe the kernel would name the process "exe". */
static int exec_self(char **argv)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0) {
		perror("/proc/self/exe");
		return 1;
	}
	path[len] = 0;
	argv[0] = AFTER;
	execv(path, argv);
	perror(path);
	return 1;
}

int main(int argc, char **argv)
{
	uint64_t start_ns = cpu_ns(), burn_ns;

	if (argc != 2 && argc != 3)
		usage("execchain MS [COMM]");
	burn_ns = arg_msec(argv[1]);
	if (argc == 3)
		prctl(PR_SET_NAME, argv[2]);

	/* The CPU time of a process goes on after an exec: start_ns is not 0. */
	if (!strcmp(argv[0], AFTER)) {
		after_exec(start_ns + burn_ns);
		printf("after_ns=%" PRIu64 "\n", cpu_ns() - start_ns);
		return 0;
	}
	before_exec(start_ns + burn_ns);
	printf("pid=%d\nbefore_ns=%" PRIu64 "\n", getpid(), cpu_ns() - start_ns);
	fflush(stdout);
	return exec_self(argv);
}
