/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The comments of Go's text formats (runtime/pprof with debug=1), which hold names and labels:
 *
 *	3 @ 0x401024 0x402010			a sample: its stack, as return addresses
 *	# labels: {"key":"value"}		its labels
 *	#	0x401023	f+0x3	/src/f.c:12	a function at an address of its stack
 *
 * Go's pprof ignores them. But they are all that is known on a machine without the program, so they
 * are read here. Several functions in a row at one address are inlined, the innermost first. All
 * labels are texts: the format does not show which ones were numbers.
 *
 * Go leaves frames of its runtime out of the rows, as it leaves them out of profile.proto. So a
 * stack that has rows loses the addresses that have none. They would be frames without a name.
 */
#ifndef COLLECTOR_GO_COMMENTS_H
#define COLLECTOR_GO_COMMENTS_H

#include <stdint.h>

#include "formats/function_set.h"
#include "pprof/model.h"

struct text_cursor;

/* A function at an address of the last sample. */
struct go_comments_row {
	uint64_t address;
	struct model_line line;
};

struct go_comments {
	struct function_set functions;
	/* The rows of the last sample. */
	MODEL_ARRAY(struct go_comments_row, rows);
	MODEL_ARRAY(uint32_t, stack);		/* the locations that have a row */
	MODEL_ARRAY(struct model_label, labels);
	MODEL_ARRAY(char, text);		/* a text without its quotes */
};

/* Begins with a model without functions. Returns: 0, or -ENOMEM. */
int go_comments_init(struct go_comments *c, struct model *m);

/* Frees the memory, but not the model. All zeroes are allowed. */
void go_comments_fini(struct go_comments *c);

/*
 * Reads a comment after the last sample of the model. Comments of another form are ignored.
 * Returns: 0, or a negative errno.
 */
int go_comments_take(struct go_comments *c, struct text_cursor line);

/* Applies the rows to the last sample. Returns: 0, or a negative errno. */
int go_comments_end_sample(struct go_comments *c);

#endif /* COLLECTOR_GO_COMMENTS_H */
