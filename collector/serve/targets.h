/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that a server may profile. A pid may be reused after its process has ended: so each
 * process of --pid is held by a pidfd from the start. With --all and --cgroup, a request that names
 * no process means all targets together: pid 0 stands for them.
 */
#ifndef COLLECTOR_SERVE_TARGETS_H
#define COLLECTOR_SERVE_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct regex;
struct settings;

struct serve_targets {
	const struct settings *settings;
	struct regex *comm;
	int *pidfds;			/* of the pids of settings */
};

/*
 * Opens a pidfd for each process of --pid. settings and comm are borrowed. The caller calls
 * serve_targets_fini() also after a failure.
 * Returns: 0, or -1 after it printed the cause.
 */
int serve_targets_init(struct serve_targets *t, const struct settings *settings,
		       struct regex *comm);

/* Closes the pidfds. t may be all zeroes. */
void serve_targets_fini(struct serve_targets *t);

/* Is the process with this pid alive, and a target? */
bool serve_targets_has(const struct serve_targets *t, pid_t pid);

/* Does pid 0 stand for all targets together? */
bool serve_targets_has_whole(const struct serve_targets *t);

/*
 * Fills pids with at most max targets that are alive: in the order of --pid, or by pid. With --all
 * there are none.
 * Returns: the number.
 */
size_t serve_targets_list(const struct serve_targets *t, pid_t *pids, size_t max);

/* Makes the target of a run that process; or all targets together, if *pid is 0. Borrows pid. */
void serve_targets_choose(struct settings *s, pid_t *pid);

/*
 * Returns: NULL if the profile type PROFILE_TYPE_* can be taken of the process, or of all targets
 * together if pid is 0; else a sentence that says why not.
 */
const char *serve_targets_refusal(const struct settings *settings, pid_t pid, uint32_t type);

#endif /* COLLECTOR_SERVE_TARGETS_H */
