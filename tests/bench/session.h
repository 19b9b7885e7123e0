/* SPDX-License-Identifier: GPL-2.0 */
/* What programs share that open a session of their own. Errors end the program. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

static inline void __attribute__((noreturn)) die(const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(err));
	exit(1);
}

static inline void need(const char *what, int err)
{
	if (err)
		die(what, -err);
}

/* With pid for its target. max_frames 0: the default. */
static inline struct device *session_open(pid_t pid, uint32_t flags, uint32_t ring_bytes,
					  uint32_t max_frames)
{
	struct device *session = device_open();
	uint64_t exec_id;

	if (!session)
		die("/dev/pprof", errno);
	need("setting up pprof", device_setup(session, flags, ring_bytes, max_frames));
	need("attaching pprof", device_attach(session, &pid, &exec_id));
	return session;
}

static inline int session_query_image(void *ctx, pid_t pid, uint64_t *exec_id)
{
	return ctx ? device_exec_id(ctx, pid, exec_id) : 0;
}

static inline int session_add_table(void *ctx, const void *table, uint32_t bytes, uint32_t *number)
{
	*number = 1;
	return ctx ? device_add_table(ctx, table, bytes, number) : 0;
}

static inline int session_tell_ranges(void *ctx, pid_t pid, uint64_t exec_id,
				      const struct pprof_range *list, uint32_t nr)
{
	return ctx ? device_set_ranges(ctx, pid, exec_id, list, nr) : 0;
}

/* As the collector does before the first tick. Without a session, nobody is told. */
static inline void session_tell_tables(struct device *session, pid_t pid)
{
	struct unwind_ranges_parts parts = { .tell = session_tell_ranges, .ctx = session };
	struct unwind_ranges *ranges;

	parts.files = mapped_files_new();
	parts.procs = processes_new(parts.files, session_query_image, session);
	parts.tables = unwind_tables_new(session_add_table, session);
	ranges = unwind_ranges_new(&parts);
	if (!parts.files || !parts.procs || !parts.tables || !ranges)
		die("compiling tables", ENOMEM);
	processes_load(parts.procs, pid);
	need("asking for tables", unwind_ranges_update(ranges));
	unwind_tables_wait(parts.tables);
	need("telling the ranges", unwind_ranges_update(ranges));
	unwind_ranges_free(ranges);
	unwind_tables_free(parts.tables);
	processes_free(parts.procs);
	mapped_files_free(parts.files);
}

#endif
