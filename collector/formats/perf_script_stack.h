/* SPDX-License-Identifier: GPL-2.0 */
/* Makes the stacks of a model from the frames of perf script. */
#ifndef COLLECTOR_PERF_SCRIPT_STACK_H
#define COLLECTOR_PERF_SCRIPT_STACK_H

#include <stdint.h>

#include "base/span_set.h"
#include "formats/function_set.h"
#include "pprof/model.h"

struct perf_script_frame;

struct perf_script_stack {
	struct model *m;
	struct function_set functions;
	/* Spans of one string, the file. The mapping of a file has the index id - 1. */
	struct span_set files;
	/*
	 * Spans of the address, the mapping and the functions of a location, innermost first. A
	 * location has the index id - 1.
	 */
	struct span_set locations;
	uint64_t inlined_address;		/* of the next location */
	/* The functions of the next location, all inlined so far. */
	MODEL_ARRAY(struct model_line, inlined);
	MODEL_ARRAY(uint64_t, key);		/* of the current location */
	MODEL_ARRAY(uint32_t, stack);		/* of the current sample */
};

/* Begins with an empty model. The functions below return 0, or a negative errno. */
int perf_script_stack_init(struct perf_script_stack *s, struct model *m);

/* Frees all but the model. All zeroes are allowed. */
void perf_script_stack_fini(struct perf_script_stack *s);

/* Adds a frame to the current stack. The leaf is the first one. */
int perf_script_stack_push(struct perf_script_stack *s, const struct perf_script_frame *frame);

/* Ends the current stack, which may be empty. Returns: its index, or a negative errno. */
int64_t perf_script_stack_end(struct perf_script_stack *s);

/* Finishes the mappings of the model: puts the program first, and sets the flags. */
void perf_script_stack_finish(struct perf_script_stack *s);

#endif /* COLLECTOR_PERF_SCRIPT_STACK_H */
