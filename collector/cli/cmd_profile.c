// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_profile.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/children.h"
#include "base/clock.h"
#include "aggregate/aggregator.h"
#include "report/profile_comments.h"
#include "device/error_text.h"
#include "session/settings.h"
#include "session/custom_profile.h"
#include "device/device.h"
#include "report/thread_dump.h"
#include "session/time_span.h"
#include "report/profile_export.h"
#include "pprof/gzip_file.h"
#include "session/heap_probes.h"
#include "aggregate/profile_types.h"
#include "report/output_files.h"
#include "procfs/procfs.h"
#include "process/command.h"
#include "report/progress.h"
#include "session/unwind_ranges.h"
#include "session/thread_snapshot.h"
#include "session/sources.h"
#include "base/stop_signals.h"
#include "report/summary.h"
#include "session/unwind_tables.h"
#include "report/warnings.h"

#define NS_PER_SECOND	UINT64_C(1000000000)
#define PAGE_BYTES	4096U
/* Rings wake us when half full; a slow trickle, and a progress line, do not. */
#define DRAIN_MS	100
#define LONG_NS		UINT64_C(50000000)	/* for a program, in which it maps something */

struct run {
	const struct settings *settings;
	struct device *dev;
	struct ring **rings;
	struct mapped_files *files;
	struct processes *processes;
	struct label_sets *labels;
	struct locations *locations;
	struct aggregator *aggregator;
	struct unwind_tables *tables;	/* NULL, as ranges: frame pointers are enough */
	struct unwind_ranges *ranges;
	struct command *program;
	struct thread_dump *dump;	/* NULL: none is wanted */
	struct heap *heap;	/* NULL: neither heap nor allocs is asked for */
	struct output_files outputs;
	struct profile_type custom_type;
	uint64_t exec_id;		/* of the pid that was attached last */
	uint64_t periods[PPROF_NR_SOURCES];
	struct time_span span;
	struct progress progress;
	uint64_t lost_events;	/* before the rings were drained for the last time */
	unsigned int failed;	/* bit n: source n did not end well */
	struct stop stop;
};

/* Opening and attaching */

static int open_session(struct run *r)
{
	const struct settings *c = r->settings;
	int err;

	r->dev = device_open();
	if (!r->dev) {
		device_error_print_open();
		return -1;
	}
	err = device_setup(r->dev, sources_setup_flags(c), c->buffer_pages * PAGE_BYTES,
			   c->max_frames);
	if (err)
		device_error_print_setup(c->all, c->buffer_pages, err);
	return err ? -1 : 0;
}

static int query_exec_id(void *ctx, pid_t pid, uint64_t *exec_id)
{
	return device_exec_id(ctx, pid, exec_id);
}

static int make_ranges(struct run *r)
{
	r->tables = unwind_tables_new(r->dev);
	r->ranges = unwind_ranges_new(r->processes, r->files, r->tables, r->dev);
	if (r->tables && r->ranges)
		return 0;
	warnx("cannot compile unwind tables: %s: try --unwind fp", strerror(errno));
	return -1;
}

static int show_thread(void *dump, const struct pprof_sample *sample, uint64_t labels,
		       const uint64_t *locations, uint32_t nr)
{
	return thread_dump_add(dump, sample, labels, locations, nr);
}

/* 0 of --all. */
static pid_t first_pid(const struct run *r)
{
	if (r->program)
		return command_pid(r->program);
	return r->settings->nr_pids ? r->settings->pids[0] : 0;
}

static int make_parts(struct run *r)
{
	struct aggregator_parts parts = {
		.max_stacks = r->settings->max_stacks, .periods = r->periods,
		.live = r->settings->live, .pid = first_pid(r),
		.heap = profile_types_need(r->settings->profile_types, PPROF_SOURCE_HEAP),
	};
	uint32_t nr_rings = device_nr_rings(r->dev);

	r->rings = calloc(nr_rings, sizeof(struct ring *));
	r->files = mapped_files_new();
	r->processes = processes_new(r->files, query_exec_id, r->dev);
	r->labels = labels_new(r->settings->labels);
	r->locations = locations_new(r->files);
	if (settings_dump(r->settings)) {
		r->dump = thread_dump_new(r->labels);
		parts.show = show_thread;
		parts.show_ctx = r->dump;
	}
	parts.processes = r->processes;
	parts.labels = r->labels;
	parts.locations = r->locations;
	r->aggregator = aggregator_new(&parts);
	r->heap = parts.heap ? heap_new() : NULL;
	if (!r->rings || !r->files || !r->processes || !r->labels || !r->locations ||
	    !r->aggregator || (parts.show && !r->dump) || (parts.heap && !r->heap)) {
		warnx("out of memory");
		return -1;
	}
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		r->rings[cpu] = device_ring(r->dev, cpu);
	return r->settings->tables ? make_ranges(r) : 0;
}

static int attach(struct run *r, pid_t pid)
{
	int err = device_attach(r->dev, &pid, &r->exec_id);

	if (err)
		return err;
	processes_load(r->processes, pid);	/* if it has just ended there is nothing to read */
	return 0;
}

/*
 * One that is gone, has become somebody else's, or has no allocator is no reason to stop.
 * Who makes them faster than they are found can be stopped by a signal alone.
 */
static int attach_child(void *ctx, pid_t pid)
{
	struct run *r = ctx;

	if (!attach(r, pid))
		heap_add_child(r->heap, pid);
	return stop_is_asked(&r->stop);
}

static int attach_pids(struct run *r)
{
	const struct settings *c = r->settings;
	int err;

	for (size_t i = 0; i < c->nr_pids; i++) {
		err = attach(r, c->pids[i]);
		if (err) {
			device_error_print_attach(c->pids[i], err);
			return -1;
		}
		if (heap_add_process(r->heap, c->pids[i]))
			return -1;
		if (c->children)
			children_visit(c->pids[i], attach_child, r);
	}
	return 0;
}

/*
 * What the child does before its exec is ours, not the program's. Its mappings
 * are ours, too, and the program's file: so the tables of that, of libc and of the
 * dynamic linker, at least, are there when the program needs them.
 */
static int hold_program(struct run *r)
{
	pid_t pid = command_pid(r->program);
	uint64_t exec_id;
	int err;

	err = device_attach(r->dev, &pid, &exec_id);
	if (err) {
		device_error_print_attach(pid, err);
		return -1;
	}
	aggregator_ignore_exec_id(r->aggregator, exec_id);
	processes_load(r->processes, pid);
	return heap_add_program(r->heap, r->settings->program[0], pid);
}

static int let_program_go(struct run *r)
{
	int err = command_go(r->program);

	if (err)
		warnx("cannot run '%s': %s: name a program that is there and may be executed",
		      r->settings->program[0], strerror(-err));
	return err ? -1 : 0;
}

static int open_outputs(struct run *r)
{
	const struct settings *c = r->settings;
	char comm[PPROF_COMM_LEN + 1] = "";

	if (c->all)
		return output_files_open(&r->outputs, c, NULL, 0);
	if (c->program)
		return output_files_open(&r->outputs, c, basename(c->program[0]), first_pid(r));
	procfs_comm(first_pid(r), comm, sizeof(comm));
	return output_files_open(&r->outputs, c, comm, first_pid(r));
}

static const struct profile_type *type_of(const struct run *r, uint32_t profile_type)
{
	return profile_type == PPROF_SOURCE_CUSTOM ? &r->custom_type :
		profile_types_get(profile_type, r->settings->live);
}

static uint64_t asked_ns(const struct run *r)
{
	return r->periods[PPROF_SOURCE_CPU];
}

/* The loop */

static void show_progress(struct run *r, uint64_t now)
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

static int update_ranges(struct run *r)
{
	return r->ranges ? unwind_ranges_update(r->ranges) : 0;
}

/*
 * All tables are in place before the first tick. For large programs that takes long, and
 * without hooks nobody tells what they map meanwhile.
 */
static int prepare_ranges(struct run *r)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	int err = update_ranges(r);

	if (r->tables)
		unwind_tables_wait(r->tables);
	if (sources_need_no_hooks(r->settings) && clock_ns(CLOCK_MONOTONIC) - begin > LONG_NS)
		processes_load(r->processes, first_pid(r));
	if (!err)
		err = update_ranges(r);
	if (err)
		warnx("out of memory");
	return err ? -1 : 0;
}

/* For sources_stop(), too. */
static int drain(void *run)
{
	struct run *r = run;
	int err = aggregator_drain(r->aggregator, r->rings, device_nr_rings(r->dev));

	if (!err)
		err = update_ranges(r);
	if (err)
		warnx("out of memory: give a smaller --max-stacks");
	return err ? -1 : 0;
}

static int wait_ms(const struct run *r, uint64_t now)
{
	uint64_t end = r->span.begin_ns + r->settings->duration_ns;
	uint64_t left_ms;

	if (!r->settings->duration_ns)
		return DRAIN_MS;
	left_ms = end > now ? (end - now + 999999) / 1000000 : 0;
	return left_ms < DRAIN_MS ? (int)left_ms : DRAIN_MS;
}

/* 1: the run is over; 0: it goes on; -1: the cause was printed. */
static int step(struct run *r)
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
static void take_snapshots(struct run *r)
{
	const struct custom_profile_whose whose = { first_pid(r), r->exec_id, r->settings->custom };

	if (whose.name && custom_profile_take(r->dev, &whose, r->aggregator, &r->stop))
		r->failed |= 1U << PPROF_SOURCE_CUSTOM;
	if (!profile_types_need(r->settings->profile_types, PPROF_SOURCE_THREAD))
		return;
	processes_find_perfmaps(r->processes);	/* the dump names threads as they come */
	if (thread_snapshot_take(r->dev, drain, r) ||
	    (sources_need_no_hooks(r->settings) &&
	     thread_snapshot_check(r->dev, first_pid(r), r->exec_id)))
		r->failed |= 1U << PPROF_SOURCE_THREAD;
}

/* Sources stop one after the other: what they tell until they have is not the run's. */
static void end(void *run)
{
	struct run *r = run;

	aggregator_end(r->aggregator, time_span_end(&r->span, device_wall_end_ns(r->dev)));
	device_end_losses(r->dev);
}

static int sample(struct run *r)
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

/* The results */

static uint64_t nr_refused(const struct run *r)
{
	return r->tables ? unwind_tables_nr_refused(r->tables) + unwind_ranges_nr_refused(r->ranges)
			 : 0;
}

/* The module makes periods longer where sampling takes too much of a CPU. */
static uint64_t slowest_ns(const struct run *r, uint32_t source)
{
	uint64_t slowest = device_slowest_ns(r->dev, source);

	return slowest > asked_ns(r) ? slowest : asked_ns(r);
}

static int write_output(struct run *r, uint32_t profile_type)
{
	uint32_t source = profile_types_source(profile_type);
	bool is_heap = source == PPROF_SOURCE_HEAP;
	const struct profile_comments_input about = {
		.counts = aggregator_counts(r->aggregator, source),
		.lost = device_nr_lost(r->dev, source),
		.lost_events = r->lost_events,
		.lost_frees = is_heap ? device_nr_lost(r->dev, PPROF_CLASS_FREE) : 0,
		.refused_tables = nr_refused(r),
		.unopened_files = mapped_files_nr_unopened(r->files),
		.period_ns = type_of(r, profile_type)->has_time ? asked_ns(r) : 0,
		.slowest_ns = type_of(r, profile_type)->has_time ? slowest_ns(r, source) : 0,
	};
	struct profile_comments comments;
	struct profile_export_input in = {
		.profile_type = type_of(r, profile_type),
		.files = r->files, .locations = r->locations, .labels = r->labels,
		.stacks = aggregator_stacks(r->aggregator, source),
		.values = aggregator_values(r->aggregator, source),
		.exe_mapping = aggregator_exe_mapping(r->aggregator),
		.period_ns = asked_ns(r),
		.rate = r->periods[source],
		.slowest_ns = slowest_ns(r, source),
		.time_ns = r->span.time_ns, .duration_ns = r->span.ns,
		.lost = about.lost,
		.lost_early = is_heap ? 0 : device_nr_lost_for(r->dev, source, PPROF_LOST_QUEUE),
		.over_max = about.counts->over_max,
		.over_values = aggregator_over_values(r->aggregator, source),
		.comments = comments.list,
		.drop_frames = r->settings->drop_frames, .keep_frames = r->settings->keep_frames,
		.text = r->settings->debug,
		.pid = first_pid(r),
	};
	struct gzip_file *gz = r->outputs.gz[profile_type];
	int err;

	profile_comments_fill(&comments, &about);
	err = r->dump && source == PPROF_SOURCE_THREAD ?
		thread_dump_write(r->dump, r->locations, r->files, comments.list, gz) :
		profile_export_write(&in, gz);
	if (err) {
		output_files_print_error(&r->outputs, profile_type, err);
		return -1;
	}
	return output_files_commit(&r->outputs, profile_type);
}

static int summarize(struct run *r, uint32_t profile_type)
{
	uint32_t source = profile_types_source(profile_type);
	struct summary_input in = {
		.profile_type = type_of(r, profile_type),
		.stacks = aggregator_stacks(r->aggregator, source),
		.values = aggregator_values(r->aggregator, source),
		.locations = r->locations,
		.counts = aggregator_counts(r->aggregator, source),
		.over_values = aggregator_over_values(r->aggregator, source),
		.lost = device_nr_lost(r->dev, source),
		.duration_ns = r->span.ns,
		.file = r->outputs.path[profile_type],
	};
	uint32_t worst;

	worst = aggregator_worst_file(r->aggregator, source, &in.nr_worst);
	if (worst != MAPPED_FILES_NONE)
		in.worst = mapped_files_path(r->files, worst);
	return r->settings->quiet ? 0 : summary_print(stderr, &in);
}

/* A snapshot that failed is none; of other sources something is better than nothing. */
static bool has_output(const struct run *r, uint32_t profile_type)
{
	const unsigned int snapshots = 1U << PPROF_SOURCE_THREAD | 1U << PPROF_SOURCE_CUSTOM;

	return r->outputs.gz[profile_type] && !(r->failed & snapshots & (1U << profile_type));
}

/* Of which kinds there is a file: bit n is kind n. */
static int write_outputs(struct run *r, uint32_t *written)
{
	int err, result = 0;

	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++) {
		if (!has_output(r, profile_type))
			continue;
		err = write_output(r, profile_type);
		*written |= err ? 0 : 1U << profile_type;
		result |= err;
	}
	return result;
}

/* Nothing is said before all is written: whoever reads it may end, and we by that. */
static int report(struct run *r, uint32_t written)
{
	const struct warnings in = {
		.aggregator = r->aggregator, .dev = r->dev, .tables = r->tables, .files = r->files,
		.hz = r->settings->hz, .asked_ns = asked_ns(r),
	};
	int result = 0;

	warnings_print(&in);
	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++)
		result |= written & (1U << profile_type) ? summarize(r, profile_type) : 0;
	heap_warn_of_execs(r->heap, aggregator_nr_execs(r->aggregator) - !!r->program);
	heap_warn_of_lost_frees(r->heap, device_nr_lost(r->dev, PPROF_CLASS_FREE));
	if (!r->settings->quiet)
		heap_print_cost(r->heap, stderr, device_heap_traps(r->dev));
	return result;
}

static int finish(struct run *r)
{
	uint32_t written = 0;
	int unnamed, err;

	if (aggregator_finish(r->aggregator)) {
		warnx("out of memory: give a smaller --max-stacks");
		return -1;
	}
	unnamed = locations_name_all(r->locations, stop_is_urgent, &r->stop);
	err = write_outputs(r, &written);
	if (unnamed)
		warnx("not all code has its names: a second signal ended the search for them");
	return report(r, written) || err || r->failed ? -1 : 0;
}

static int prepare(struct run *r)
{
	const struct settings *c = r->settings;

	if (open_session(r) || make_parts(r) || heap_check(r->heap, r->dev))
		return -1;
	if (c->program ? hold_program(r) : attach_pids(r))
		return -1;
	if (c->custom && custom_profile_check(r->dev, first_pid(r), c->custom))
		return -1;
	heap_try(r->heap);
	return prepare_ranges(r) ? -1 : open_outputs(r);
}

static void free_run(struct run *r)
{
	output_files_fini(&r->outputs);
	heap_free(r->heap);
	command_free(r->program);
	unwind_ranges_free(r->ranges);
	unwind_tables_free(r->tables);
	aggregator_free(r->aggregator);
	thread_dump_free(r->dump);
	locations_free(r->locations);
	labels_free(r->labels);
	processes_free(r->processes);
	mapped_files_free(r->files);
	free(r->rings);
	device_close(r->dev);
}

int cmd_profile_run(const struct settings *settings, int stop_fd, struct command *program)
{
	struct run r = { .settings = settings, .stop.fd = stop_fd, .program = program };
	int err;

	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		r.periods[source] = settings_period(settings, source);
	r.custom_type = profile_types_custom(settings->custom);
	err = prepare(&r);
	if (!err)
		err = sample(&r);
	if (!err)
		err = finish(&r);
	free_run(&r);
	return err;
}
