// SPDX-License-Identifier: GPL-2.0
#include "run/unused_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "run/profile_run.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

static int remove_unmarked(struct profile_run *r, bool *marks, uint32_t nr)
{
	int err;

	processes_mark_files(r->processes, marks);
	locations_mark_files(r->locations, marks);
	if (r->tables)
		unwind_tables_mark(r->tables, marks, nr);
	err = mapped_files_keep(r->files, marks);
	if (err)
		return err;
	named_code_keep(r->code, marks);
	if (!r->tables)
		return 0;
	unwind_tables_keep(r->tables, marks, nr);
	unwind_ranges_keep(r->ranges, marks, nr);
	return 0;
}

int unused_files_remove(struct profile_run *r)
{
	uint32_t nr = mapped_files_nr(r->files);
	bool *marks;
	int err;

	if (!mapped_files_are_many(r->files))
		return 0;
	marks = calloc(nr, sizeof(*marks));
	err = marks ? remove_unmarked(r, marks, nr) : -ENOMEM;
	free(marks);
	return err;
}
