// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/merge.c collector/pprof/merge_entries.c collector/pprof/merge_types.c
// sources: collector/pprof/scale.c collector/pprof/value_unit.c collector/pprof/model.c
// sources: collector/pprof/profile_fault.c collector/base/span_set.c collector/base/string_table.c
// libs: -lm -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "pprof/merge.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/scale.h"

#define ALL_FLAGS	(PROFILE_HAS_FUNCTIONS | PROFILE_HAS_FILENAMES)

static struct profile_fault fault;

static uint32_t string(struct model *m, const char *s)
{
	int64_t index = model_add_string(m, s, strlen(s));

	assert_true(index >= 0);
	return index;
}

static void add_type(struct model *m, const char *type, const char *unit)
{
	struct model_value_type t = { string(m, type), string(m, unit) };

	assert_int_equal(model_add_sample_type(m, &t), 0);
}

/* An empty profile of samples/count and cpu/UNIT, and of period type cpu/UNIT. */
static struct model *new_cpu(const char *unit)
{
	struct model *m = model_new();

	assert_non_null(m);
	add_type(m, "samples", "count");
	add_type(m, "cpu", unit);
	m->period_type = m->sample_types.items[1];
	return m;
}

static uint32_t add_mapping(struct model *m, uint64_t start, uint64_t bytes, const char *file)
{
	struct model_mapping mapping = {
		.start = start, .limit = start + bytes, .file = string(m, file), .flags = ALL_FLAGS,
	};

	return model_add_mapping(m, &mapping);
}

static uint32_t add_location(struct model *m, uint32_t mapping, uint64_t address, const char *name,
			     int64_t line)
{
	struct model_function f = { .name = string(m, name) };
	struct model_location l = { .mapping = mapping, .address = address };
	struct model_line lines = { .line = line, .function = model_add_function(m, &f) };

	return model_add_location(m, &l, &lines, 1);
}

/* Adds a sample of two locations and the values n and 10 * n. */
static void add_sample(struct model *m, uint32_t leaf, uint32_t root, int64_t n)
{
	struct model_sample s = { .stack = model_add_stack(m, (uint32_t[]){ leaf, root }, 2) };

	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ n, 10 * n }), 0);
}

/* main -> f, at an address space layout of its own. */
static struct model *new_small(uint64_t start, int64_t n)
{
	struct model *m = new_cpu("nanoseconds");
	uint32_t lib, app;

	app = add_mapping(m, start, 0x1800, "/bin/app");
	lib = add_mapping(m, 2 * start, 0x5000, "/lib/f.so");
	add_location(m, lib, 2 * start + 0x999, "unused", 1);
	add_location(m, app, start + 0x10, "main", 5);
	add_location(m, lib, 2 * start + 0x20, "f", 6);
	add_sample(m, 2, 1, n);
	return m;
}

/* Merges and frees the models. */
static struct model *merge_all(struct model *const *models, const enum merge_sign *signs, size_t nr)
{
	struct merge *g = merge_new();
	struct model *out = NULL;

	for (size_t i = 0; i < nr; i++) {
		if (merge_add(g, models[i], signs ? signs[i] : MERGE_ADD, &fault))
			fail_msg("%s", fault.text);
		model_free(models[i]);
	}
	assert_int_equal(merge_finish(g, &out, &fault), 0);
	merge_free(g);
	return out;
}

#define MERGE(...)	merge_all((struct model *[]){ __VA_ARGS__ }, NULL,		\
				  sizeof((struct model *[]){ __VA_ARGS__ }) / sizeof(void *))

static void test_layouts_may_differ(void **state)
{
	struct model *a = new_small(0x10000, 3), *b = new_small(0x70000, 4), *m;

	(void)state;
	b->mappings.items[0].limit += 0x700;	/* the same number of pages */
	b->mappings.items[1].flags = PROFILE_HAS_FILENAMES;
	m = MERGE(a, b);
	assert_int_equal(m->samples.nr, 1);
	assert_int_equal(model_values(m, 0)[0], 7);
	assert_int_equal(model_values(m, 0)[1], 70);
	assert_int_equal(m->locations.nr, 2);
	assert_int_equal(m->functions.nr, 2);
	assert_int_equal(m->mappings.nr, 2);
	assert_string_equal(model_string(m, m->mappings.items[0].file), "/bin/app");
	assert_int_equal(m->mappings.items[0].flags, ALL_FLAGS);
	assert_int_equal(m->mappings.items[1].flags, PROFILE_HAS_FILENAMES);
	assert_int_equal(m->locations.items[0].address, 0x20020);
	assert_string_equal(model_string(m, m->functions.items[0].name), "f");
	model_free(m);
}

/* Each change makes another sample. */
static void test_keys(void **state)
{
	struct model *m;

	(void)state;
	for (int change = 0; change < 9; change++) {
		struct model *a = new_small(0x10000, 3), *b = new_small(0x10000, 4);
		struct model_label label = { .key = string(b, "k"), .str = string(b, "v") };

		switch (change) {
		case 1:
			b->locations.items[2].address++;
			break;
		case 2:
			b->locations.items[2].is_folded = true;
			break;
		case 3:
			b->lines.items[1].column = 2;
			break;
		case 4:
			b->functions.items[1].system_name = string(b, "_main");
			break;
		case 5:
			b->mappings.items[1].limit += 0x1000;
			break;
		case 6:
			b->mappings.items[0].offset = 0x1000;
			break;
		case 7:
			b->mappings.items[0].build_id = string(b, "abc");
			break;
		case 8:
			b->samples.items[0].label_set = model_add_label_set(b, &label, 1);
		}
		m = MERGE(a, b);
		assert_int_equal(m->samples.nr, change ? 2 : 1);
		model_free(m);
	}
}

static void test_header(void **state)
{
	struct model *a = new_small(0x1000, 1), *b = new_small(0x1000, 1), *m;

	(void)state;
	b->time_ns = 50;
	a->duration_ns = 7;
	b->duration_ns = 8;
	a->period = 10;
	b->period = 20;
	a->drop_frames = string(a, "d");
	b->keep_frames = string(b, "k");
	b->doc_url = string(b, "u");
	b->default_sample_type = string(b, "samples");
	model_add_comment(a, string(a, "one"));
	model_add_comment(b, string(b, "two"));
	model_add_comment(b, string(b, "one"));
	m = MERGE(a, b);
	assert_int_equal(m->time_ns, 50);
	assert_int_equal(m->duration_ns, 15);
	assert_int_equal(m->period, 20);
	assert_string_equal(model_string(m, m->drop_frames), "d");
	assert_int_equal(m->keep_frames, 0);
	assert_string_equal(model_string(m, m->doc_url), "u");
	assert_int_equal(model_default_sample_type(m), 0);
	assert_int_equal(m->comments.nr, 2);
	assert_string_equal(model_string(m, m->comments.items[1]), "two");
	model_free(m);
}

static void test_units_and_common_types(void **state)
{
	struct model *a = new_cpu("ms"), *b = new_cpu("microseconds"), *m;

	(void)state;
	a->period = 3;
	b->period = 5000;
	add_location(a, MODEL_NONE, 1, "f", 1);
	add_location(b, MODEL_NONE, 1, "f", 1);
	add_sample(a, 0, 0, 2);
	b->sample_types.items[0].type = string(b, "other");
	b->sample_types.items[1].type = string(b, "cpu");
	b->default_sample_type = b->sample_types.items[0].type;
	add_sample(b, 0, 0, 7);
	m = MERGE(a, b);
	assert_int_equal(m->sample_types.nr, 1);
	assert_string_equal(model_string(m, m->sample_types.items[0].unit), "microseconds");
	assert_int_equal(model_values(m, 0)[0], 20070);
	assert_int_equal(m->period, 5000);
	assert_int_equal(model_default_sample_type(m), 0);
	model_free(m);
}

static void test_faults(void **state)
{
	struct model *a = new_cpu("ns"), *b = new_cpu("bytes"), *c = model_new(), *m;
	struct merge *g = merge_new();

	(void)state;
	assert_int_equal(merge_finish(g, &m, &fault), -EBADMSG);
	assert_int_equal(merge_add(g, a, MERGE_ADD, &fault), 0);
	assert_int_equal(merge_add(g, b, MERGE_ADD, &fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "expected period type cpu/ns, found cpu/bytes"));
	c->period_type = (struct model_value_type){ string(c, "cpu"), string(c, "ns") };
	assert_int_equal(merge_add(g, c, MERGE_ADD, &fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "sample types samples/count, cpu/ns, found none"));
	assert_int_equal(scale_normalize(a, b, &fault), -EBADMSG);
	add_location(a, MODEL_NONE, 1, "f", 1);
	add_sample(a, 0, 0, INT64_MAX / 10);
	assert_int_equal(merge_add(g, a, MERGE_ADD, &fault), 0);
	assert_int_equal(merge_add(g, a, MERGE_ADD, &fault), -EBADMSG);
	assert_non_null(strstr(fault.text, "63 bits"));
	model_free(a);
	model_free(b);
	model_free(c);
	merge_free(g);
}

/* A base cancels, and its entries go with it. */
static void test_base(void **state)
{
	struct model *a = new_small(0x1000, 3), *b = new_small(0x9000, 3), *m;
	static const enum merge_sign signs[] = { MERGE_ADD, MERGE_BASE };

	(void)state;
	add_location(a, 0, 0x1050, "g", 1);
	add_sample(a, 3, 1, 5);
	m = merge_all((struct model *[]){ a, b }, signs, 2);
	assert_int_equal(m->samples.nr, 1);
	assert_int_equal(model_values(m, 0)[0], 5);
	assert_int_equal(m->functions.nr, 2);
	assert_int_equal(m->mappings.nr, 1);
	model_free(m);
}

static void test_diff_base(void **state)
{
	struct model *a = new_small(0x1000, 3), *b = new_small(0x9000, 3), *m;
	static const enum merge_sign signs[] = { MERGE_ADD, MERGE_DIFF_BASE };
	const struct model_label *labels;
	uint32_t nr;

	(void)state;
	m = merge_all((struct model *[]){ a, b }, signs, 2);
	assert_int_equal(m->samples.nr, 2);
	assert_int_equal(m->samples.items[0].stack, m->samples.items[1].stack);
	assert_int_equal(m->samples.items[0].label_set, 0);
	assert_int_equal(model_values(m, 1)[1], -30);
	labels = model_labels(m, m->samples.items[1].label_set, &nr);
	assert_int_equal(nr, 1);
	assert_string_equal(model_string(m, labels->key), "pprof::base");
	assert_string_equal(model_string(m, labels->str), "true");
	model_free(m);
}

static void test_normalize_and_scale(void **state)
{
	struct model *a = new_small(0x1000, 3), *b = new_small(0x1000, 7);

	(void)state;
	add_sample(b, 1, 1, -1);
	a->values.items[1] = 0;
	assert_int_equal(scale_normalize(a, b, &fault), 0);
	assert_int_equal(model_values(a, 0)[0], 6);
	assert_int_equal(model_values(a, 0)[1], 0);
	scale_types(a, (double[]){ 0.25, 9 });
	assert_int_equal(model_values(a, 0)[0], 2);	/* 1.5 */
	scale_types(b, (double[]){ 1, 0 });
	assert_int_equal(b->samples.nr, 2);
	scale_types(b, (double[]){ 0.1, 0 });
	assert_int_equal(b->samples.nr, 1);
	model_free(a);
	model_free(b);
}

static int try_to_merge(const struct model *a, const struct model *b)
{
	struct merge *g = merge_new();
	struct model *m = NULL;
	int err = g ? merge_add(g, a, MERGE_ADD, &fault) : -ENOMEM;

	if (!err)
		err = merge_add(g, b, MERGE_DIFF_BASE, &fault);
	if (!err)
		err = merge_finish(g, &m, &fault);
	merge_free(g);
	model_free(m);
	return err;
}

static void test_every_allocation_may_fail(void **state)
{
	struct model *a = new_small(0x1000, 3), *b = new_small(0x9000, 3);
	int err = -ENOMEM;
	long n;

	(void)state;
	for (n = 0; err && n < 1000; n++) {
		allocations_left = n;
		err = try_to_merge(a, b);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 15);
	model_free(a);
	model_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts_may_differ),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_units_and_common_types),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_diff_base),
		cmocka_unit_test(test_normalize_and_scale),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
