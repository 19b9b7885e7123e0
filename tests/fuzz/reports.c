// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/top.c collector/analysis/tree.c collector/analysis/traces.c
// sources: collector/analysis/tags.c collector/analysis/raw.c collector/analysis/comments.c
// sources: collector/analysis/graph.c collector/analysis/graph_head.c collector/analysis/report.c
// sources: collector/analysis/frame_table.c collector/analysis/granularity.c
// sources: collector/analysis/label_groups.c collector/analysis/label_units.c
// sources: collector/analysis/columns.c collector/analysis/path.c collector/analysis/unit.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/value_unit.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c collector/base/utf8.c
// libs: -lz -lisal -lxxhash -lpcre2-8 -lm
/*
 * Input: a byte that chooses settings, and a profile file, whose URL is the list of folders that
 * paths lose. All reports print it, and none may fail. The own values of all nodes have the sum of
 * the samples with a stack.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/comments.h"
#include "analysis/granularity.h"
#include "analysis/graph.h"
#include "analysis/label_units.h"
#include "analysis/raw.h"
#include "analysis/report.h"
#include "analysis/tags.h"
#include "analysis/top.h"
#include "analysis/traces.h"
#include "analysis/tree.h"
#include "pprof/model.h"

#include "decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_graph(const struct report *r)
{
	struct graph_settings all = { 0 };
	struct graph *g = graph_new(r, &all);
	uint64_t listed = 0, sampled = 0;

	check(g && g->nr_listed <= g->nr_nodes && !g->nr_dropped);
	for (size_t i = 0; i < g->nr_listed; i++)
		listed += g->nodes[g->listed[i]].flat;
	for (size_t i = 0; i < r->model->samples.nr; i++)
		if (r->model->samples.items[i].stack)
			sampled += model_values(r->model, i)[r->type];
	check(listed == sampled);
	graph_free(g);
}

static void print_all(FILE *out, const struct report *r, const struct label_units *units,
		      const struct graph_settings *s)
{
	check(!raw_print(out, r->model));
	check(!top_print(out, r, s));
	check(!tree_print(out, r, s, NULL));
	check(!traces_print(out, r, units));
	check(!tags_print(out, r, units));
	comments_print(out, r->model);
}

static void report(struct model *m, uint8_t choice)
{
	struct granularity_settings granularity = {
		.level = choice % (GRANULARITY_ADDRESSES + 1), .omits_inlined = choice & 0x80,
	};
	struct graph_settings s = {
		.is_by_cum = choice & 0x40, .drops_negative = choice & 0x20,
		.max_nodes = choice & 0x10 ? 3 : 0, .node_fraction = 0.1, .edge_fraction = 0.1,
		.is_compact = choice & 1, .trim_path = model_string(m, m->doc_url),
	};
	struct report r = {
		.model = m, .type = choice % m->sample_types.nr, .is_mean = choice & 0x40,
		.unit = UNIT_MINIMUM, .ratio = choice & 8 ? 0x1p40 / 3 : 0,
	};
	struct label_units units;
	FILE *out = fopen("/dev/null", "w");

	check(out && !label_units_init(&units, m));
	r.total = report_total(m, r.type, r.is_mean);
	granularity_apply(m, &granularity);
	check_graph(&r);
	print_all(out, &r, &units, &s);
	label_units_fini(&units);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = size ? decode(data + 1, size - 1) : NULL;

	if (m && m->sample_types.nr)
		report(m, *data);
	model_free(m);
	return 0;
}
