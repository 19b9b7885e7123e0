// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/frame_name.c
// sources: collector/flame/frames.c collector/flame/tree.c collector/flame/categories.c
// sources: collector/flame/totals.c collector/pprof/model.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// libs: -lxxhash
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/string_table.h"
#include "flame/categories.h"
#include "flame/totals.h"
#include "flame/tree.h"
#include "pprof/merge.h"
#include "flame_model.h"

static int setup(void **state)
{
	struct model *m = model_new();

	assert_non_null(m);
	add_types(m);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static const char *frame_name(const struct flame_tree *t, uint32_t frame)
{
	return strtab_at(t->frames.strings, t->frames.items[frame].name);
}

/* Writes the nodes in preorder: name by depth, "~" if it is inlined, and the total. */
static const char *drawn(const struct flame_tree *t)
{
	static char text[4096];
	uint64_t *totals = flame_tree_totals(t, 0);
	size_t at = 0;

	assert_non_null(totals);
	for (size_t i = 0; i < t->nr_nodes; i++)
		at += snprintf(text + at, sizeof(text) - at, "%u%s%s=%u ", t->nodes[i].depth,
			       t->nodes[i].is_inlined ? "~" : ":",
			       frame_name(t, t->nodes[i].frame), (unsigned int)totals[i]);
	free(totals);
	return text;
}

static void test_joins_equal_beginnings(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", "/bin/p"), b = add_location(m, "b", "/bin/p");
	uint32_t other_a = add_location(m, "a", "/bin/p"), c = add_location(m, "c", "/bin/p");
	struct flame_tree *t;

	add_sample(m, (uint32_t[]){ b, a }, 2, 1, NULL, NULL);
	add_sample(m, (uint32_t[]){ c, other_a }, 2, 2, NULL, NULL);
	add_sample(m, (uint32_t[]){ a }, 1, 4, NULL, NULL);
	t = flame_tree_new(m);
	assert_non_null(t);
	assert_string_equal(drawn(t), "0:all=7 1:a=7 2:c=2 2:b=1 ");
	flame_tree_free(t);
}

#define NR_STACKS	300
#define MAX_DEPTH	6

/* The functions of a node and its ancestors, the leaf first. */
static const char *path(const struct flame_tree *t, uint32_t node)
{
	static char text[64];
	size_t at = 0;

	for (text[0] = '\0'; node; node = t->nodes[node].parent)
		at += snprintf(text + at, sizeof(text) - at, "%s",
			       frame_name(t, t->nodes[node].frame));
	return text;
}

/* No two children of a node are the same function, and parents come first. */
static void assert_tree(const struct flame_tree *t)
{
	for (uint32_t i = 1; i < t->nr_nodes; i++) {
		assert_true(t->nodes[i].parent < i);
		assert_int_equal(t->nodes[i].depth, t->nodes[t->nodes[i].parent].depth + 1);
		for (uint32_t k = 1; k < i; k++)
			assert_false(t->nodes[k].parent == t->nodes[i].parent &&
				     t->nodes[k].frame == t->nodes[i].frame);
	}
}

/* The label of a sample names its functions. */
static void test_any_stacks(void **state)
{
	static const char *const names[] = { "a", "b", "a<-b", "b<-a", "c" };
	uint32_t locations[5], stack[MAX_DEPTH], seed = 1;
	struct model *m = *state;
	struct flame_tree *t;

	for (int i = 0; i < 5; i++)
		locations[i] = add_location(m, names[i], "/bin/p");
	for (int i = 0; i < NR_STACKS; i++) {
		char text[64] = "";
		size_t nr = (seed = seed * 1664525 + 1013904223) >> 16 & 3, at = 0;

		nr += i % 4;
		for (size_t k = 0; k < nr; k++) {
			int one = ((seed = seed * 1664525 + 1013904223) >> 24) % 5;

			stack[k] = locations[one];
			at += sprintf(text + at, "%c%s", names[one][0],
				      names[one][1] ? names[one] + 3 : "");
		}
		add_sample(m, stack, nr, 1, "path", text);
	}
	t = flame_tree_new(m);
	assert_tree(t);
	for (size_t i = 0; i < t->nr_samples; i++) {
		uint32_t nr;
		const struct model_label *label = model_labels(m, t->samples[i].label_set, &nr);

		assert_string_equal(path(t, t->samples[i].node), model_string(m, label->str));
	}
	flame_tree_free(t);
}

static void test_inlined_functions_are_frames(void **state)
{
	struct model *m = *state;
	uint32_t both = add_location(m, "leaf<-caller", "/bin/p");
	uint32_t caller = add_location(m, "caller", "/bin/p");
	uint32_t leaf = add_location(m, "leaf", "/bin/p");
	struct flame_tree *t;

	add_sample(m, &both, 1, 1, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=1 1:caller=1 2~leaf=1 ");
	flame_tree_free(t);
	/* A call that was not inlined has the same node. */
	add_sample(m, (uint32_t[]){ leaf, caller }, 2, 1, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=2 1:caller=2 2:leaf=2 ");
	flame_tree_free(t);
}

static void test_same_name_in_two_modules(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "init", "/lib/a.so"), b = add_location(m, "init", "/lib/b.so");
	struct flame_tree *t;

	add_sample(m, &a, 1, 1, NULL, NULL);
	add_sample(m, &b, 1, 2, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=3 1:init=2 1:init=1 ");
	flame_tree_free(t);
}

static void test_names_of_unknown_functions(void **state)
{
	struct model *m = *state;
	struct model_mapping mapping = { .file = add_text(m, "/lib/libc.so.6") };
	struct model_location l = { .mapping = model_add_mapping(m, &mapping), .address = 5 };
	uint32_t in_libc = model_add_location(m, &l, NULL, 0);
	struct model_location nowhere = { .mapping = MODEL_NONE, .address = 6 };
	uint32_t unknown = model_add_location(m, &nowhere, NULL, 0);
	struct flame_tree *t;

	add_sample(m, (uint32_t[]){ in_libc, unknown }, 2, 1, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=1 1:<unknown>=1 2:[libc.so.6]=1 ");
	flame_tree_free(t);
}

static void test_names_are_printable(void **state)
{
	struct model *m = *state;
	struct model_function f = { .name = model_add_string(m, "a\0\x1b\xff" "b", 5) };
	struct model_line line = { .function = model_add_function(m, &f) };
	struct model_location l = { .mapping = MODEL_NONE };
	uint32_t location = model_add_location(m, &l, &line, 1);
	struct flame_tree *t;

	add_sample(m, &location, 1, 1, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=1 1:a\\x00\\x1b\\xffb=1 ");
	flame_tree_free(t);
}

static void test_synthetic_frames(void **state)
{
	struct model *m = *state;
	uint32_t truncated = add_location(m, "[truncated: bad frame]", NULL);
	uint32_t lost = add_location(m, "lostProfileEvent", NULL), f = add_location(m, "f", NULL);
	struct flame_tree *t;

	add_sample(m, (uint32_t[]){ f, truncated }, 2, 1, NULL, NULL);
	add_sample(m, &lost, 1, 1, NULL, NULL);
	t = flame_tree_new(m);
	for (size_t i = 1; i < t->frames.nr; i++)
		assert_int_equal(t->frames.items[i].is_synthetic,
				 strcmp(frame_name(t, i), "f") != 0);
	flame_tree_free(t);
}

static void test_samples_by_label_set(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "a", NULL);
	struct flame_tree *t;

	add_sample(m, &a, 1, 1, "thread", "x");
	add_sample(m, &a, 1, 2, MERGE_BASE_LABEL, "true");
	add_sample(m, &a, 1, 4, "thread", "x");
	t = flame_tree_new(m);
	assert_int_equal(t->nr_samples, 2);
	assert_int_equal(t->values[0], 5);
	assert_int_equal(t->values[1], 5000);
	assert_int_equal(t->values[2], 2);
	assert_false(flame_tree_is_base(t, 0));
	assert_true(flame_tree_is_base(t, 1));
	flame_tree_free(t);
}

static void test_empty_stacks_and_profiles(void **state)
{
	struct model *m = *state;
	struct flame_tree *t = flame_tree_new(m);

	assert_string_equal(drawn(t), "0:all=0 ");
	assert_int_equal(flame_categories_assign(t, 0), 0);
	flame_tree_free(t);
	add_sample(m, NULL, 0, 3, NULL, NULL);
	t = flame_tree_new(m);
	assert_string_equal(drawn(t), "0:all=3 ");
	flame_tree_free(t);
}

static void test_recursion_counts_once(void **state)
{
	struct model *m = *state;
	uint32_t f = add_location(m, "f", NULL), g = add_location(m, "g", NULL);
	struct flame_total *totals;
	struct flame_tree *t;
	size_t nr;

	add_sample(m, (uint32_t[]){ f, g, f }, 3, 5, NULL, NULL);
	add_sample(m, (uint32_t[]){ f, g }, 2, 1, NULL, NULL);
	t = flame_tree_new(m);
	totals = flame_totals_new(t, 0, &nr);
	assert_int_equal(nr, 2);
	assert_string_equal(frame_name(t, totals[0].frame), "f");
	assert_int_equal(totals[0].self, 6);
	assert_int_equal(totals[0].total, 6);
	assert_int_equal(totals[1].self, 0);
	assert_int_equal(totals[1].total, 6);
	free(totals);
	flame_tree_free(t);
}

static void assert_package(const char *function, const char *expected)
{
	size_t len;
	const char *package = flame_categories_package(function, &len);

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(package, expected, len);
}

static void test_packages(void **state)
{
	(void)state;
	assert_package("net/http.(*conn).serve", "net/http");
	assert_package("github.com/a/b.c.d/e.F", "github.com/a/b.c.d/e");
	assert_package("main.main", "main");
	assert_package("clang::Parser::Parse(llvm::X<a::b>)", "clang");
	assert_package("void std::sort<x::y>(int)", "std");
	assert_package("java/util/HashMap.get", "java/util/HashMap");
	assert_package("main", "");
	assert_package("f(a.b)", "");
	assert_package("(anonymous namespace)::f", "");
	assert_package("", "");
}

static void test_categories_are_modules(void **state)
{
	struct model *m = *state;
	uint32_t a = add_location(m, "n::f", "/lib/a.so"), b = add_location(m, "n::f", "/lib/b.so");
	struct flame_tree *t;

	add_sample(m, &a, 1, 2, NULL, NULL);
	add_sample(m, &b, 1, 3, NULL, NULL);
	t = flame_tree_new(m);
	assert_int_equal(flame_categories_assign(t, 0), 0);
	assert_int_equal(t->nr_categories, 2);
	assert_string_equal(strtab_at(t->frames.strings, t->categories[0]), "b.so");
	assert_string_equal(strtab_at(t->frames.strings, t->categories[1]), "a.so");
	flame_tree_free(t);
}

static void test_a_large_module_is_divided(void **state)
{
	struct model *m = *state;
	uint32_t f = add_location(m, "n::f", "/bin/p"), g = add_location(m, "g", "/bin/p");
	uint32_t k = add_location(m, "k::k", "/lib/c.so");
	struct flame_tree *t;

	add_sample(m, &f, 1, 60, NULL, NULL);
	add_sample(m, &g, 1, 39, NULL, NULL);
	add_sample(m, &k, 1, 1, NULL, NULL);
	t = flame_tree_new(m);
	assert_int_equal(flame_categories_assign(t, 1), 0);
	assert_int_equal(t->nr_categories, 3);
	assert_string_equal(strtab_at(t->frames.strings, t->categories[0]), "n");
	assert_string_equal(strtab_at(t->frames.strings, t->categories[1]), "p");
	assert_string_equal(strtab_at(t->frames.strings, t->categories[2]), "c.so");
	flame_tree_free(t);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_joins_equal_beginnings),
		TEST(test_any_stacks),
		TEST(test_inlined_functions_are_frames),
		TEST(test_same_name_in_two_modules),
		TEST(test_names_of_unknown_functions),
		TEST(test_names_are_printable),
		TEST(test_synthetic_frames),
		TEST(test_samples_by_label_set),
		TEST(test_empty_stacks_and_profiles),
		TEST(test_recursion_counts_once),
		TEST(test_packages),
		TEST(test_categories_are_modules),
		TEST(test_a_large_module_is_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
