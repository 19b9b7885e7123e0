// SPDX-License-Identifier: GPL-2.0
/*
 * The last phase of a run: symbols, output files, then messages. The sources have stopped. The
 * session stays open, since its counters of lost records are part of the output.
 */
#include "run/profile_results.h"

#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "device/device.h"
#include "pprof/gzip_file.h"
#include "pprof/model.h"
#include "pprof/profile.h"
#include "process/mapped_files.h"
#include "report/output_files.h"
#include "report/profile_export.h"
#include "report/profile_model.h"
#include "report/summary.h"
#include "report/thread_dump.h"
#include "run/naming_privileges.h"
#include "run/profile_output.h"
#include "run/profile_push.h"
#include "run/profile_report.h"
#include "run/profile_run.h"
#include "session/heap_probes.h"
#include "session/unwind_tables.h"

/*
 * Keeps the profile as a model for what is shown at the end.
 * Returns: 0, or -1 after it printed the cause.
 */
static int keep_model(struct profile_run *r, uint32_t profile_type, struct profile *p)
{
	int err;

	if (r->settings->quiet && !r->outputs.flame)
		return 0;
	err = profile_model_new(p, &r->models[profile_type]);
	if (!err)
		return 0;
	warnx("cannot print the summary: %s: read the profile with 'pprof-collect top'",
	      strerror(-err));
	return -1;
}

static void push(struct profile_run *r, uint32_t profile_type)
{
	profile_push_add(r->push, &(struct profile_push_file){
		.path = r->outputs.path[profile_type], .profile_type = profile_type,
		.type = profile_output_type(r, profile_type)->name, .time_ns = r->span.time_ns,
	});
}

static int write_profile(struct profile_run *r, uint32_t profile_type,
			 const struct profile_output *output, struct profile *p)
{
	struct gzip_file *gz = r->outputs.gz[profile_type];

	if (r->dump && profile_type == PROFILE_TYPE_THREAD)
		return thread_dump_write(r->dump, r->locations, r->files, output->comments.list,
					 gz);
	return profile_export_put(&output->in, p, gz);
}

/* Returns: 0, or -1 after it printed the cause. */
static int write_output(struct profile_run *r, uint32_t profile_type)
{
	struct profile_output output;
	struct profile *p = NULL;
	int err;

	profile_output_fill(&output, r, profile_type, NULL, 0);
	err = profile_export_build(&output.in, &p);
	if (!err)
		err = write_profile(r, profile_type, &output, p);
	if (err)
		output_files_print_error(r->outputs.path[profile_type], "--output", err);
	else
		err = output_files_commit(&r->outputs, profile_type);
	if (!err) {
		push(r, profile_type);
		err = keep_model(r, profile_type, p);
	}
	profile_free(p);
	return err ? -1 : 0;
}

static int summarize(struct profile_run *r, uint32_t profile_type)
{
	uint32_t source = profile_output_type(r, profile_type)->source;
	struct summary_input in = {
		.profile_type = profile_output_type(r, profile_type),
		.model = r->models[profile_type],
		.nr_functions = r->settings->nr_functions,
		.nr_stacks = tuple_map_nr(aggregator_stacks(r->aggregator, source)),
		.counts = aggregator_counts(r->aggregator, source),
		.lost = r->counters.lost[source],
		.duration_ns = r->span.ns,
		.file = r->outputs.path[profile_type],
	};
	uint32_t worst;

	worst = aggregator_worst_file(r->aggregator, source, &in.nr_worst);
	if (worst != MAPPED_FILES_NONE)
		in.worst = mapped_files_path(r->files, worst);
	return profile_report_print(&in);
}

/* Draws the only profile of the run. An empty one has no graph. */
static int draw(struct profile_run *r, uint32_t profile_type)
{
	struct gzip_file *gz = r->outputs.flame;

	if (!r->models[profile_type]->samples.nr) {
		warnx("%s is not written: there are no samples: profile for a longer time",
		      r->settings->flame);
		return 0;
	}
	r->outputs.flame = NULL;
	return profile_report_draw(gz, r->models[profile_type], r->settings->flame,
				   r->outputs.path[profile_type]);
}

/* Shows a profile that was written, and frees its model. */
static int show(struct profile_run *r, uint32_t profile_type)
{
	struct model *m = r->models[profile_type];
	int err = 0;

	if (m && r->outputs.flame)
		err = draw(r, profile_type);
	if (m && !r->settings->quiet && summarize(r, profile_type))
		err = -1;
	model_free(m);
	r->models[profile_type] = NULL;
	return err;
}

/*
 * A snapshot that failed gets no file: a part of it would mislead. The other sources get one, even
 * if their last samples are missing.
 */
static bool has_output(const struct profile_run *r, uint32_t profile_type)
{
	const unsigned int snapshots = 1U << PPROF_SOURCE_THREAD | 1U << PPROF_SOURCE_CUSTOM;
	uint32_t source = profile_output_type(r, profile_type)->source;

	return r->outputs.gz[profile_type] && !(r->failed & snapshots & (1U << source));
}

/*
 * Sets bit n of *written if PROFILE_TYPE_* n has a file.
 * Returns: 0, or -1 after it printed the cause of each failure.
 */
static int write_outputs(struct profile_run *r, uint32_t *written)
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

static void warn_of_heap(const struct profile_run *r)
{
	const struct aggregator_counts *counts =
		aggregator_counts(r->aggregator, PPROF_SOURCE_HEAP);

	heap_warn_of_execs(r->heap, aggregator_nr_execs(r->aggregator) - !!r->program);
	heap_warn_of_lost_frees(r->heap, r->counters.lost[PPROF_CLASS_FREE]);
	heap_warn_of_empty(r->heap, device_heap_traps(r->dev), counts->consumed - counts->ignored,
			   r->counters.lost[PPROF_SOURCE_HEAP]);
}

/*
 * Prints all messages after all files are written. The reader of standard error may close the
 * pipe, and SIGPIPE would end this process.
 */
static int report(struct profile_run *r, uint32_t written)
{
	int result = 0;

	profile_output_warn(r);
	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++)
		result |= written & (1U << profile_type) ? show(r, profile_type) : 0;
	warn_of_heap(r);
	if (!r->settings->quiet)
		heap_print_cost(r->heap, stderr, device_heap_traps(r->dev));
	return result;
}

/* Prints an error, and goes on: the samples cannot be taken again. */
static void give_up_rights(const struct profile_run *r)
{
	int folders[OUTPUT_FILES_MAX + 1];

	naming_privileges_keep(folders, output_files_open_folders(&r->outputs, folders));
}

static void keep_tables(struct profile_run *r)
{
	struct new_tables tables = unwind_tables_take_new(r->tables);

	new_tables_write(&tables);
	new_tables_fini(&tables);
}

int profile_results(struct profile_run *r)
{
	uint32_t written = 0;
	int unnamed, err;

	give_up_rights(r);
	keep_tables(r);
	if (aggregator_finish(r->aggregator)) {
		warnx("cannot count the samples: out of memory: give a smaller --max-stacks");
		return -1;
	}
	unnamed = locations_name_all(r->locations, stop_is_urgent, &r->stop);
	err = write_outputs(r, &written);
	if (unnamed)
		warnx("some code has no function names: a second signal ended the search: send only "
		      "one");
	return report(r, written) || err || r->failed ? -1 : 0;
}
