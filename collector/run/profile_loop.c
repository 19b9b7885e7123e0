// SPDX-License-Identifier: GPL-2.0
/*
 * The second phase of a run: from the start of the sources to their stop.
 *
 * 1. The sources start, then the program: its first instruction can be sampled.
 * 2. step() waits in poll() for a ring at its watermark, a stop signal, the end of the program, a
 *    new unwind table, or a request. It drains the rings and sends ranges that have changed. It
 *    does so at least each DRAIN_MS, as a slow source may never fill a ring to its watermark.
 * 3. The loop ends with the duration, a signal, the last target or the program.
 * 4. Snapshots are taken while the sources still run. Then the sources stop, and the rings are
 *    drained a last time. Only then the counters are read.
 *
 * A run that is a snapshot only (settings_at_once()) skips the loop.
 */
#include "run/profile_loop.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "aggregate/aggregator.h"
#include "aggregate/profile_types.h"
#include "base/clock.h"
#include "base/stop_signals.h"
#include "device/device.h"
#include "process/command.h"
#include "process/processes.h"
#include "report/progress.h"
#include "run/changed_files.h"
#include "run/profile_run.h"
#include "run/profile_windows.h"
#include "session/custom_profile.h"
#include "session/settings.h"
#include "session/sources.h"
#include "session/thread_snapshot.h"
#include "session/time_span.h"
#include "session/unwind_tables.h"

/* Longest wait in poll(). It is also the longest delay of the progress line. */
#define DRAIN_MS	100

static void show_progress(struct profile_run *r, uint64_t now)
{
	uint64_t samples = 0, lost = 0;

	if (r->settings->quiet || !progress_is_due(&r->progress, now))
		return;
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		samples += aggregator_total(r->aggregator, source).consumed;
		lost += device_nr_lost(r->dev, source);
	}
	progress_show(&r->progress, now, r->begin_ns, samples, lost);
}

/* Returns: 0, or -1 after it printed the cause. */
static int let_program_go(struct profile_run *r)
{
	int err = command_go(r->program);

	if (err)
		warnx("cannot run '%s': %s: name a program that exists and may be executed",
		      r->settings->program[0], strerror(-err));
	return err ? -1 : 0;
}

/*
 * Also a callback of sources_stop() and thread_snapshot_take(). run is the struct profile_run.
 * Returns: 0, or -1 after it printed the cause.
 */
static int drain(void *run)
{
	struct profile_run *r = run;
	int err = aggregator_drain(r->aggregator, r->rings, device_nr_rings(r->dev));

	if (r->settings->totals)
		session_totals_add(r->settings->totals, &r->added, r->aggregator, r->dev);
	processes_poll_perfmaps(r->processes);
	if (!err)
		err = changed_files_poll(r);
	if (!err)
		err = profile_run_update_ranges(r);
	if (err)
		warnx("cannot read the samples: out of memory: give a smaller --max-stacks");
	return err ? -1 : 0;
}

/* Returns the timeout for poll(), rounded up so that it does not end before the run or window. */
static int wait_ms(const struct profile_run *r, uint64_t now)
{
	uint64_t end = r->end_ns, left_ms;

	if (r->store && profile_windows_due_ns(r) < end)
		end = profile_windows_due_ns(r);
	left_ms = end > now ? (end - now + 999999) / 1000000 : 0;
	return left_ms < DRAIN_MS ? (int)left_ms : DRAIN_MS;
}

/* Returns: 1 if the run is over; 0 if it goes on; or -1 after it printed the cause. */
static int step(struct profile_run *r)
{
	struct pollfd fds[] = {
		{ .fd = device_fd(r->dev), .events = POLLIN },
		{ .fd = r->stop.fd, .events = POLLIN },
		{ .fd = r->program ? command_fd(r->program) : -1, .events = POLLIN },
		{ .fd = r->tables ? unwind_tables_fd(r->tables) : -1, .events = POLLIN },
		{ .fd = r->writer.pid ? r->writer.fd : -1, .events = POLLIN },
		{ .fd = r->on_request ? r->request_fd : -1, .events = POLLIN },
	};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	show_progress(r, now);
	if (now >= r->end_ns)
		return 1;
	if (poll(fds, sizeof(fds) / sizeof(*fds), wait_ms(r, now)) < 0 && errno != EINTR) {
		warnx("cannot wait for samples: %s: free memory, and run it again",
		      strerror(errno));
		return -1;
	}
	if (fds[1].revents && stop_take(&r->stop)) {
		warnx("cannot read a signal: %s: run it again", strerror(errno));
		return -1;
	}
	if (fds[3].revents)
		unwind_tables_calm(r->tables);
	now = clock_ns(CLOCK_MONOTONIC);
	if (drain(r) || (r->store && profile_windows_step(r, now, drain)) ||
	    (fds[5].revents && r->on_request(r)))
		return -1;
	return fds[0].revents & POLLHUP || fds[1].revents || fds[2].revents;
}

/*
 * Takes the snapshots while the sources run: threadcreate still samples the creators, which the
 * dump shows. A failure is recorded in r->failed. The samples of the sources stay valid.
 */
static void take_snapshots(struct profile_run *r)
{
	const struct custom_profile_id profile = {
		profile_run_pid(r), r->exec_id, r->settings->custom,
	};

	if (profile.name && custom_profile_take(r->dev, &profile, r->aggregator, &r->stop))
		r->failed |= 1U << PPROF_SOURCE_CUSTOM;
	if (!profile_types_need(r->settings->profile_types, PPROF_SOURCE_THREAD))
		return;
	/* The dump finds symbols as threads arrive. A perf map must be known before. */
	processes_find_perfmaps(r->processes);
	if (thread_snapshot_take(r->dev, drain, r) ||
	    (sources_need_no_hooks(r->settings) &&
	     thread_snapshot_check(r->dev, profile_run_pid(r), r->exec_id)))
		r->failed |= 1U << PPROF_SOURCE_THREAD;
}

/*
 * A callback of sources_stop(). Sources stop one after the other. Records from after this moment
 * are not part of the run.
 */
static void end(void *run)
{
	struct profile_run *r = run;

	if (r->store)
		profile_windows_end(r);
	aggregator_end(r->aggregator, time_span_end(&r->span, device_wall_end_ns(r->dev)));
	device_end_losses(r->dev);
}

int profile_loop(struct profile_run *r)
{
	const struct sources_end ending = { .ended = end, .drain = drain, .ctx = r };
	int over, err;

	if (sources_start(r->dev, r->settings))
		return -1;
	aggregator_begin(r->aggregator, time_span_begin(&r->span, device_wall_begin_ns(r->dev)));
	r->begin_ns = r->span.begin_ns;
	r->end_ns = UINT64_MAX;
	if (r->settings->duration_ns)
		r->end_ns = r->span.begin_ns + r->settings->duration_ns;
	if (r->program && let_program_go(r))
		return -1;
	if (r->store)
		profile_windows_begin(r, drain);
	do
		over = settings_at_once(r->settings) ? 1 : step(r);
	while (!over);
	if (over > 0 && !r->store)
		take_snapshots(r);
	r->failed |= sources_stop(r->dev, r->settings, &ending);
	progress_clear(&r->progress);
	err = over < 0 ? -1 : drain(r);
	profile_run_count(r);
	return err;
}
