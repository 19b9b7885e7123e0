/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings at the end of a profile in one of the legacy formats: those of /proc/PID/maps, or
 * the short form START-END [PERMISSIONS] [FILE] [(@OFFSET)] [BUILD-ID]. The rules, also the repairs
 * of mappings that profilers split, are those of Go's pprof (profile/legacy_profile.go).
 */
#ifndef COLLECTOR_MEMORY_MAP_H
#define COLLECTOR_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "pprof/model.h"

struct line_reader;
struct text_cursor;

/* A line NAME=VALUE: later lines may say $NAME. Both are strings of the model. */
struct memory_map_variable {
	uint32_t name;
	uint32_t value;
};

/* Set m; all else is 0 at first. */
struct memory_map {
	struct model *m;
	/* In the order of the file. */
	MODEL_ARRAY(struct model_mapping, mappings);
	MODEL_ARRAY(struct memory_map_variable, variables);
	MODEL_ARRAY(char, expanded);		/* the current line, if it has variables */
	size_t nr_expanded_bytes;		/* of all lines before */
};

/* Frees the memory. */
void memory_map_fini(struct memory_map *map);

/* May this file of a mapping be the program? Libraries, and names in brackets, are none. */
bool memory_map_is_program(const char *file);

/* Do the mappings begin after this line? */
bool memory_map_begins(const struct text_cursor *line);

/*
 * Skips lines from the current one on until the mappings begin, unless they have begun. Reads them
 * to the end of the data. Without mappings that is no fault. Other lines are ignored, as in Go's
 * pprof, but those of a second profile are a fault.
 * Returns: 0, or a negative errno, and the fault of r is set.
 */
int memory_map_read(struct memory_map *map, struct line_reader *r, bool has_begun);

/*
 * Adds the mappings to the model, the main program first, and gives each location its mapping. All
 * addresses outside of them get one mapping of the whole memory. A location with address 0 gets
 * none. If mappings overlap, that with the highest start has an address.
 * Returns: 0, or a negative errno.
 */
int memory_map_attach(struct memory_map *map);

#endif /* COLLECTOR_MEMORY_MAP_H */
