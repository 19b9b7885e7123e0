// SPDX-License-Identifier: GPL-2.0
/*
 * Writes flame graphs for tests/flame/browser.js: pages FOLDER. With a number, it writes one of so
 * many stacks: pages FOLDER NUMBER.
 */
// sources: collector/flame/assets.c collector/flame/categories.c collector/flame/frames.c
// sources: collector/flame/markup.c collector/flame/page.c collector/flame/page_data.c
// sources: collector/flame/svg.c collector/flame/totals.c collector/flame/tree.c
// sources: collector/pprof/model.c collector/base/json.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/pprof/value_unit.c collector/pprof/frame_name.c
// libs: -lxxhash -lz -lm
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flame/page.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "pprof/merge.h"
#include "pprof/model.h"

#define MAX_DEPTH	64
#define NS		10000000	/* of a sample */

static int64_t check(int64_t result)
{
	if (result < 0)
		errx(1, "cannot make a model: %s", strerror(-result));
	return result;
}

static uint32_t add_text(struct model *m, const char *s)
{
	return check(model_add_string(m, s, strlen(s)));
}

static struct model *new_model(void)
{
	struct model *m = model_new();
	struct model_value_type samples, cpu;
	const char *const files[] = { "/usr/bin/prog", "/lib/libc.so.6" };

	if (!m)
		err(1, "cannot make a model");
	samples = (struct model_value_type){ add_text(m, "samples"), add_text(m, "count") };
	cpu = (struct model_value_type){ add_text(m, "cpu"), add_text(m, "nanoseconds") };
	check(model_add_sample_type(m, &samples));
	check(model_add_sample_type(m, &cpu));
	for (int i = 0; i < 2; i++) {
		struct model_mapping mapping = { .file = add_text(m, files[i]) };

		check(model_add_mapping(m, &mapping));
	}
	return m;
}

/* malloc is in libc, and names in brackets are in no file. Equal names are equal functions. */
static uint32_t add_location(struct model *m, const char *name)
{
	struct model_function f = { .name = add_text(m, name), .file = add_text(m, "prog.c") };
	struct model_line line = { .function = check(model_add_function(m, &f)) };
	struct model_location l = { .mapping = 0 };

	if (!strcmp(name, "malloc"))
		l.mapping = 1;
	else if (*name == '[')
		l.mapping = MODEL_NONE;
	return check(model_add_location(m, &l, &line, 1));
}

/* stack: names from the root on, divided by a comma. */
static void add_sample(struct model *m, const char *stack, int64_t count, const char *thread,
		       bool is_base)
{
	struct model_label labels[] = {
		{ .key = add_text(m, "thread"), .str = add_text(m, thread) },
		{ .key = add_text(m, MERGE_BASE_LABEL), .str = add_text(m, "true") },
	};
	int64_t values[] = { count, count * NS };
	uint32_t locations[MAX_DEPTH];
	struct model_sample s;
	char *names = strdup(stack), *rest = names;
	size_t at = MAX_DEPTH;

	for (const char *name; at && (name = strsep(&rest, ","));)
		locations[--at] = add_location(m, name);
	free(names);
	s.stack = check(model_add_stack(m, locations + at, MAX_DEPTH - at));
	s.label_set = check(model_add_label_set(m, labels, is_base ? 2 : 1));
	check(model_add_sample(m, &s, values));
}

static void write_file(struct model *m, const char *folder, const char *name)
{
	struct flame_tree *t = flame_tree_new(m);
	char path[4096];
	FILE *out;
	int failed;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	if (!t || !out)
		err(1, "%s", path);
	failed = strstr(name, ".svg") ? flame_svg_write(out, t, 1, "A <title> & 'more'") :
					flame_page_write(out, t, 1, "A <title> & 'more'");
	if (failed || fclose(out))
		err(1, "%s", path);
	flame_tree_free(t);
}

/* 100 samples, 1 s. */
static void add_plain(struct model *m)
{
	add_sample(m, "main,parse,</script><img src=x onerror=alert(1)>\"'&", 30, "main", false);
	add_sample(m, "main,parse,malloc", 10, "main", false);
	add_sample(m, "main,run,malloc", 20, "worker", false);
	add_sample(m, "main,run,run,compute", 35, "worker", false);
	add_sample(m, "[truncated: bad frame],helper", 3, "main", false);
	add_sample(m, "lostProfileEvent", 2, "main", false);
}

static void write_comparison(const char *folder)
{
	struct model *m = new_model();

	add_sample(m, "main,grown", 30, "main", false);
	add_sample(m, "main,grown", -10, "main", true);
	add_sample(m, "main,shrunk", 5, "main", false);
	add_sample(m, "main,shrunk", -20, "main", true);
	add_sample(m, "main,gone", -10, "main", true);
	add_sample(m, "main,same", 60, "main", false);
	add_sample(m, "main,same", -60, "main", true);
	write_file(m, folder, "comparison.html");
	model_free(m);
}

static uint32_t next_random(uint32_t limit)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % limit;
}

/* Stacks of 20 to 60 functions that divide in a few places. */
static void write_large(const char *folder, long nr_stacks)
{
	struct model *m = new_model();
	uint32_t functions[3000], stack[MAX_DEPTH];

	for (int i = 0; i < 3000; i++) {
		char name[64];

		snprintf(name, sizeof(name), "space%d::function_%d(int, char const*)", i % 40, i);
		functions[i] = add_location(m, name);
	}
	for (long i = 0; i < nr_stacks; i++) {
		uint32_t depth = 20 + next_random(40), hash = 0;
		struct model_sample s = { 0 };

		for (uint32_t level = 0; level < depth; level++) {
			hash = hash * 31 + (next_random(100) < 92 ? 0 : 1 + next_random(3)) + level;
			stack[depth - 1 - level] = functions[(hash * 2654435761U >> 8) % 3000];
		}
		s.stack = check(model_add_stack(m, stack, depth));
		check(model_add_sample(m, &s, (int64_t[]){ 1, NS }));
	}
	write_file(m, folder, "large.html");
	model_free(m);
}

int main(int argc, char **argv)
{
	struct model *m;

	if (argc > 2) {
		write_large(argv[1], atol(argv[2]));
		return 0;
	}
	if (argc != 2)
		errx(2, "usage: pages FOLDER [NUMBER]");
	m = new_model();
	add_plain(m);
	write_file(m, argv[1], "plain.html");
	write_file(m, argv[1], "plain.svg");
	model_free(m);
	write_comparison(argv[1]);
	return 0;
}
