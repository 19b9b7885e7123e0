/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A piece of work for a request, which needs the module or reads files of a target. Messages
 * between the process that speaks HTTP and the one that starts the work: see serve/runner.h.
 */
#ifndef COLLECTOR_SERVE_COLLECTION_H
#define COLLECTOR_SERVE_COLLECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "pprof.h"

enum serve_collection_kind {
	SERVE_PROFILE,		/* a profile, a text or a flame graph */
	SERVE_CUSTOM_EXISTS,	/* no output: does the target keep the custom profile? */
	SERVE_LIST,		/* the profiles of the target, in lines "NAME COUNT" */
	SERVE_SYMBOLS,		/* the names of addresses */
	SERVE_CANCEL,		/* ends the collection with this id; it gets no result */
};

struct serve_collection {
	uint64_t id;
	uint32_t kind;		/* enum serve_collection_kind */
	int32_t pid;		/* 0: all targets together */
	/* For SERVE_PROFILE: as in struct profile_request. */
	uint32_t type;
	uint32_t seconds;
	uint32_t debug;
	uint8_t is_goroutine;
	uint8_t is_flame;
	char custom[PPROF_CUSTOM_NAME_BYTES];	/* of PROFILE_TYPE_CUSTOM, with a NUL */
};

/* Exit codes of the work. */
#define SERVE_DONE	0
#define SERVE_FAILED	1	/* the last line of its messages says why */
#define SERVE_UNKNOWN	3	/* the target keeps no such custom profile */

#endif /* COLLECTOR_SERVE_COLLECTION_H */
