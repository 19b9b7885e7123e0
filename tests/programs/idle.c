// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps until it is killed: a process for tests of access rights. It makes itself
 * undumpable if that was asked for, and then prints pid.
 *
 *	idle [--undumpable]
 */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "program.h"

int main(int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && strcmp(argv[1], "--undumpable")))
		usage("idle [--undumpable]");
	if (argc == 2 && prctl(PR_SET_DUMPABLE, 0UL)) {
		perror("PR_SET_DUMPABLE");
		return 1;
	}
	printf("pid=%d\n", getpid());
	fflush(stdout);
	for (;;)
		pause();
}
