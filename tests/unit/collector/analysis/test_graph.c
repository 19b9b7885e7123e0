// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/graph.c collector/analysis/report.c collector/analysis/frame_table.c
// sources: collector/analysis/path.c collector/analysis/unit.c collector/pprof/model.c
// sources: collector/pprof/value_unit.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c collector/base/utf8.c
// libs: -lxxhash -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/graph.h"
#include "analysis/report.h"
#include "report_model.h"

/* Functions a, b, c ... are locations 0, 1, 2 ... */
#define NR_FUNCTIONS	5

static int setup(void **state)
{
	struct model *m = model_new();

	assert_non_null(m);
	add_type(m, "objects", "count");
	add_type(m, "space", "bytes");
	for (char name[] = "a"; *name < 'a' + NR_FUNCTIONS; ++*name) {
		struct model_line line = add_line(m, name, "", 0);

		line.column = 0;
		add_location(m, 0, MODEL_NONE, &line, 1);
	}
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

/* Adds a sample. The stack is written root first: "abb" is a, which calls b, which calls b. */
static void add(struct model *m, const char *root_first, int64_t objects, int64_t bytes)
{
	size_t nr = strlen(root_first);
	int64_t values[] = { objects, bytes };
	uint32_t stack[16];
	struct model_sample s;

	for (size_t i = 0; i < nr; i++)
		stack[i] = root_first[nr - 1 - i] - 'a';
	s = (struct model_sample){ .stack = model_add_stack(m, stack, nr) };
	assert_int_equal(model_add_sample(m, &s, values), 0);
}

/*
 * The listed nodes as "name=flat/cum ", then the edges as "a>b=weight ", in the order of their
 * first sample.
 */
static const char *describe(const struct model *m, const struct graph_settings *s, bool is_mean)
{
	static char text[1024];
	struct report r = { .model = m, .type = 1, .is_mean = is_mean, .unit = UNIT_MINIMUM };
	struct graph *g = graph_new(&r, s);
	size_t at = 0;

	assert_non_null(g);
	*text = '\0';
	for (size_t i = 0; i < g->nr_listed; i++) {
		const struct graph_node *n = &g->nodes[g->listed[i]];

		at += snprintf(text + at, sizeof(text) - at, "%.*s=%ld/%ld ", (int)n->text_len,
			       n->text, graph_flat(n), graph_cum(n));
	}
	for (size_t i = 0; i < g->nr_edges; i++) {
		const struct graph_edge *e = &g->edges[i];

		at += snprintf(text + at, sizeof(text) - at, "%c>%c=%ld ",
			       *g->nodes[e->caller].text, *g->nodes[e->callee].text, e->weight);
	}
	graph_free(g);
	return text;
}

static void test_a_stack_counts_once_in_a_recursion(void **state)
{
	const struct graph_settings s = { 0 };

	add(*state, "aba", 1, 10);
	add(*state, "abab", 1, 3);
	add(*state, "abb", 1, 1);
	assert_string_equal(describe(*state, &s, false),
			    "a=10/14 b=4/14 a>b=14 b>a=13 ");
}

/* In a mean, a count without a value makes an edge. */
static void test_samples_without_a_value_make_no_edge(void **state)
{
	const struct graph_settings s = { 0 };

	add(*state, "ab", 5, 0);
	add(*state, "c", 0, 1);
	assert_string_equal(describe(*state, &s, false), "c=1/1 ");
	assert_string_equal(describe(*state, &s, true), "c=1/1 a>b=0 ");
}

/* Samples that cancel each other make edges, as in Go's pprof. */
static void test_values_that_cancel_make_no_node(void **state)
{
	const struct graph_settings s = { 0 };

	add(*state, "abc", 1, 5);
	add(*state, "abc", -1, -5);
	add(*state, "a", 1, 2);
	assert_string_equal(describe(*state, &s, false), "a=2/2 a>b=0 b>c=0 ");
}

static void test_nodes_below_the_limit_are_bridged(void **state)
{
	const struct graph_settings s = { .node_fraction = 0.2 };

	add(*state, "abc", 1, 10);
	add(*state, "ac", 1, 50);
	add(*state, "ad", 1, 40);
	add(*state, "cb", 1, 1);
	assert_string_equal(describe(*state, &s, false), "c=60/61 d=40/40 a=0/100 a>c=60 a>d=40 ");
}

static void test_the_largest_nodes_stay(void **state)
{
	const struct graph_settings by_flat = { .max_nodes = 2 };
	const struct graph_settings by_cum = { .max_nodes = 2, .is_by_cum = true };

	add(*state, "abc", 1, 10);
	add(*state, "ad", 1, 7);
	assert_string_equal(describe(*state, &by_flat, false), "c=10/10 d=7/7 ");
	assert_string_equal(describe(*state, &by_cum, false), "a=0/17 b=0/10 a>b=10 ");
}

static void test_small_edges_are_dropped(void **state)
{
	const struct graph_settings s = { .edge_fraction = 0.1 };

	add(*state, "ab", 1, 91);
	add(*state, "ac", 1, 9);
	assert_string_equal(describe(*state, &s, false), "b=91/91 c=9/9 a=0/100 a>b=91 ");
}

static void test_negative_values(void **state)
{
	const struct graph_settings all = { 0 }, positive = { .drops_negative = true };

	add(*state, "ab", 1, -10);
	add(*state, "ac", 1, 4);
	assert_string_equal(describe(*state, &all, false),
			    "b=-10/-10 c=4/4 a=0/-6 a>b=-10 a>c=4 ");
	assert_string_equal(describe(*state, &positive, false), "c=4/4 a>b=-10 a>c=4 ");
}

static void test_means(void **state)
{
	const struct graph_settings s = { 0 };

	add(*state, "ab", 2, 10);
	add(*state, "ac", 4, 100);
	assert_string_equal(describe(*state, &s, true), "c=25/25 b=5/5 a=0/18 a>b=10 a>c=100 ");
}

/* -2^63 / -1 is a trap of the CPU. The sum wraps around, as in Go. */
static void test_values_of_all_sizes(void **state)
{
	const struct graph_settings s = { .node_fraction = 0.5, .edge_fraction = 0.5 };

	add(*state, "ab", -1, INT64_MIN);
	assert_string_equal(describe(*state, &s, true), "");
	add(*state, "ab", 0, INT64_MIN);
	add(*state, "c", 1, INT64_MAX);
	assert_string_equal(describe(*state, &s, true),
			    "c=9223372036854775807/9223372036854775807 a>b=0 ");
}

static const char *unit_of(const struct model *m)
{
	struct report r = { .model = m, .type = 1, .unit = UNIT_MINIMUM };
	struct graph_settings s = { 0 };
	struct graph *g;
	const char *unit;

	r.total = report_total(m, 1, false);
	g = graph_new(&r, &s);
	assert_non_null(g);
	unit = graph_unit(g, &r);
	graph_free(g);
	return unit;
}

static void test_the_unit_shows_the_smallest_value(void **state)
{
	struct model *m = *state;

	assert_string_equal(unit_of(m), UNIT_MINIMUM);
	add(m, "a", 1, 2048);
	assert_string_equal(unit_of(m), "kB");
	add(m, "b", 1, 100);
	assert_string_equal(unit_of(m), "B");
	add(m, "c", 1, 1 << 20);
	assert_string_equal(unit_of(m), "kB");
	m->sample_types.items[1].unit = add_text(m, "widgets");
	assert_string_equal(unit_of(m), "widgets");
}

int main(void)
{
#define TEST(function)	cmocka_unit_test_setup_teardown(function, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_stack_counts_once_in_a_recursion),
		TEST(test_samples_without_a_value_make_no_edge),
		TEST(test_values_that_cancel_make_no_node),
		TEST(test_nodes_below_the_limit_are_bridged),
		TEST(test_the_largest_nodes_stay),
		TEST(test_small_edges_are_dropped),
		TEST(test_negative_values),
		TEST(test_means),
		TEST(test_values_of_all_sizes),
		TEST(test_the_unit_shows_the_smallest_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
