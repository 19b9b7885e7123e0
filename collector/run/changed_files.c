// SPDX-License-Identifier: GPL-2.0
#include "run/changed_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "base/clock.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "run/profile_run.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

/* A search takes a system call for each open file. */
#define SEARCH_NS	1000000000

/* A table that is still being compiled is not dropped. No process gets it any more. */
static void forget_tables(struct profile_run *r, bool *keep, uint32_t nr)
{
	if (!r->tables)
		return;
	unwind_tables_mark(r->tables, keep, nr);
	unwind_tables_keep(r->tables, keep, nr);
	unwind_ranges_keep(r->ranges, keep, nr);
}

static int forget(struct profile_run *r)
{
	uint32_t nr = mapped_files_nr(r->files);
	bool *keep = calloc(nr, sizeof(*keep));

	if (!keep)
		return -ENOMEM;
	for (uint32_t file = 0; file < nr; file++)
		keep[file] = !mapped_files_is_outdated(r->files, file);
	locations_forget_names(r->locations, keep);
	if (r->code)
		named_code_keep(r->code, keep);
	forget_tables(r, keep, nr);
	free(keep);
	return processes_renew_files(r->processes);
}

static int forget_changes(struct profile_run *r)
{
	const char *first;
	uint64_t nr = mapped_files_nr_changes(r->files, &first);

	if (nr == r->nr_changes)
		return 0;
	r->nr_changes = nr;
	return forget(r);
}

int changed_files_update(struct profile_run *r)
{
	r->searched_ns = clock_ns(CLOCK_MONOTONIC);
	mapped_files_find_changes(r->files);
	return forget_changes(r);
}

int changed_files_poll(struct profile_run *r)
{
	if (clock_ns(CLOCK_MONOTONIC) - r->searched_ns < SEARCH_NS)
		return forget_changes(r);
	return changed_files_update(r);
}
