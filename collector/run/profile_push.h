/* SPDX-License-Identifier: GPL-2.0 */
/* Sends the profiles of a run: it gives them labels, and hands them over to push/pusher.h. */
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
 * Starts the process that sends, before the run opens its session. pid is the first target, or 0
 * with --all: its name is the service, unless a label says another.
 * Returns: the part, or NULL after it printed the cause. profile_push_end() ends it.
 */
struct profile_push *profile_push_start(const struct push_settings *push,
					const struct settings *settings, pid_t pid);

/* A complete file of a profile. */
struct profile_push_file {
	const char *path;
	uint32_t profile_type;		/* PROFILE_TYPE_* */
	const char *type;		/* as in --profile, or the name of a custom profile */
	int64_t time_ns;		/* when it began, since the epoch */
	/* The process of a profile of one process, as far as it differs from the target; 0, "". */
	pid_t pid;
	const char *comm;
};

/*
 * Hands a file over, without a wait. What cannot be handed over is counted, and the first time is
 * printed. p may be NULL.
 */
void profile_push_add(struct profile_push *p, const struct profile_push_file *file);

/*
 * Waits until all is sent, for 30 s at most, or until the next signal; and frees p, which may be
 * NULL. at_once: sends nothing more.
 * Returns: 0; or -1 if a profile was not sent, after the cause was printed.
 */
int profile_push_end(struct profile_push *p, struct stop *stop, bool at_once);

#endif /* COLLECTOR_PROFILE_PUSH_H */
