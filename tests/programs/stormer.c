// SPDX-License-Identifier: GPL-2.0
/*
 * Four threads create and join threads without a pause, for SECONDS of the wall clock.
 *
 *	stormer SECONDS
 *
 * Prints created, the number of threads, with these four; failed, the number of calls that
 * failed; storm_ns, the time that the four ran, in all; wait_ns, how long main() waited.
 */
#include <inttypes.h>
#include <pthread.h>

#include "program.h"

#define NR_CREATORS	4

struct creator {
	pthread_t thread;
	uint64_t created;
	uint64_t failed;
	uint64_t ns;
};

static uint64_t end_ns;

static void *leave(void *arg)
{
	return arg;
}

static void *storm(void *arg)
{
	struct creator *creator = arg;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		if (pthread_create(&thread, NULL, leave, NULL)) {
			creator->failed++;
			continue;
		}
		pthread_join(thread, NULL);
		creator->created++;
	}
	creator->ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	return NULL;
}

int main(int argc, char **argv)
{
	struct creator creators[NR_CREATORS] = { 0 };
	uint64_t created = NR_CREATORS, failed = 0, storm_ns = 0, begin_ns;
	int i;

	if (argc != 2)
		usage("stormer SECONDS");
	settle();
	end_ns = clock_ns(CLOCK_MONOTONIC) + arg_seconds(argv[1]);

	for (i = 0; i < NR_CREATORS; i++) {
		if (pthread_create(&creators[i].thread, NULL, storm, &creators[i])) {
			fputs("stormer: a creator could not be created\n", stderr);
			return 1;
		}
	}
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < NR_CREATORS; i++) {
		pthread_join(creators[i].thread, NULL);
		created += creators[i].created;
		failed += creators[i].failed;
		storm_ns += creators[i].ns;
	}
	/* created begins with NR_CREATORS: main() created these. */
	printf("created=%" PRIu64 "\nfailed=%" PRIu64 "\nstorm_ns=%" PRIu64 "\nwait_ns=%" PRIu64 "\n",
	       created, failed, storm_ns, clock_ns(CLOCK_MONOTONIC) - begin_ns);
	return 0;
}
