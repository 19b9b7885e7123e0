/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes a model of a profile in a legacy format, whose stacks are addresses. Functions that return
 * int return 0 or a negative errno, and the fault of the line reader is set then.
 */
#ifndef COLLECTOR_ADDRESS_PROFILE_H
#define COLLECTOR_ADDRESS_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span_set.h"
#include "formats/go_comments.h"
#include "formats/memory_map.h"
#include "pprof/model.h"

struct line_reader;
struct text_cursor;

struct address_profile {
	struct model *m;
	struct line_reader *lines;
	struct memory_map map;
	struct go_comments comments;
	/* Spans of one address. The location of an address has the index id - 1. */
	struct span_set addresses;
	/* The stack of the next sample: locations, leaf first. */
	MODEL_ARRAY(uint32_t, stack);
};

/* Begins a profile in m, which is empty. address_profile_fini() ends it, also after an error. */
int address_profile_init(struct address_profile *p, struct model *m, struct line_reader *lines);

/* Frees all but the model. */
void address_profile_fini(struct address_profile *p);

int address_profile_add_type(struct address_profile *p, const char *type, const char *unit);
int address_profile_set_period(struct address_profile *p, const char *type, const char *unit,
			       int64_t period);

/* Adds a location to the stack of the next sample. */
int address_profile_push(struct address_profile *p, uint64_t address);

/*
 * Adds the locations of a text that has addresses and nothing else: "0x401024 0x402010". back is
 * subtracted from each of them. It is 1 for return addresses, which brings them into the call.
 */
int address_profile_push_all(struct address_profile *p, struct text_cursor addresses,
			     uint64_t back);

/*
 * Adds a sample of this stack, which becomes empty then. bytes is the number of a label "bytes", or
 * 0 for none.
 */
int address_profile_add_sample(struct address_profile *p, const int64_t *values, int64_t bytes);

/* Takes the current line as a comment that follows a sample. */
int address_profile_take_comment(struct address_profile *p);

/*
 * Returns the location of an address; m->locations.nr or more if it has none; or a negative errno.
 */
int64_t address_profile_find(struct address_profile *p, uint64_t address);

/* Gives a location without lines a function: its name, its file, which may be empty, and a line. */
int address_profile_set_function(struct address_profile *p, struct model_location *location,
				 const struct text_cursor *name, const struct text_cursor *file,
				 int64_t line);

/* Reads the mappings after a line that announces them: the current one, or a later one. */
int address_profile_read_map(struct address_profile *p);

/*
 * Finishes the model: gives the locations their mappings, sets the flags of these, and sets
 * drop_frames and keep_frames.
 */
int address_profile_finish(struct address_profile *p);

/*
 * Ends a profile whose samples were read: reads the mappings and finishes the model, unless err is
 * the error that ended the samples. Frees all but the model. Returns: the first error, or 0.
 */
int address_profile_end(struct address_profile *p, int err);

#endif /* COLLECTOR_ADDRESS_PROFILE_H */
