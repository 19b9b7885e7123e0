// SPDX-License-Identifier: GPL-2.0
/*
 * The way from /proc/PID/maps to an unwind table in the module:
 *
 * 1. processes.c reads /proc/PID/maps (processes_load()) or an mmap record, and marks the exec id
 *    as changed. unwind_ranges_update() visits each changed exec id.
 * 2. fill() makes a struct pprof_range of each executable mapping. unwind_tables_find() gives the
 *    table number of its file. The first call for a file queues it in unwind_tables.c: -EAGAIN.
 * 3. The thread of unwind_tables.c compiles the file (cfi_compile()) and passes the table to the
 *    module (PPROF_IOC_TABLE_ADD). Then unwind_tables_fd() is readable, and unwind_ranges_update()
 *    runs again.
 * 4. tell() sends all ranges of the process (PPROF_IOC_RANGES, which replaces the list): at once
 *    those whose table is known, and all of them when the last table is there. It sends nothing
 *    in between: each call would send the whole list for one more table.
 */
#include "session/unwind_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "process/mapped_files.h"
#include "process/processes.h"
#include "session/unwind_tables.h"

/* User space ends below; [vsyscall] lies above, and nobody runs there. */
#define USER_END	(UINT64_C(1) << 56)

struct unwind_ranges {
	struct unwind_ranges_parts parts;
	uint64_t nr_refused;
	struct pprof_range list[PPROF_MAX_RANGES];
};

struct unwind_ranges *unwind_ranges_new(const struct unwind_ranges_parts *parts)
{
	struct unwind_ranges *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	r->parts = *parts;
	r->nr_refused = 0;
	return r;
}

void unwind_ranges_free(struct unwind_ranges *r)
{
	free(r);
}

/* Memory without a file has no table: the module tries frame pointers there. */
static int set_range(struct unwind_ranges *r, const struct maps_range *m, struct pprof_range *out)
{
	*out = (struct pprof_range){
		.start = m->start,
		.end = m->end,
		.bias = m->start - m->offset,
	};
	if (m->file == MAPPED_FILES_NONE)
		return 0;
	return unwind_tables_find(r->parts.tables, r->parts.files, m->file, &out->table);
}

/*
 * Memory whose table is still being compiled is left out: without a range a walk
 * ends there and says so, and nothing is guessed. All tables are asked for, though
 * one is not there. What is beyond the module's bound has no range.
 */
static int fill(struct unwind_ranges *r, const struct maps *maps, uint32_t *nr)
{
	int err = 0, result;

	*nr = 0;
	for (size_t i = 0; i < maps_nr(maps) && *nr < PPROF_MAX_RANGES; i++) {
		if (maps_at(maps, i)->end > USER_END)
			break;
		result = set_range(r, maps_at(maps, i), &r->list[*nr]);
		if (!result)
			(*nr)++;
		else if (err != -ENOMEM)
			err = result;
	}
	return err;
}

static int send(void *ctx, const struct processes_exec *exec_id)
{
	struct unwind_ranges *r = ctx;
	uint32_t nr;
	int pending = fill(r, exec_id->maps, &nr), err;

	if (pending == -ENOMEM)
		return pending;
	if (pending && exec_id->again)
		return 0;
	err = r->parts.send(r->parts.ctx, exec_id->pid, exec_id->number, r->list, nr);
	r->nr_refused += err && err != -ESRCH;
	return !pending;
}

int unwind_ranges_update(struct unwind_ranges *r)
{
	return processes_visit_changed(r->parts.processes, send, r);
}

uint64_t unwind_ranges_nr_refused(const struct unwind_ranges *r)
{
	return r->nr_refused;
}
