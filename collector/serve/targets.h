/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that a server may profile. A pid may be reused after its process has ended: so each
 * process of --pid is held by a pidfd from the start.
 */
#ifndef COLLECTOR_SERVE_TARGETS_H
#define COLLECTOR_SERVE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct regex;
struct settings;

struct serve_targets {
	const struct settings *settings;
	struct regex *comm;
	int *pidfds;			/* of the pids of settings */
};

/*
 * Holds the targets. settings and comm are borrowed. serve_targets_fini() lets go of them.
 * Returns: 0, or -1 after it printed the cause.
 */
int serve_targets_init(struct serve_targets *t, const struct settings *settings,
		       struct regex *comm);

void serve_targets_fini(struct serve_targets *t);

/* Is the process with this pid alive, and a target? */
bool serve_targets_has(const struct serve_targets *t, pid_t pid);

/*
 * Fills pids with at most max targets that are alive: in the order of --pid, or by pid. With --all
 * there are none: a request that names no process means all of them.
 * Returns: the number.
 */
size_t serve_targets_list(const struct serve_targets *t, pid_t *pids, size_t max);

#endif /* COLLECTOR_SERVE_TARGETS_H */
