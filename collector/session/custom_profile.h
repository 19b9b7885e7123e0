/* SPDX-License-Identifier: GPL-2.0 */
/* Profiles that a process keeps itself: see pprof_client.h. */
#ifndef COLLECTOR_CUSTOM_H
#define COLLECTOR_CUSTOM_H

#include <stdint.h>
#include <sys/types.h>

struct collect;
struct dev;
struct stop;

struct custom_whose {
	pid_t pid;
	uint64_t image;
	const char *name;	/* of the profile */
};

/*
 * Has the process a profile of this name? 0, or -1 when a sentence was printed that
 * tells which there are.
 */
int custom_check(struct dev *d, pid_t pid, const char *name);

/*
 * Each of its values becomes a sample, as long as the process executes the image, and
 * until stop is asked anew. 0, or -1 when the cause was printed: then there is no
 * profile, or a part of one.
 */
int custom_take(struct dev *d, const struct custom_whose *whose, struct collect *collect,
		struct stop *stop);

#endif /* COLLECTOR_CUSTOM_H */
