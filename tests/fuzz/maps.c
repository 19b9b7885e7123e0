// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/maps.c
/*
 * Input: a line of /proc/PID/maps. If it is accepted, the result makes sense, lies inside of the
 * line, and can be inserted and found.
 */
#include <stdint.h>
#include <stdlib.h>

#include "procfs/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_name(const struct maps_entry *e, const char *line, size_t len)
{
	char buf[64];
	int n;

	check(e->name >= line && e->name + e->name_len <= line + len);
	n = maps_entry_name(e, buf, sizeof(buf));
	check(n < (int)sizeof(buf) && (n < 0 || ((size_t)n <= e->name_len && !buf[n])));
	check(n >= 0 || e->name_len >= sizeof(buf));
}

static void check_range(const struct maps_entry *e)
{
	struct maps_range r = { e->start, e->end, e->offset, 1 };
	struct maps *m = maps_new();

	if (!m)
		return;
	check(maps_insert(m, &r) == 0 && maps_insert(m, &r) == 0 && maps_nr(m) == 1);
	check(maps_find(m, e->start) && maps_find(m, e->end - 1));
	check(!maps_find(m, e->end) && !maps_find(m, e->start - 1));
	maps_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data;
	struct maps_entry e;

	if (maps_parse_line(line, size, &e))
		return 0;
	check(e.start < e.end);
	check_name(&e, line, size);
	check_range(&e);
	return 0;
}
