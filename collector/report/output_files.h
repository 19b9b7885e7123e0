/* SPDX-License-Identifier: GPL-2.0 */
/* The output files of a run: one for each requested profile type. */
#ifndef COLLECTOR_OUTPUTS_H
#define COLLECTOR_OUTPUTS_H

#include <stdint.h>
#include <sys/types.h>

#include "pprof/sample_type.h"

struct settings;
struct gzout;

struct outputs {
	struct gzout *gz[KINDS_NR];	/* by profile type; NULL if it was not requested */
	char *path[KINDS_NR];		/* name of the file; o owns it */
};

/*
 * Opens the output files. Call this before the sampling: a folder that cannot be written must
 * not cost a profile. A default name has the target's `comm` and pid; comm is NULL for a run
 * with --all.
 * Returns: 0, or -1 after an error message.
 */
int outputs_open(struct outputs *o, const struct settings *settings, const char *comm, pid_t pid);

/* Closes and removes the files that were not committed, and frees the names. */
void outputs_fini(struct outputs *o);

/*
 * Completes the output file of a profile type. path[kind] becomes its final name.
 * Returns: 0; or -1 after an error message, and then there is no file.
 */
int outputs_commit(struct outputs *o, uint32_t kind);

/* Prints why the output file of a profile type cannot be written. err is a negative errno. */
void outputs_complain(const struct outputs *o, uint32_t kind, int err);

#endif /* COLLECTOR_OUTPUTS_H */
