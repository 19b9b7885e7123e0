/* SPDX-License-Identifier: GPL-2.0 */
/* Facts about a profile file that the model does not show. Strict readers refuse some of them. */
#ifndef COLLECTOR_DECODE_FACTS_H
#define COLLECTOR_DECODE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct decode_facts {
	/* The ids of the table are not 1, 2, ... in its order. */
	bool has_sparse_mappings;
	bool has_sparse_locations;
	bool has_sparse_functions;
	/* A location names a mapping that is not in the table. */
	bool has_lost_mapping;
	/* A label has no key. */
	bool has_label_without_key;
	/* The length of the data, inflated. */
	uint64_t nr_bytes;
};

#endif /* COLLECTOR_DECODE_FACTS_H */
