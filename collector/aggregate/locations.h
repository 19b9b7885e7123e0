/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places where samples were: each code address once, whatever process and
 * however often, with its names looked up at most once.
 *
 * The same code of a file stands at other addresses in other processes. Its
 * first mapping counts: other addresses are moved there, so that runs of one
 * program fall together.
 */
#ifndef COLLECTOR_LOCATIONS_H
#define COLLECTOR_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/mapped_files.h"
#include "procfs/maps.h"
#include "symbol/frame.h"

struct locations;

/*
 * Addresses, and mappings: 150 MB, and 100. Who makes up code has no end of them; all that is
 * beyond this is one place, and so is what is in no mapping beyond a sixteenth of it.
 */
#define LOCATIONS_MAX		(1U << 20)
#define LOCATIONS_OVER_NAME	"[unknown: too many places]"

#define LOCATIONS_MAX_LINES	64	/* inlined frames of one address */
#define LOCATIONS_NO_MAPPING	UINT32_MAX

/* A mapping that code of ours was in, as the first process had it. */
struct locations_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
};

struct location {
	uint64_t address;
	uint32_t mapping;	/* LOCATIONS_NO_MAPPING: in none */
	bool named;		/* false: the line is called after the file */
	uint32_t nr_lines;	/* at least 1 */
	const struct sym_line *lines;	/* innermost first */
};

/* files outlives the locations. NULL with errno ENOMEM. */
struct locations *locations_new(struct files *files);

/* NULL is fine. */
void locations_free(struct locations *l);

/* Forgets all of them; ids start at 0 again. */
void locations_clear(struct locations *l);

/*
 * The id of the code at addr, among the mappings of its process; with LOCATIONS_MAX of them,
 * what is not among those is LOCATIONS_OVER_NAME. -ENOMEM.
 */
int64_t locations_intern(struct locations *l, const struct maps *maps, uint64_t addr);

/* The id of a place that is no code: "lostProfileEvent". -ENOMEM. */
int64_t locations_synthetic(struct locations *l, const char *name);

/*
 * The number of a mapping, whether or not code of it was sampled. -ENOSPC: there are
 * LOCATIONS_MAX others; -ENOMEM.
 */
int64_t locations_mapping(struct locations *l, const struct maps_range *range);

/* The file of an interned location's mapping; FILES_NONE if it is in none. */
uint32_t locations_file(const struct locations *l, size_t id);

/* An interned location, with its names. Lives until the next one is interned. */
const struct location *locations_at(struct locations *l, size_t id);

/*
 * Names all that are interned, file by file, so that the debug info of one at a
 * time is in memory. No code may be interned afterwards. Before each is_over(ctx)
 * is asked; once it is true, all that have no name yet are called after their
 * files: -EINTR then, else 0.
 */
int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx);

size_t locations_nr(const struct locations *l);
size_t locations_nr_mappings(const struct locations *l);
const struct locations_mapping *locations_mapping_at(const struct locations *l, size_t id);

#endif /* COLLECTOR_LOCATIONS_H */
