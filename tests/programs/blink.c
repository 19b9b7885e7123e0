// SPDX-License-Identifier: GPL-2.0
/*
 * Works for 2 ms and sleeps for 20 ms in turns, for SECONDS of the wall clock, so that
 * its CPU is idle most of the time. Prints "ready" first.
 *
 *	blink SECONDS
 */
#include "program.h"

#define WORK_NS		(2 * NSEC_PER_MSEC)
#define SLEEP_NS	(20 * NSEC_PER_MSEC)

int main(int argc, char **argv)
{
	struct timespec pause = { .tv_nsec = SLEEP_NS };
	uint64_t end_ns, work_end_ns;

	if (argc != 2)
		usage("blink SECONDS");
	end_ns = clock_ns(CLOCK_MONOTONIC) + arg_seconds(argv[1]);
	puts("ready");
	fflush(stdout);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		work_end_ns = cpu_ns() + WORK_NS;
		while (cpu_ns() < work_end_ns)
			spin(SLICE / 10);
		nanosleep(&pause, NULL);
	}
	return 0;
}
