// SPDX-License-Identifier: GPL-2.0
#include "cli/profile_loop.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "aggregate/aggregator.h"
#include "aggregate/profile_types.h"
#include "base/clock.h"
#include "base/stop_signals.h"
#include "cli/profile_run.h"
#include "device/device.h"
#include "process/command.h"
#include "process/processes.h"
#include "report/progress.h"
#include "session/custom_profile.h"
#include "session/settings.h"
#include "session/sources.h"
#include "session/thread_snapshot.h"
#include "session/time_span.h"
#include "session/unwind_tables.h"

/* Rings wake us when half full; a slow trickle, and a progress line, do not. */
#define DRAIN_MS	100

static void show_progress(struct profile_run *r, uint64_t now)
{
	uint64_t samples = 0, lost = 0;

	if (r->settings->quiet || !progress_is_due(&r->progress, now))
		return;
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		samples += aggregator_counts(r->aggregator, source)->consumed;
		lost += device_nr_lost(r->dev, source);
	}
	progress_show(&r->progress, now, r->span.begin_ns, samples, lost);
}

static int let_program_go(struct profile_run *r)
{
	int err = command_go(r->program);

	if (err)
		warnx("cannot run '%s': %s: name a program that is there and may be executed",
		      r->settings->program[0], strerror(-err));
	return err ? -1 : 0;
}

/* For sources_stop(), too. */
static int drain(void *run)
{
	struct profile_run *r = run;
	int err = aggregator_drain(r->aggregator, r->rings, device_nr_rings(r->dev));

	if (!err)
		err = profile_run_update_ranges(r);
	if (err)
		warnx("out of memory: give a smaller --max-stacks");
	return err ? -1 : 0;
}

static int wait_ms(const struct profile_run *r, uint64_t now)
{
	uint64_t end = r->span.begin_ns + r->settings->duration_ns;
	uint64_t left_ms;

	if (!r->settings->duration_ns)
		return DRAIN_MS;
	left_ms = end > now ? (end - now + 999999) / 1000000 : 0;
	return left_ms < DRAIN_MS ? (int)left_ms : DRAIN_MS;
}

/* 1: the run is over; 0: it goes on; -1: the cause was printed. */
static int step(struct profile_run *r)
{
	struct pollfd fds[] = {
		{ .fd = device_fd(r->dev), .events = POLLIN },
		{ .fd = r->stop.fd, .events = POLLIN },
		{ .fd = r->program ? command_fd(r->program) : -1, .events = POLLIN },
		{ .fd = r->tables ? unwind_tables_fd(r->tables) : -1, .events = POLLIN },
	};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	show_progress(r, now);
	if (r->settings->duration_ns && now >= r->span.begin_ns + r->settings->duration_ns)
		return 1;
	if (poll(fds, 4, wait_ms(r, now)) < 0 && errno != EINTR) {
		warn("cannot wait for samples");
		return -1;
	}
	if (fds[1].revents && stop_take(&r->stop)) {
		warn("cannot tell signals");
		return -1;
	}
	if (fds[3].revents)
		unwind_tables_calm(r->tables);
	if (drain(r))
		return -1;
	return fds[0].revents & POLLHUP || fds[1].revents || fds[2].revents;
}

/*
 * While the sources run, so that who created a thread is known. If it fails, what
 * they have is as good as it was.
 */
static void take_snapshots(struct profile_run *r)
{
	const struct custom_profile_whose whose = {
		profile_run_pid(r), r->exec_id, r->settings->custom,
	};

	if (whose.name && custom_profile_take(r->dev, &whose, r->aggregator, &r->stop))
		r->failed |= 1U << PPROF_SOURCE_CUSTOM;
	if (!profile_types_need(r->settings->profile_types, PPROF_SOURCE_THREAD))
		return;
	processes_find_perfmaps(r->processes);	/* the dump names threads as they come */
	if (thread_snapshot_take(r->dev, drain, r) ||
	    (sources_need_no_hooks(r->settings) &&
	     thread_snapshot_check(r->dev, profile_run_pid(r), r->exec_id)))
		r->failed |= 1U << PPROF_SOURCE_THREAD;
}

/* Sources stop one after the other: what they tell until they have is not the run's. */
static void end(void *run)
{
	struct profile_run *r = run;

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
	if (r->program && let_program_go(r))
		return -1;
	do
		over = settings_at_once(r->settings) || step(r);
	while (!over);
	if (over > 0)
		take_snapshots(r);
	r->failed |= sources_stop(r->dev, r->settings, &ending);
	progress_clear(&r->progress);
	err = over < 0 ? -1 : drain(r);
	/* Of what comes while names are looked for no sample tells. */
	r->lost_events = device_nr_lost(r->dev, PPROF_CLASS_EVENT);
	return err;
}
