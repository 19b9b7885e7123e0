/* SPDX-License-Identifier: GPL-2.0 */
/* Custom profiles, which a process keeps itself: see pprof_client.h. */
#ifndef COLLECTOR_CUSTOM_PROFILE_H
#define COLLECTOR_CUSTOM_PROFILE_H

#include <stdint.h>
#include <sys/types.h>

struct aggregator;
struct device;
struct stop;

/* Identifies a custom profile. The exec id is that of the program that keeps it. */
struct custom_profile_id {
	pid_t pid;
	uint64_t exec_id;
	const char *name;
};

/*
 * Checks that the process has a profile of this name.
 * Returns: 0; or -1 after it printed the cause.
 */
int custom_profile_check(struct device *d, pid_t pid, const char *name);

/*
 * Adds each value of the profile to the aggregator as a sample. Ends with an error if the process
 * executes another program meanwhile, or if a further stop signal arrives.
 * Returns: 0; or -1 after an error message: then nothing or only a part was added.
 */
int custom_profile_take(struct device *d, const struct custom_profile_id *profile,
			struct aggregator *aggregator, struct stop *stop);

#endif /* COLLECTOR_CUSTOM_PROFILE_H */
