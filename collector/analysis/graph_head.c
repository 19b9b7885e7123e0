// SPDX-License-Identifier: GPL-2.0
#include "analysis/graph_head.h"

#include <string.h>

#include "analysis/graph.h"
#include "analysis/report.h"

/* Longer filters are cut. */
#define FILTER_MAX_BYTES	80

static void print_filters(FILE *out, const struct report *r)
{
	if (r->nr_filters)
		fputs("Active filters:\n", out);
	for (size_t i = 0; i < r->nr_filters; i++)
		fprintf(out, "   %.*s%s\n", FILTER_MAX_BYTES, r->filters[i],
			strlen(r->filters[i]) > FILTER_MAX_BYTES ? "…" : "");
}

static void print_shown(FILE *out, const struct graph *g, const struct report *r)
{
	int64_t shown = graph_total(g);
	struct unit_percentage percentage = unit_percentage(shown, r->total);

	fputs("Showing nodes accounting for ", out);
	report_print_value(out, r, shown, 0);
	fprintf(out, ", %s of ", percentage.text + strspn(percentage.text, " "));
	report_print_value(out, r, r->total, 0);
	fputs(" total\n", out);
}

static void print_dropped(FILE *out, const struct graph *g, const struct report *r,
			  const struct graph_settings *s)
{
	fprintf(out, "Dropped %zu node%s (cum <= ", g->nr_dropped, g->nr_dropped > 1 ? "s" : "");
	report_print_value(out, r, graph_limit(r->total, s->node_fraction), 0);
	fputs(")\n", out);
}

void graph_head_print_values(FILE *out, const struct report *r, const struct graph_node *n,
			     int64_t sum)
{
	int64_t flat = graph_flat(n), cum = graph_cum(n);

	report_print_value(out, r, flat, 10);
	fprintf(out, " %s %s ", unit_percentage(flat, r->total).text,
		unit_percentage(sum, r->total).text);
	report_print_value(out, r, cum, 10);
	fprintf(out, " %s", unit_percentage(cum, r->total).text);
}

void graph_head_print(FILE *out, const struct graph *g, const struct report *r,
		      const struct graph_settings *s)
{
	if (!s->is_compact)
		report_print_head(out, r);
	print_filters(out, r);
	print_shown(out, g, r);
	if (!r->total)
		return;
	if (g->nr_dropped)
		print_dropped(out, g, r, s);
	if (g->nr_listed && g->nr_listed < g->nr_above_limit)
		fprintf(out, "Showing top %zu nodes out of %zu\n", g->nr_listed, g->nr_above_limit);
}
