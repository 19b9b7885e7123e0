// SPDX-License-Identifier: GPL-2.0
#include "process/kept_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Limit of a name in a perf map: the whole file may be one line. */
#define MAX_NAME_BYTES		16384

int kept_names_init(struct kept_names *k)
{
	*k = (struct kept_names){ .names = strtab_new() };
	return k->names ? 0 : -ENOMEM;
}

void kept_names_fini(struct kept_names *k)
{
	strtab_free(k->names);
}

static const char *keep(struct kept_names *k, const char *name, size_t max_bytes)
{
	size_t len = strnlen(name, MAX_NAME_BYTES);
	int64_t index = strtab_find(k->names, name, len);

	if (index >= 0)
		return strtab_at(k->names, index);
	if (k->bytes + len > max_bytes)
		return NULL;
	k->bytes += len;
	index = strtab_intern(k->names, name, len);
	return index < 0 ? NULL : strtab_at(k->names, index);
}

const char *kept_names_find(struct kept_names *k, const struct perf_map *map, uint64_t address,
			    size_t max_bytes)
{
	const char *before = NULL, *name = perf_map_find(map, address, &before);
	char both[MAX_NAME_BYTES];

	if (!before)
		return name ? keep(k, name, max_bytes) : NULL;
	snprintf(both, sizeof(both), "%.*s [or %.*s]", MAX_NAME_BYTES / 2 - 8, before,
		 MAX_NAME_BYTES / 2 - 8, name);
	return keep(k, both, max_bytes);
}
