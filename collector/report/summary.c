// SPDX-License-Identifier: GPL-2.0
#include "report/summary.h"

#include <inttypes.h>
#include <string.h>

#include "aggregate/profile_types.h"
#include "analysis/granularity.h"
#include "analysis/graph.h"
#include "analysis/report.h"
#include "analysis/top.h"
#include "base/utf8.h"
#include "device/end_reason.h"
#include "pprof/model.h"

static double percent(double part, double whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static uint64_t nr_truncated(const struct aggregator_counts *counts)
{
	uint64_t nr = 0;

	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		nr += counts->truncated[end];
	return nr;
}

/* Prints the percentage, too: one truncated stack among thousands is no problem. */
static void print_truncated(FILE *out, const struct aggregator_counts *counts)
{
	uint64_t all = nr_truncated(counts);

	fprintf(out, ", %" PRIu64 " truncated", all);
	if (all)
		fprintf(out, " (%.1f%%)", percent(all, counts->consumed - counts->ignored));
}

static void print_totals(FILE *out, const struct summary_input *in)
{
	const struct aggregator_counts *counts = in->counts;

	fprintf(out, "%s: %" PRIu64 " %s in %.1f s, %" PRIu64 " lost", in->profile_type->name,
		counts->consumed - counts->ignored + in->lost, in->profile_type->unit,
		in->duration_ns / 1e9, in->lost);
	if (counts->over_max)
		fprintf(out, ", %" PRIu64 " over --max-stacks", counts->over_max);
	print_truncated(out, counts);
	fprintf(out, ", %zu distinct stacks\n", in->nr_stacks);
	for (uint32_t end = 0; end < PPROF_NR_END_REASONS; end++)
		if (counts->truncated[end])
			fprintf(out, "%10" PRIu64 " %s\n", counts->truncated[end],
				end_reason_root(end));
	if (in->worst) {
		fprintf(out, "%10" PRIu64 " of them in ", in->nr_worst);
		utf8_print(out, in->worst);
		fputc('\n', out);
	}
	if (counts->guessed)
		fprintf(out, "%10" PRIu64 " with a caller guessed by frame pointers\n",
			counts->guessed);
}

/* The comments are left out: the totals have their numbers. */
static int print_top(FILE *out, const struct summary_input *in)
{
	const struct profile_type *t = in->profile_type;
	int type = t->nr_values ? (int)t->shown_value : model_default_sample_type(in->model);
	struct graph_settings settings = GRAPH_TOP_SETTINGS;
	struct report report = { .model = in->model, .type = type, .unit = UNIT_MINIMUM };

	settings.is_by_cum = t->by_cumulative;
	settings.max_nodes = in->nr_functions;
	in->model->comments.nr = 0;
	granularity_apply(in->model, &(struct granularity_settings){ 0 });
	report.total = report_total(in->model, type, false);
	return top_print(out, &report, &settings);
}

int summary_print(FILE *out, const struct summary_input *in)
{
	int err = 0;

	print_totals(out, in);
	if (in->model->samples.nr)
		err = print_top(out, in);
	if (err)
		fputs("pprof-collect: cannot print the functions: out of memory: read the profile "
		      "with 'pprof-collect top'\n", out);
	if (strcmp(in->file, "-"))
		fprintf(out, "go tool pprof -http=: %s\n", in->file);
	return err;
}
