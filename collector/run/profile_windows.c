// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a window is planned when it begins, by the clock of records. A drain leaves records
 * from that time on in the rings (aggregator_cut()). A sample is written some us after the time
 * that it carries. So the window is closed SETTLE_NS after its end: a drain then has all of its
 * records. A record that comes even later counts in the next window.
 *
 * Then a child writes the window (window_writer.c), and the counts begin again. If the child of the
 * window before has not ended yet, the window becomes longer by one period, and no sample is lost.
 * The file has the true length.
 */
#include "run/profile_windows.h"

#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "aggregate/aggregator.h"
#include "base/clock.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "report/window_store.h"
#include "run/changed_files.h"
#include "run/profile_output.h"
#include "run/profile_push.h"
#include "run/profile_run.h"
#include "run/unused_files.h"
#include "run/window_writer.h"
#include "session/settings.h"
#include "session/thread_snapshot.h"

#define SETTLE_NS	1000000

/* Sets the planned end of the window. */
static void plan_end(struct profile_run *r, uint64_t end_ns)
{
	struct time_span span = r->span;

	r->window_end_ns = end_ns;
	aggregator_cut(r->aggregator, time_span_cut(&span, end_ns));
}

/*
 * A snapshot of threads is taken at the start: at the end its samples would be of the next window.
 * A window whose snapshot fails has no file of threads.
 */
static void begin_window(struct profile_run *r, uint64_t end_ns, int (*drain)(void *run))
{
	plan_end(r, end_ns);
	r->failed &= ~(1U << PPROF_SOURCE_THREAD);
	if (!profile_types_need(r->settings->profile_types, PPROF_SOURCE_THREAD))
		return;
	processes_find_perfmaps(r->processes);
	if (thread_snapshot_take(r->dev, drain, r))
		r->failed |= 1U << PPROF_SOURCE_THREAD;
}

void profile_windows_begin(struct profile_run *r, int (*drain)(void *run))
{
	begin_window(r, r->span.begin_ns + r->settings->every_ns, drain);
}

/*
 * A file of a window is complete: it has its name, and does not change any more. The child names
 * the file, and may be hostile: the store accepts only a file of its folder, and no other one is
 * sent.
 */
static void take_file(struct profile_run *r, const struct window_file *file)
{
	if (window_store_add(r->store, file->path))
		return;
	r->nr_window_files++;
	profile_push_add(r->push, &(struct profile_push_file){
		.path = file->path, .profile_type = file->profile_type,
		.type = profile_output_type(r, file->profile_type)->name,
		.time_ns = file->span->time_ns, .pid = file->pid, .comm = file->comm,
	});
}

static void read_writer(struct profile_run *r)
{
	bool was_busy = r->writer.pid;

	if (window_writer_read(&r->writer, r, take_file))
		r->nr_failed_windows++;
	if (was_busy && !r->writer.pid)
		window_store_trim(r->store, clock_ns(CLOCK_REALTIME));
}

/* Returns: 0, or -1 after it printed the cause. */
static int write_window(struct profile_run *r)
{
	int err = aggregator_flush(r->aggregator);

	if (!err)
		err = aggregator_compact(r->aggregator, mapped_files_are_many(r->files));
	if (!err)
		err = changed_files_update(r);
	if (!err)
		err = unused_files_remove(r);
	if (err) {
		warnx("cannot count the samples: out of memory: give a smaller --max-stacks");
		return -1;
	}
	profile_run_count(r);
	r->nr_windows++;
	err = window_writer_start(&r->writer, r);
	if (!err)
		return 0;
	warnx("a window of %.1f s is lost: cannot start a process: %s: end other processes, or "
	      "raise 'ulimit -u'", r->span.ns / 1e9, strerror(-err));
	r->nr_failed_windows++;
	return 0;
}

static int cut(struct profile_run *r, int (*drain)(void *run))
{
	time_span_cut(&r->span, r->window_end_ns);
	if (write_window(r))
		return -1;
	aggregator_reset(r->aggregator);
	profile_run_count_again(r);
	time_span_next(&r->span);
	begin_window(r, r->window_end_ns + r->settings->every_ns, drain);
	return 0;
}

uint64_t profile_windows_due_ns(const struct profile_run *r)
{
	return r->window_end_ns + SETTLE_NS;
}

int profile_windows_step(struct profile_run *r, uint64_t now, int (*drain)(void *run))
{
	read_writer(r);
	if (now < profile_windows_due_ns(r))
		return 0;
	if (!r->writer.pid)
		return cut(r, drain);
	plan_end(r, r->window_end_ns + r->settings->every_ns);
	return 0;
}

void profile_windows_end(struct profile_run *r)
{
	aggregator_cut(r->aggregator, UINT64_MAX);
}

/* Waits until the child has ended. */
static void wait_for_writer(struct profile_run *r)
{
	struct pollfd fd = { .fd = r->writer.fd, .events = POLLIN };

	while (r->writer.pid) {
		poll(&fd, 1, -1);
		read_writer(r);
	}
}

static void print_totals(const struct profile_run *r)
{
	for (uint32_t type = 0; type < PROFILE_TYPE_NR; type++) {
		const struct profile_type *t = profile_output_type(r, type);
		struct aggregator_counts total = aggregator_total(r->aggregator, t->source);
		uint64_t lost = device_nr_lost(r->dev, t->source);

		if (r->settings->profile_types & (1U << type))
			fprintf(stderr, "%s: %" PRIu64 " %s, %" PRIu64 " lost\n", t->name,
				total.consumed - total.ignored + lost, t->unit, lost);
	}
	fprintf(stderr, "%" PRIu64 " windows, %" PRIu64 " files in %s\n",
		r->nr_windows - r->nr_failed_windows, r->nr_window_files, r->settings->dir);
}

int profile_windows_results(struct profile_run *r)
{
	int err;

	wait_for_writer(r);
	err = write_window(r);
	wait_for_writer(r);
	profile_output_warn(r);
	if (r->nr_failed_windows)
		warnx("%" PRIu64 " of %" PRIu64 " windows have no complete files: see the messages "
		      "above", r->nr_failed_windows, r->nr_windows);
	if (!r->settings->quiet)
		print_totals(r);
	return err || r->nr_failed_windows || r->failed ? -1 : 0;
}
