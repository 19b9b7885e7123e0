// SPDX-License-Identifier: GPL-2.0
/*
 * Tables are objects with a column for each member, and a column is an array. Tables refer to
 * each other by index: samples -> stackTable -> frameTable -> funcTable -> stringArray.
 */
#include "formats/firefox_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/string_table.h"
#include "base/tuple_map.h"
#include "formats/call_tree.h"
#include "formats/firefox_threads.h"
#include "formats/named_frames.h"
#include "pprof/frame_name.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/value_unit.h"

/* Versions of the format: of Firefox's own profiles, and of processed ones. */
#define GECKO_VERSION		36
#define PROCESSED_VERSION	70

/* Indices in CATEGORIES. The grey one is the default. */
enum category { OTHER, NATIVE };
#define CATEGORIES	"[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}," \
			"{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]}]"

#define RESOURCE_LIBRARY	1

/* A row of frameTable. */
struct row {
	uint32_t func;		/* in named_frames */
	uint32_t inline_depth;	/* 0 for the outermost function at an address */
	int64_t line;
	int64_t column;
};

struct firefox {
	MODEL_ARRAY(struct row, rows);
	const struct model *m;
	uint32_t type;
	FILE *out;
	/*
	 * The functions. Its strings are those of the whole file. After add_rows() its of_line and
	 * of_location have rows of frameTable.
	 */
	struct named_frames frames;
	struct tuple_map *row_ids;
	struct call_tree tree;
	struct firefox_threads threads;
	uint32_t *sources;		/* strings: the names of source files */
	uint32_t nr_sources;
	uint32_t *source_of;		/* by the model's string: the source + 1, or 0 */
	uint32_t *resources;		/* strings: the names of files of code */
	uint32_t nr_resources;
	uint32_t *resource_of;		/* by string: the resource + 1, or 0 */
	/* A value is multiplied by this. Then its unit is the one the format calls weight_type. */
	double scale;
	const char *weight_type;
	double interval_ms;
};

/* Prints a column: the integer number, or null where it is not known. */
#define NULLABLE_COLUMN(out, name, nr, is_known, number) ({			\
	fprintf(out, "\"%s\":[", name);						\
	for (size_t i = 0; i < (nr); i++) {					\
		fputs(i ? "," : "", out);					\
		if (is_known)							\
			fprintf(out, "%" PRId64, (int64_t)(number));		\
		else								\
			fputs("null", out);					\
	}									\
	fputs("]", out);							\
})

/* Prints a column of nr equal values, with a comma. */
static void put_equal(FILE *out, const char *name, size_t nr, const char *value)
{
	fprintf(out, "\"%s\":[", name);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	fputs("],", out);
}

static void put_string(struct firefox *f, uint32_t string)
{
	json_string_bytes(f->out, strtab_at(f->frames.strings, string),
			  strtab_len(f->frames.strings, string));
}

static void put_model_string(struct firefox *f, uint32_t string)
{
	json_string_bytes(f->out, model_string(f->m, string), strtab_len(f->m->strings, string));
}

/* Tables */

/* Returns: the row of frameTable, or a negative errno. */
static int64_t add_row(struct firefox *f, const struct row *row)
{
	const uint64_t key[] = { row->func, row->inline_depth, row->line, row->column };
	int64_t id = tuple_map_add(f->row_ids, 0, key, 4, 0);

	if (id < 0 || (size_t)id < f->rows.nr)
		return id;
	return ARRAY_APPEND(f->rows, row, 1) ? -ENOMEM : id;
}

static int add_location(struct firefox *f, size_t location)
{
	const struct model_location *l = &f->m->locations.items[location];
	const struct model_line *lines = model_lines(f->m, l);
	int64_t id = 0;

	for (uint32_t i = 0; id >= 0 && i < l->nr_lines; i++) {
		uint32_t *frame = &f->frames.of_line[l->first_line + i];

		id = add_row(f, &(struct row){
			.func = *frame, .inline_depth = l->nr_lines - 1 - i,
			.line = lines[i].line, .column = lines[i].column,
		});
		*frame = id;
	}
	if (!l->nr_lines) {
		id = add_row(f, &(struct row){ .func = f->frames.of_location[location] });
		f->frames.of_location[location] = id;
	}
	return id < 0 ? id : 0;
}

/* Replaces functions by rows of frameTable. */
static int add_rows(struct firefox *f)
{
	int err = 0;

	f->row_ids = tuple_map_new(UINT32_MAX);
	if (!f->row_ids)
		return -ENOMEM;
	for (size_t i = 0; !err && i < f->m->locations.nr; i++)
		err = add_location(f, i);
	return err;
}

static int add_source(struct firefox *f, uint32_t file)
{
	int64_t string;

	if (!file || f->source_of[file])
		return 0;
	string = strtab_intern(f->frames.strings, model_string(f->m, file),
			       strtab_len(f->m->strings, file));
	if (string < 0)
		return string;
	f->sources[f->nr_sources++] = string;
	f->source_of[file] = f->nr_sources;
	return 0;
}

static void add_resource(struct firefox *f, uint32_t module)
{
	if (!module || f->resource_of[module])
		return;
	f->resources[f->nr_resources++] = module;
	f->resource_of[module] = f->nr_resources;
}

static int add_sources(struct firefox *f)
{
	int err = 0;

	f->sources = calloc(f->frames.nr + 1, sizeof(*f->sources));
	f->source_of = calloc(strtab_nr(f->m->strings), sizeof(*f->source_of));
	f->resources = calloc(f->frames.nr + 1, sizeof(*f->resources));
	f->resource_of = calloc(strtab_nr(f->frames.strings), sizeof(*f->resource_of));
	if (!f->sources || !f->source_of || !f->resources || !f->resource_of)
		return -ENOMEM;
	for (size_t i = 0; !err && i < f->frames.nr; i++) {
		add_resource(f, f->frames.items[i].module);
		err = add_source(f, f->frames.items[i].file);
	}
	return err;
}

static void put_stack_table(struct firefox *f)
{
	/* The root is no stack of the format. */
	const struct call_node *n = f->tree.nodes + 1;
	size_t nr = f->tree.nr - 1;

	fputs("\"stackTable\":{", f->out);
	JSON_COLUMN(f->out, "frame", nr, n[i].frame);
	putc(',', f->out);
	JSON_COLUMN(f->out, "prefixOffset", nr, n[i].parent ? i + 1 - n[i].parent : 0);
	fprintf(f->out, ",\"length\":%zu},\n", nr);
}

static enum category category(struct firefox *f, uint32_t func)
{
	const char *name = strtab_at(f->frames.strings, f->frames.items[func].name);

	return frame_name_is_synthetic(name) ? OTHER : NATIVE;
}

static void put_frame_table(struct firefox *f)
{
	const struct row *r = f->rows.items;
	size_t nr = f->rows.nr;

	fputs("\"frameTable\":{", f->out);
	put_equal(f->out, "address", nr, "-1");
	put_equal(f->out, "lib", nr, "-1");
	JSON_COLUMN(f->out, "inlineDepth", nr, r[i].inline_depth);
	putc(',', f->out);
	JSON_COLUMN(f->out, "category", nr, category(f, r[i].func));
	putc(',', f->out);
	put_equal(f->out, "subcategory", nr, "0");
	JSON_COLUMN(f->out, "func", nr, r[i].func);
	putc(',', f->out);
	put_equal(f->out, "nativeSymbol", nr, "null");
	put_equal(f->out, "innerWindowID", nr, "null");
	NULLABLE_COLUMN(f->out, "line", nr, r[i].line, r[i].line);
	putc(',', f->out);
	NULLABLE_COLUMN(f->out, "column", nr, r[i].column, r[i].column);
	putc(',', f->out);
	put_equal(f->out, "originalLocation", nr, "null");
	fprintf(f->out, "\"length\":%zu},\n", nr);
}

static void put_func_table(struct firefox *f)
{
	const struct named_frame *fn = f->frames.items;
	size_t nr = f->frames.nr;

	fputs("\"funcTable\":{", f->out);
	JSON_COLUMN(f->out, "name", nr, fn[i].name);
	putc(',', f->out);
	put_equal(f->out, "isJS", nr, "false");
	put_equal(f->out, "relevantForJS", nr, "false");
	JSON_COLUMN(f->out, "resource", nr, (int64_t)f->resource_of[fn[i].module] - 1);
	putc(',', f->out);
	NULLABLE_COLUMN(f->out, "source", nr, fn[i].file, f->source_of[fn[i].file] - 1);
	putc(',', f->out);
	NULLABLE_COLUMN(f->out, "lineNumber", nr, fn[i].start_line, fn[i].start_line);
	putc(',', f->out);
	put_equal(f->out, "columnNumber", nr, "null");
	put_equal(f->out, "originalLocation", nr, "null");
	fprintf(f->out, "\"length\":%zu},\n", nr);
}

static void put_small_tables(struct firefox *f)
{
	fputs("\"resourceTable\":{", f->out);
	JSON_COLUMN(f->out, "name", f->nr_resources, f->resources[i]);
	putc(',', f->out);
	put_equal(f->out, "host", f->nr_resources, "null");
	JSON_COLUMN(f->out, "type", f->nr_resources, RESOURCE_LIBRARY);
	fprintf(f->out, ",\"length\":%" PRIu32 "},\n"
		"\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
		"\"functionSize\":[],\"length\":0},\n\"sources\":{", f->nr_resources);
	put_equal(f->out, "id", f->nr_sources, "null");
	JSON_COLUMN(f->out, "filename", f->nr_sources, f->sources[i]);
	putc(',', f->out);
	put_equal(f->out, "startLine", f->nr_sources, "1");
	put_equal(f->out, "startColumn", f->nr_sources, "1");
	put_equal(f->out, "sourceMapURL", f->nr_sources, "null");
	put_equal(f->out, "content", f->nr_sources, "null");
	fprintf(f->out, "\"length\":%" PRIu32 "},\n\"sourceLocationTable\":{\"source\":[],"
		"\"line\":[],\"column\":[],\"length\":0},\n", f->nr_sources);
}

static void put_shared(struct firefox *f)
{
	fputs("\"shared\":{\n", f->out);
	put_stack_table(f);
	put_frame_table(f);
	put_func_table(f);
	put_small_tables(f);
	fputs("\"stringArray\":[", f->out);
	for (size_t i = 0; i < strtab_nr(f->frames.strings); i++) {
		fputs(i ? ",\n" : "", f->out);
		put_string(f, i);
	}
	fputs("]},\n", f->out);
}

/* Threads */

static int64_t value(const struct firefox *f, const struct firefox_thread *t, size_t i)
{
	return model_values(f->m, f->threads.samples[t->first_sample + i])[f->type];
}

/* Integers keep all digits. A double has 15 digits that are right. */
static void put_weight(struct firefox *f, int64_t weight)
{
	if (f->scale == 1)
		fprintf(f->out, "%" PRId64, weight);
	else
		fprintf(f->out, "%.15g", weight * f->scale);
}

static void put_stack(struct firefox *f, size_t sample)
{
	uint32_t node = f->tree.node_of_stack[f->m->samples.items[sample].stack];

	if (node)
		fprintf(f->out, "%" PRIu32, node - 1);
	else
		fputs("null", f->out);
}

/* Returns: how many samples are written. Those of value 0 are not. */
static size_t put_stacks(struct firefox *f, const struct firefox_thread *t)
{
	size_t nr = 0;

	fputs("\"stack\":[", f->out);
	for (size_t i = 0; i < t->nr_samples; i++) {
		if (!value(f, t, i))
			continue;
		fputs(nr++ ? "," : "", f->out);
		put_stack(f, f->threads.samples[t->first_sample + i]);
	}
	fputs("],", f->out);
	return nr;
}

/* Each sample begins where the one before ends. A number of samples takes that many intervals. */
static void put_times(struct firefox *f, const struct firefox_thread *t)
{
	bool is_count = !strcmp(f->weight_type, "samples");
	const char *before = "";
	double time = 0;

	fputs("\"time\":[", f->out);
	for (size_t i = 0; i < t->nr_samples; i++) {
		int64_t weight = value(f, t, i);

		if (!weight)
			continue;
		fprintf(f->out, "%s%.15g", before, time);
		before = ",";
		time += fabs((double)weight) * (is_count ? f->interval_ms : f->scale);
	}
	fputs("],", f->out);
}

static void put_weights(struct firefox *f, const struct firefox_thread *t)
{
	const char *before = "";

	fputs("\"weight\":[", f->out);
	for (size_t i = 0; i < t->nr_samples; i++) {
		int64_t weight = value(f, t, i);

		if (!weight)
			continue;
		fputs(before, f->out);
		put_weight(f, weight);
		before = ",";
	}
	fputs("],", f->out);
}

static void put_samples(struct firefox *f, const struct firefox_thread *t)
{
	size_t nr;

	fputs("\"samples\":{", f->out);
	nr = put_stacks(f, t);
	put_times(f, t);
	put_weights(f, t);
	fprintf(f->out, "\"weightType\":\"%s\",\"length\":%zu},\n", f->weight_type, nr);
}

/* The name of the main program, or of the sample type. */
static void put_program_name(struct firefox *f)
{
	uint32_t file = f->m->mappings.nr ? f->m->mappings.items[0].file : 0;

	if (file)
		json_string(f->out, basename(model_string(f->m, file)));
	else
		put_model_string(f, f->m->sample_types.items[f->type].type);
}

static void put_names(struct firefox *f, const struct firefox_thread *t)
{
	fputs("\"name\":", f->out);
	if (t->name || t->comm)
		put_model_string(f, t->name ? t->name : t->comm);
	else
		put_program_name(f);
	fputs(",\"processName\":", f->out);
	if (t->comm)
		put_model_string(f, t->comm);
	else
		put_program_name(f);
	putc(',', f->out);
}

/* Thread ids must differ. A number in quotes differs from all numbers. */
static void put_ids(struct firefox *f, const struct firefox_thread *t, size_t index)
{
	bool is_main = t->tid >= 0 ? t->tid == t->pid : f->threads.nr == 1;

	fprintf(f->out, "\"isMainThread\":%s,\"pid\":\"%" PRId64 "\",\"tid\":",
		is_main ? "true" : "false", t->pid >= 0 ? t->pid : 0);
	if (t->tid >= 0)
		fprintf(f->out, "%" PRId64 ",\n", t->tid);
	else
		fprintf(f->out, "\"%zu\",\n", index);
}

static void put_thread(struct firefox *f, size_t index)
{
	const struct firefox_thread *t = &f->threads.items[index];

	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],", f->out);
	put_names(f, t);
	put_ids(f, t, index);
	put_samples(f, t);
	fputs("\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
	      "\"category\":[],\"length\":0}}", f->out);
}

/* The whole */

static void put_meta(struct firefox *f)
{
	fprintf(f->out, "{\"meta\":{\"interval\":%.15g,\"startTime\":%.15g,\"processType\":0,"
		"\"product\":", f->interval_ms, f->m->time_ns / 1e6);
	put_program_name(f);
	fprintf(f->out, ",\"importedFrom\":\"pprof\",\"stackwalk\":1,\"version\":%d,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"markerSchema\":[],"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,",
		GECKO_VERSION, PROCESSED_VERSION);
	if (!strcmp(f->weight_type, "bytes"))
		fputs("\"sampleUnits\":{\"time\":\"bytes\",\"eventDelay\":\"ms\","
		      "\"threadCPUDelta\":\"ns\"},", f->out);
	fputs("\"categories\":" CATEGORIES "},\n\"libs\":[],\n", f->out);
}

static void find_units(struct firefox *f)
{
	const char *unit = model_string(f->m, f->m->sample_types.items[f->type].unit);
	const char *period_unit = model_string(f->m, f->m->period_type.unit);
	double to_ms = value_unit_ratio(unit, "milliseconds");
	double to_bytes = value_unit_ratio(unit, "bytes");

	f->scale = to_ms ? to_ms : to_bytes ? to_bytes : 1;
	f->weight_type = to_ms ? "tracing-ms" : to_bytes ? "bytes" : "samples";
	f->interval_ms = f->m->period * value_unit_ratio(period_unit, "milliseconds");
	if (!(f->interval_ms > 0))
		f->interval_ms = 1;
}

static int prepare(struct firefox *f)
{
	int err = named_frames_init(&f->frames, f->m);

	if (!err)
		err = add_rows(f);
	if (!err)
		err = add_sources(f);
	if (!err)
		err = call_tree_init(&f->tree, f->m, f->frames.of_line, f->frames.of_location);
	if (!err)
		err = firefox_threads_init(&f->threads, f->m);
	return err;
}

static void put_file(struct firefox *f)
{
	find_units(f);
	put_meta(f);
	put_shared(f);
	fputs("\"threads\":[", f->out);
	for (size_t i = 0; i < f->threads.nr; i++) {
		fputs(i ? ",\n" : "\n", f->out);
		put_thread(f, i);
	}
	fputs("]}\n", f->out);
}

int firefox_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault)
{
	struct firefox f = { .m = m, .type = type, .out = out };
	int err = prepare(&f);

	if (!err)
		put_file(&f);
	named_frames_fini(&f.frames);
	free(f.rows.items);
	tuple_map_free(f.row_ids);
	call_tree_fini(&f.tree);
	firefox_threads_fini(&f.threads);
	free(f.sources);
	free(f.source_of);
	free(f.resources);
	free(f.resource_of);
	return err ? profile_fault_errno(fault, err) : 0;
}
