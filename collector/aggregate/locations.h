/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The locations of samples. Each code address is stored once, for all processes, and its symbols
 * are looked up at most once.
 *
 * Different processes may map the same code at different addresses. The addresses of the first
 * mapping are used for all processes. So processes of one program share their locations.
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
struct named_code;

/*
 * Limit of the number of addresses, which then take 150 MB, and of mappings, which take 100 MB. A
 * process can generate code without end. All addresses beyond the limit share one location,
 * LOCATIONS_OVER_NAME. Addresses in no mapping have a sixteenth of the limit.
 */
#define LOCATIONS_MAX		(1U << 20)
#define LOCATIONS_OVER_NAME	"[unknown: too many locations]"

#define LOCATIONS_MAX_LINES	64	/* limit of inlined frames at one address */
#define LOCATIONS_NO_MAPPING	UINT32_MAX

/*
 * A mapping of sampled code, as the first process had it. Its end grows if a later mapping of the
 * same code is longer.
 */
struct locations_mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t file;
};

struct location {
	uint64_t address;
	uint32_t mapping;	/* LOCATIONS_NO_MAPPING if it is in no mapping */
	/* False if the location has no symbol. Its frame then has the name of the file. */
	bool named;
	uint32_t nr_lines;	/* at least 1 */
	/* Frames, innermost first. */
	const struct frame *lines;
};

/*
 * Makes an empty table, for locations_free(). files is borrowed, and outlives the table.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct locations *locations_new(struct mapped_files *files);

/* Frees the table. l may be NULL. */
void locations_free(struct locations *l);

/* Removes all locations and mappings. Ids start at 0 again. */
void locations_clear(struct locations *l);

/* In the list of locations_keep(): the location is removed. */
#define LOCATIONS_REMOVED	UINT32_MAX

/*
 * Removes the locations id with new_ids[id] == LOCATIONS_REMOVED. The others get the numbers 0, 1,
 * ... in their order, which new_ids must have for them. Mappings without a location are removed,
 * too. *main_mapping is the id of a mapping that stays, or negative; it becomes its new id.
 * Returns: 0, or -ENOMEM, and then nothing has changed.
 */
int locations_keep(struct locations *l, const uint32_t *new_ids, int64_t *main_mapping);

/*
 * Returns the id of the code at addr, or -ENOMEM. maps has the mappings of its process. If the
 * table is full, a new address gets the id of LOCATIONS_OVER_NAME.
 */
int64_t locations_intern(struct locations *l, const struct maps *maps, uint64_t addr);

/* The same for the kernel's code at addr. */
int64_t locations_intern_kernel(struct locations *l, uint64_t addr);

/*
 * Is the kernel's code at addr that of a tracepoint itself? Such a frame is between the traced
 * function and the module.
 */
bool locations_is_tracepoint(const struct locations *l, uint64_t addr);

/* Returns the id of a frame without code, such as "lostProfileEvent", or -ENOMEM. */
int64_t locations_synthetic(struct locations *l, const char *name);

/*
 * Returns the id of a mapping, and adds it if it is new. It need not have samples.
 * Returns -ENOSPC if there are LOCATIONS_MAX other mappings, or -ENOMEM.
 */
int64_t locations_mapping(struct locations *l, const struct maps_range *range);

/* Returns the file number of a location's mapping, or MAPPED_FILES_NONE if it is in none. */
uint32_t locations_file(const struct locations *l, size_t id);

/*
 * Returns a location with its symbols, which the first call looks up. It is valid until the next
 * location is added.
 */
const struct location *locations_at(struct locations *l, size_t id);

/*
 * Sets the symbols of a location, which another process has looked up, and copies them. nr is 0 if
 * the location has none. A location is not changed if it has symbols already, is not in a file, or
 * is in an outdated one.
 * Returns: 0; -EINVAL if there is no such location, or nr is over LOCATIONS_MAX_LINES; or -ENOMEM.
 */
int locations_set(struct locations *l, size_t id, const struct frame *lines, uint32_t nr);

/*
 * Removes the symbols of all locations in files with keep[file] false. They are not looked up
 * again.
 */
void locations_forget_names(struct locations *l, const bool *keep);

/*
 * Returns the first location from *id on whose symbols this process has looked up in a file, and
 * sets *id to its id. Returns NULL if there is none. A perf map is no such file: its symbols
 * may change.
 */
const struct location *locations_next_found(struct locations *l, size_t *id);

/*
 * Looks up the symbols of all locations that have none yet, file by file. So the debug info of
 * only one file is in memory at a time. No location with code may be added afterwards. is_over(ctx)
 * is called before each look-up. Once it returns true, the remaining locations are named after
 * their files.
 * Returns: 0, or -EINTR if is_over() returned true.
 */
int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx);

/* Returns the number of locations. */
size_t locations_nr(const struct locations *l);

/* Returns the number of mappings. */
size_t locations_nr_mappings(const struct locations *l);

/* Returns a mapping by its id. It is valid until the next location or mapping is added. */
const struct locations_mapping *locations_mapping_at(const struct locations *l, size_t id);

/* Sets marks[file] of each file that has a mapping here. */
void locations_mark_files(const struct locations *l, bool *marks);

/*
 * From now on symbols are searched in code first, which is borrowed. A look-up in a file also adds
 * the function around the address to code: see named_code_learn(). All of these take nr_probes more
 * look-ups at most.
 */
void locations_learn(struct locations *l, struct named_code *code, uint32_t nr_probes);

#endif /* COLLECTOR_LOCATIONS_H */
