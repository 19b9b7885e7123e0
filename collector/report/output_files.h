/* SPDX-License-Identifier: GPL-2.0 */
/* Where profiles are written to: one output for each kind that is asked for. */
#ifndef COLLECTOR_OUTPUTS_H
#define COLLECTOR_OUTPUTS_H

#include <stdint.h>
#include <sys/types.h>

#include "pprof/sample_type.h"

struct settings;
struct gzout;

struct outputs {
	struct gzout *gz[KINDS_NR];	/* NULL: not asked for */
	char *path[KINDS_NR];
};

/*
 * Opens them before anything is sampled: a folder that can't be written must
 * not cost a profile. Names are of the target's `comm` and pid; comm NULL:
 * everybody. 0, or -1 with the cause printed.
 */
int outputs_open(struct outputs *o, const struct settings *settings, const char *comm, pid_t pid);

/* Closes what was not committed; no file stays of it. */
void outputs_fini(struct outputs *o);

/*
 * Finishes the output of a kind. 0 with its final name in path[kind], or
 * -1 with the cause printed and no file.
 */
int outputs_commit(struct outputs *o, uint32_t kind);

/* Says why an output can't be written: err is a negative errno. */
void outputs_complain(const struct outputs *o, uint32_t kind, int err);

#endif /* COLLECTOR_OUTPUTS_H */
