/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of names from perf maps. A perf map may be freed and read again, but its names must be
 * valid as long as the table of files.
 */
#ifndef COLLECTOR_KEPT_NAMES_H
#define COLLECTOR_KEPT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/string_table.h"
#include "symbol/perf_map.h"

struct kept_names {
	struct strtab *names;
	size_t bytes;	/* of all names */
};

/* Returns: 0, or -ENOMEM. After that, too, kept_names_fini() frees it. */
int kept_names_init(struct kept_names *k);

/* Frees all names. */
void kept_names_fini(struct kept_names *k);

/*
 * Looks up an address in a perf map. If code was replaced during the profile, an address has the
 * names of both: the samples do not show which one ran.
 * Returns: the name, which is valid as long as k; or NULL if there is none, without memory, or if
 * all names together have more than max_bytes.
 */
const char *kept_names_find(struct kept_names *k, const struct perf_map *map, uint64_t address,
			    size_t max_bytes);

#endif /* COLLECTOR_KEPT_NAMES_H */
