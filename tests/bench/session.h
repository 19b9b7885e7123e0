/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of programs that open a session of their own. An error ends the program. */
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

/* Opens a session whose target is pid. A max_frames of 0 is the default. */
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

/*
 * Compiles the tables of pid and sends them to the module, as the collector does before the
 * first tick.
 */
static inline void session_send_tables(struct device *session, pid_t pid)
{
	struct mapped_files *files = mapped_files_new();
	struct processes *processes = processes_new(files, session);
	struct unwind_tables *tables = unwind_tables_new(session);
	struct unwind_ranges *ranges = unwind_ranges_new(processes, files, tables, session);

	if (!files || !processes || !tables || !ranges)
		die("compiling tables", ENOMEM);
	processes_load(processes, pid);
	need("asking for tables", unwind_ranges_update(ranges));
	unwind_tables_wait(tables);
	need("sending the ranges", unwind_ranges_update(ranges));
	unwind_ranges_free(ranges);
	unwind_tables_free(tables);
	processes_free(processes);
	mapped_files_free(files);
}

#endif
