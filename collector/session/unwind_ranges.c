// SPDX-License-Identifier: GPL-2.0
/*
 * The way from /proc/PID/maps to an unwind table in the module:
 *
 * 1. processes.c reads /proc/PID/maps (processes_load()) or an mmap record. It keeps executable
 *    mappings only, and marks the exec id as changed.
 * 2. unwind_ranges_update() visits each changed exec id, also one that has ended. fill() makes a
 *    struct pprof_range of each mapping. unwind_tables_find() gives the table number of its file,
 *    or 0 without a table. The first call for a file queues it in unwind_tables.c and returns
 *    -EAGAIN.
 * 3. The thread of unwind_tables.c compiles the file (cfi_compile()), or reads the table that an
 *    earlier run has kept (table_cache_read()). It passes the table to the module
 *    (device_add_table()). Then unwind_tables_fd() is readable. The event loop wakes up
 *    and calls unwind_ranges_update() again.
 * 4. send() replaces the ranges of the process in the module (device_set_ranges()). At first it
 *    sends the ranges whose table is known. When the last table is there, it sends all of them. It
 *    sends nothing in between: each call would send the whole list for one more table.
 *
 * Step 3 also binds the table to its file. So the module itself gives a later mapping of that file
 * its table, in all processes (kmod/record/mmap_events.c). What step 4 sends lags behind: the
 * module keeps such ranges until they are sent.
 */
#include "session/unwind_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "session/thread_contexts.h"
#include "session/unwind_tables.h"

/*
 * No address of user space is above: Documentation/arch/x86/x86_64/mm.rst, 5-level page tables.
 * /proc/PID/maps lists [vsyscall] above. The module refuses it, and it needs no unwinding.
 */
#define USER_END	(UINT64_C(1) << 56)

struct unwind_ranges {
	struct processes *processes;
	struct mapped_files *files;
	struct unwind_tables *tables;
	struct device *dev;
	struct thread_contexts *contexts;	/* NULL: not wanted */
	uint64_t nr_refused;
	struct unwind_ranges_over over;
	struct pprof_range *list;	/* of the process that is being sent */
	size_t room;
};

struct unwind_ranges *unwind_ranges_new(struct processes *processes, struct mapped_files *files,
					struct unwind_tables *tables, struct device *dev)
{
	struct unwind_ranges *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->processes = processes;
	r->files = files;
	r->tables = tables;
	r->dev = dev;
	return r;
}

int unwind_ranges_send_contexts(struct unwind_ranges *r)
{
	r->contexts = thread_contexts_new(r->files);
	return r->contexts ? 0 : -ENOMEM;
}

void unwind_ranges_free(struct unwind_ranges *r)
{
	if (!r)
		return;
	thread_contexts_free(r->contexts);
	free(r->list);
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
	return unwind_tables_find(r->tables, r->files, m->file, &out->table);
}

/*
 * Leaves out memory whose table is still being compiled, and memory that may have other code than
 * its file. Without a range a walk ends there and reports that, instead of a guess. The loop goes
 * on after a missing table, so that all files are queued.
 * Returns: 0; -EAGAIN if a table is missing; or -ENOMEM.
 */
static int fill(struct unwind_ranges *r, const struct maps *maps, size_t *nr)
{
	struct pprof_range *list = array_grow(r->list, &r->room, maps_nr(maps), sizeof(*list));
	int err = 0, result;

	if (!list)
		return -ENOMEM;
	r->list = list;
	*nr = 0;
	for (size_t i = 0; i < maps_nr(maps); i++) {
		if (maps_at(maps, i)->end > USER_END)
			break;
		if (mapped_files_is_outdated(r->files, maps_at(maps, i)->file))
			continue;
		result = set_range(r, maps_at(maps, i), &list[*nr]);
		if (!result)
			(*nr)++;
		else if (err != -ENOMEM)
			err = result;
	}
	return err;
}

/*
 * The module takes PPROF_MAX_RANGES. Memory without a table is dropped first: a walk could only
 * guess there, while nearly all stacks go through files.
 * Returns: the number of ranges that are left.
 */
static uint32_t drop_excess(struct pprof_range *list, size_t nr)
{
	size_t excess = nr > PPROF_MAX_RANGES ? nr - PPROF_MAX_RANGES : 0, kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (excess && !list[i].table)
			excess--;
		else
			list[kept++] = list[i];
	}
	return kept - excess;
}

/* Keeps the largest number of mappings of the first such process: it grows one by one. */
static void note_over(struct unwind_ranges *r, pid_t pid, size_t nr)
{
	if (nr > PPROF_MAX_RANGES && nr > r->over.nr && (!r->over.pid || r->over.pid == pid))
		r->over = (struct unwind_ranges_over){ .pid = pid, .nr = nr };
}

/* Returns: 0, -EAGAIN or -ENOMEM. */
static int find_context(struct unwind_ranges *r, const struct processes_exec *exec,
			struct pprof_tls_address *context)
{
	*context = (struct pprof_tls_address){ .kind = PPROF_TLS_NONE };
	return r->contexts ? thread_contexts_find(r->contexts, exec, context) : 0;
}

/*
 * Sends the first nr ranges of the list.
 * Returns: 1 when all ranges were sent; 0 to be called again; or -ENOMEM.
 */
static int send(struct unwind_ranges *r, const struct processes_exec *exec, size_t nr, int pending)
{
	struct pprof_tls_address context;
	int err = find_context(r, exec, &context);

	if (err == -ENOMEM)
		return err;
	if (!pending)
		pending = err;
	if (pending && exec->again)
		return 0;
	note_over(r, exec->pid, nr);
	err = device_set_ranges(r->dev, exec->pid, exec->exec_id, r->list,
				drop_excess(r->list, nr), &context);
	r->nr_refused += err && err != -ESRCH;
	return !pending;
}

/*
 * A processes_visit_fn. A refusal is counted and not tried again, since the list would be the same.
 * Of a process that has ended the files are queued, and nothing is sent. A later process may be as
 * short: the module then has their tables from its start.
 */
static int visit(void *ctx, const struct processes_exec *exec)
{
	struct unwind_ranges *r = ctx;
	size_t nr;
	int pending = fill(r, exec->maps, &nr);

	if (pending == -ENOMEM)
		return -ENOMEM;
	return exec->ended ? 1 : send(r, exec, nr, pending);
}

int unwind_ranges_update(struct unwind_ranges *r)
{
	return processes_visit_changed(r->processes, visit, r);
}

uint64_t unwind_ranges_nr_refused(const struct unwind_ranges *r)
{
	return r->nr_refused;
}

struct unwind_ranges_over unwind_ranges_over(const struct unwind_ranges *r)
{
	return r->over;
}

void unwind_ranges_keep(struct unwind_ranges *r, const bool *keep, uint32_t nr)
{
	if (r->contexts)
		thread_contexts_keep(r->contexts, keep, nr);
}
