// SPDX-License-Identifier: GPL-2.0
/*
 * Runs for 300 us and sleeps for 300 us in turns, for SECONDS of the wall clock. A profiler
 * at 1 kHz that starts its period anew at each switch takes no sample of it.
 *
 *	onoff SECONDS [SLEEPS]
 *
 * A turn that is late sleeps less, or not at all if less than half of its sleep is left: one
 * sample of a much shorter wait would stand for too many. The program goes on until it has slept
 * SLEEPS times. Prints cpu_ns; phases, the number of turns; slept, how many of them slept;
 * and off_ns, the time in stay_off().
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "program.h"

#define PHASE_NS	(300 * NSEC_PER_USEC)

static KEEP void stay_on(uint64_t until_ns)
{
	while (clock_ns(CLOCK_MONOTONIC) < until_ns)
		spin(SLICE / 100);
}

static KEEP void stay_off(uint64_t until_ns)
{
	struct timespec until = {
		.tv_sec = until_ns / NSEC_PER_SEC,
		.tv_nsec = until_ns % NSEC_PER_SEC,
	};

	if (clock_ns(CLOCK_MONOTONIC) + PHASE_NS / 2 > until_ns)
		return;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		continue;
}

/* Voluntary switches: the loop has no other call that sleeps. */
static long nr_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
	uint64_t now_ns, end_ns, off_ns = 0, phases = 0;
	long sleeps, least;

	if (argc != 2 && argc != 3)
		usage("onoff SECONDS [SLEEPS]");
	least = argc == 3 ? arg_count(argv[2]) : 0;
	settle();
	now_ns = clock_ns(CLOCK_MONOTONIC);
	end_ns = now_ns + arg_seconds(argv[1]);

	/* The default slack would stretch each sleep by up to 50 us. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	sleeps = nr_sleeps();
	while (now_ns < end_ns || nr_sleeps() - sleeps < least) {
		stay_on(now_ns + PHASE_NS);
		off_ns -= clock_ns(CLOCK_MONOTONIC);
		stay_off(now_ns + 2 * PHASE_NS);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		off_ns += now_ns;
		phases++;
	}
	sleeps = nr_sleeps() - sleeps;
	printf("cpu_ns=%" PRIu64 "\nphases=%" PRIu64 "\nslept=%ld\noff_ns=%" PRIu64 "\n",
	       cpu_ns(), phases, sleeps, off_ns);
	return 0;
}
