/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The references between the messages of a profile file. While it is read, members of the model
 * hold the file's string indices and the handles of ids (pprof/id_space.h). At the end, when all
 * tables are known, they become indices of the model.
 */
#ifndef COLLECTOR_DECODE_REFERENCES_H
#define COLLECTOR_DECODE_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

#include "pprof/decode_facts.h"
#include "pprof/id_space.h"

struct model;
struct profile_fault;

/* All zeroes is ready for use. decode_references_fini() frees it. */
struct decode_references {
	struct id_space mappings;
	struct id_space locations;
	struct id_space functions;
	/* The model's index of each string of the file, in its order. */
	uint32_t *strings;
	size_t nr_strings;
	size_t room_strings;
	/* The largest string index, and the offset in the data where it was first. */
	uint32_t max_string;
	uint64_t max_string_at;
	/* The largest handle of a location in a sample. */
	uint32_t max_location;
	/* The number of values of each sample. */
	size_t nr_values;
	struct decode_facts facts;
};

/* Frees the memory. */
void decode_references_fini(struct decode_references *r);

/* The next string of the file has this index in the model. Returns: 0, or -ENOMEM. */
int decode_references_add_string(struct decode_references *r, uint32_t index);

/*
 * Replaces the references in m, and checks them.
 * Returns: 0, or a negative errno, and then *fault is set.
 */
int decode_references_resolve(struct decode_references *r, struct model *m,
			      struct profile_fault *fault);

#endif /* COLLECTOR_DECODE_REFERENCES_H */
