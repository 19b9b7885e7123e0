/* SPDX-License-Identifier: GPL-2.0 */
/* Sends the profiles of a run: gives them labels, and passes them to the child of push/pusher.h. */
#ifndef COLLECTOR_PROFILE_PUSH_H
#define COLLECTOR_PROFILE_PUSH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct profile_push;
struct push_settings;
struct settings;
struct stop;

/*
 * Starts the process that sends. Call this before the run opens its session. pid is the first
 * target, or 0 with --all. Its name is the label service_name, unless the settings have another.
 * Returns: a struct that profile_push_end() frees; or NULL after it printed the cause.
 */
struct profile_push *profile_push_start(const struct push_settings *push,
					const struct settings *settings, pid_t pid);

/* A complete file of a profile. */
struct profile_push_file {
	const char *path;
	uint32_t profile_type;		/* PROFILE_TYPE_* */
	const char *type;		/* as in --profile, or the name of a custom profile */
	int64_t time_ns;		/* start of the profile, since the epoch */
	/* The profiled process. 0 and "": the target of the run. */
	pid_t pid;
	const char *comm;
};

/*
 * Passes a file to the process that sends. Does not wait. A file that cannot be passed is counted,
 * and only the first one is reported. p may be NULL.
 */
void profile_push_add(struct profile_push *p, const struct profile_push_file *file);

/*
 * Waits until all files are sent, for 30 s at most, or until the next signal. With at_once the
 * process that sends starts no further transfer. Frees p, which may be NULL.
 * Returns: 0; or -1 if a profile was not sent, after the cause was printed.
 */
int profile_push_end(struct profile_push *p, struct stop *stop, bool at_once);

#endif /* COLLECTOR_PROFILE_PUSH_H */
