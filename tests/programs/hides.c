// SPDX-License-Identifier: GPL-2.0
/*
 * Burns CPU for SECONDS and sleeps for 0.2 s in open_work(), makes itself undumpable and
 * prints "hidden", and does the same in hidden_work(). A user may see only the former.
 *
 *	hides SECONDS SECONDS
 */
#include <sys/prctl.h>
#include <unistd.h>

#include "program.h"

#define SLEEP_US	200000

static KEEP void open_work(uint64_t end_ns)
{
	spin_until(end_ns);
	usleep(SLEEP_US);
}

static KEEP void hidden_work(uint64_t end_ns)
{
	spin_until(end_ns);
	usleep(SLEEP_US);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		usage("hides SECONDS SECONDS");
	open_work(cpu_ns() + arg_seconds(argv[1]));
	if (prctl(PR_SET_DUMPABLE, 0UL)) {
		perror("PR_SET_DUMPABLE");
		return 1;
	}
	puts("hidden");
	fflush(stdout);
	hidden_work(cpu_ns() + arg_seconds(argv[2]));
	return 0;
}
