// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/frame_name.c
// sources: collector/flame/frames.c collector/flame/tree.c collector/flame/categories.c
// sources: collector/flame/totals.c collector/pprof/model.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/flame/assets.c collector/flame/markup.c collector/flame/page.c
// sources: collector/flame/page_data.c collector/flame/svg.c collector/base/json.c
// sources: collector/pprof/value_unit.c
// libs: -lxxhash -lz -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "flame/assets.h"
#include "flame/markup.h"
#include "flame/page.h"
#include "flame/page_data.h"
#include "flame/svg.h"
#include "flame/tree.h"
#include "pprof/merge.h"
#include "flame_model.h"

#define EVIL	"</script><b>\"x'&"

struct output {
	char *text;
	size_t len;
	FILE *out;
};

static void open_output(struct output *o)
{
	*o = (struct output){ 0 };
	o->out = open_memstream(&o->text, &o->len);
	assert_non_null(o->out);
}

static const char *written(struct output *o)
{
	assert_int_equal(fflush(o->out), 0);
	return o->text;
}

static void close_output(struct output *o)
{
	fclose(o->out);
	free(o->text);
}

static int setup(void **state)
{
	struct model *m = model_new();
	uint32_t a, b;

	assert_non_null(m);
	add_types(m);
	a = add_location(m, EVIL, "/bin/<p>");
	b = add_location(m, "in<-b", "/bin/<p>");
	add_sample(m, (uint32_t[]){ b, a }, 2, 2, "thread", "x\"y");
	add_sample(m, (uint32_t[]){ a }, 1, 1, NULL, NULL);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void test_text(void **state)
{
	struct output o;

	(void)state;
	open_output(&o);
	markup_text(o.out, EVIL);
	assert_string_equal(written(&o), "&lt;/script&gt;&lt;b&gt;&quot;x&#39;&amp;");
	close_output(&o);
}

static void assert_cut(const char *s, size_t max, const char *expected)
{
	struct output o;

	open_output(&o);
	markup_text_cut(o.out, s, max);
	assert_string_equal(written(&o), expected);
	close_output(&o);
}

static void test_cut(void **state)
{
	(void)state;
	assert_cut("abc", 3, "abc");
	assert_cut("abcd", 3, "ab…");
	assert_cut("äöü", 3, "äöü");
	assert_cut("äöüx", 3, "äö…");
	assert_cut("<<<<", 2, "&lt;…");
	assert_cut("", 3, "");
}

static void assert_value(double value, const char *type, const char *unit, const char *expected)
{
	struct output o;

	open_output(&o);
	markup_value(o.out, value, type, unit);
	assert_string_equal(written(&o), expected);
	close_output(&o);
}

static void test_values(void **state)
{
	(void)state;
	assert_value(1234567890, "cpu", "nanoseconds", "1.23 s");
	assert_value(-1500000, "cpu", "nanoseconds", "-1.50 ms");
	assert_value(0, "cpu", "nanoseconds", "0 ns");
	assert_value(2, "cpu", "milliseconds", "2.00 ms");
	assert_value(2, "cpu", "us", "2.00 µs");
	assert_value(1536, "space", "bytes", "1.50 KiB");
	assert_value(1234567, "samples", "count", "1,234,567 samples");
	assert_value(999, "x", "a<b", "999 a&lt;b");
}

static void test_data(void **state)
{
	struct flame_tree *t = flame_tree_new(*state);
	struct output o;
	const char *s;

	open_output(&o);
	assert_int_equal(flame_page_data_json(o.out, t, 1), 0);
	s = written(&o);
	assert_non_null(strstr(s, "\"types\":[[\"samples\",\"count\",0,0],"
				  "[\"cpu\",\"nanoseconds\",1,0]],"));
	assert_non_null(strstr(s, "\"type\":1,"));
	/* all, a, b, and the inlined function. */
	assert_non_null(strstr(s, "\"nodes\":{\"up\":[0,0,0,0],\"frame\":[0,2,6,5]}"));
	assert_non_null(strstr(s, "\"samples\":{\"node\":[1,2],\"labels\":[0,1],"
				  "\"values\":{\"0\":[1,2],\"1\":[1000,2000]}}"));
	assert_non_null(strstr(s, "\"labels\":[[],[\"thread\",\"x\\\"y\"]],\n\"base\":[0,0]"));
	close_output(&o);
	flame_tree_free(t);
}

static uint32_t digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? at - digits : 0;
}

/* Returns: the JSON of a page's data, which the caller frees. */
static char *unpack(const char *text, size_t len)
{
	unsigned char *packed = malloc(len);
	uLongf size = 4 << 20;
	char *json = calloc(1, size);
	size_t nr = 0, nr_bytes = 0;
	uint32_t bits = 0;

	for (size_t i = 0; i < len && text[i] != '='; i++) {
		if (text[i] == '\n')
			continue;
		bits = bits << 6 | digit(text[i]);
		if (nr++ % 4)
			packed[nr_bytes++] = bits >> (6 - 2 * ((nr - 1) % 4));
	}
	assert_int_equal(uncompress((Bytef *)json, &size, packed, nr_bytes), Z_OK);
	free(packed);
	return json;
}

/* So much that it is packed in several parts. */
static void test_packed_data(void **state)
{
	struct model *m = *state;
	struct output json, packed;
	uint32_t a = add_location(m, "a", NULL), seed = 1;
	struct flame_tree *t;
	char *unpacked, text[16];

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525 + 1013904223;
		snprintf(text, sizeof(text), "%d", i);
		add_sample(m, &a, 1, seed, "id", text);
	}
	t = flame_tree_new(m);
	open_output(&json);
	open_output(&packed);
	assert_int_equal(flame_page_data_json(json.out, t, 1), 0);
	assert_int_equal(flame_page_data_write(packed.out, t, 1), 0);
	written(&json);
	written(&packed);
	assert_true(packed.len > 100000);
	unpacked = unpack(packed.text, packed.len);
	assert_string_equal(unpacked, json.text);
	free(unpacked);
	close_output(&json);
	close_output(&packed);
	flame_tree_free(t);
}

static void test_numeric_labels(void **state)
{
	struct model *m = *state;
	struct model_label labels[] = {
		{ .key = add_text(m, "n"), .num = -5, .is_number = 1 },
		{ .key = add_text(m, "size"), .num = 64, .unit = add_text(m, "bytes"),
		  .is_number = 1 },
	};
	struct model_sample s = { .label_set = model_add_label_set(m, labels, 2) };
	struct flame_tree *t;
	struct output o;

	assert_int_equal(model_add_sample(m, &s, (int64_t[]){ 1, 1 }), 0);
	t = flame_tree_new(m);
	open_output(&o);
	assert_int_equal(flame_page_data_json(o.out, t, 1), 0);
	assert_non_null(strstr(written(&o), "[\"n\",\"-5\",\"size\",\"64 bytes\"]"));
	close_output(&o);
	flame_tree_free(t);
}

static size_t count(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

static void test_page(void **state)
{
	struct flame_tree *t = flame_tree_new(*state);
	struct output o;
	const char *s;

	open_output(&o);
	assert_int_equal(flame_page_write(o.out, t, 1, EVIL), 0);
	s = written(&o);
	/* The title and the table are text. */
	assert_int_equal(count(s, "</script>"), 2);
	assert_int_equal(count(s, "<b>"), 0);
	assert_int_equal(count(s, "<title>&lt;/script&gt;&lt;b&gt;&quot;x&#39;&amp;</title>"), 1);
	assert_non_null(strstr(s, "<tr><td>2.00 µs<td>66.67 %<td>2.00 µs<td>66.67 %<td>in<td>"
				  "&lt;p&gt;"));
	/* All words of the template were replaced, and the script is whole. */
	assert_int_equal(count(s, "@{"), 0);
	assert_non_null(strstr(s, assets_script));
	/* Nothing comes from the network. */
	assert_int_equal(count(s, "http://"), count(s, "\"http://www.w3.org/2000/svg\""));
	assert_int_equal(count(s, "https://"), 0);
	close_output(&o);
	flame_tree_free(t);
}

static void test_equal_input_gives_equal_bytes(void **state)
{
	struct output o[2];

	for (int i = 0; i < 2; i++) {
		struct flame_tree *t = flame_tree_new(*state);

		open_output(&o[i]);
		assert_int_equal(flame_page_write(o[i].out, t, 1, "x"), 0);
		written(&o[i]);
		flame_tree_free(t);
	}
	assert_string_equal(o[0].text, o[1].text);
	close_output(&o[0]);
	close_output(&o[1]);
}

static void test_svg(void **state)
{
	struct flame_tree *t = flame_tree_new(*state);
	struct output o;
	const char *s;

	open_output(&o);
	assert_int_equal(flame_svg_write(o.out, t, 1, EVIL), 0);
	s = written(&o);
	assert_int_equal(count(s, "<rect"), 5);		/* paper and four frames */
	assert_int_equal(count(s, "<b>") + count(s, "<script"), 0);
	assert_non_null(strstr(s, "<title>in (inlined): 2.00 µs, 66.67 %</title>"
				  "<rect class=\"c0\" x=\"0.0\" y=\"96\" width=\"799.5\""));
	assert_null(strstr(s, "left out"));
	close_output(&o);
	flame_tree_free(t);
}

static void test_svg_of_a_comparison(void **state)
{
	struct model *m = *state;
	uint32_t gone = add_location(m, "gone", "/bin/p");
	struct flame_tree *t;
	struct output o;
	const char *s;

	add_sample(m, &gone, 1, -2, MERGE_BASE_LABEL, "true");
	t = flame_tree_new(m);
	open_output(&o);
	assert_int_equal(flame_svg_write(o.out, t, 0, "x"), 0);
	s = written(&o);
	assert_non_null(strstr(s, "<title>gone: −2 samples, -100.00 %</title>"
				  "<rect class=\"less4\""));
	assert_non_null(strstr(s, "<title>all: +1 samples, +50.00 %</title>"));
	assert_non_null(strstr(s, "(inlined): +2 samples, +100.00 %</title>"
				  "<rect class=\"more4\""));
	close_output(&o);
	flame_tree_free(t);
}

static void test_narrow_frames_are_counted(void **state)
{
	struct model *m = *state;
	uint32_t wide = add_location(m, "wide", NULL);
	struct flame_tree *t;
	struct output o;

	add_sample(m, &wide, 1, 10000, NULL, NULL);
	t = flame_tree_new(m);
	open_output(&o);
	assert_int_equal(flame_svg_write(o.out, t, 0, "x"), 0);
	assert_non_null(strstr(written(&o), "3 frames under one pixel are left out."));
	close_output(&o);
	flame_tree_free(t);
}

static void test_empty_profile(void **state)
{
	struct model *m = model_new();
	struct flame_tree *t;
	struct output o;

	(void)state;
	add_types(m);
	t = flame_tree_new(m);
	open_output(&o);
	assert_int_equal(flame_page_write(o.out, t, 0, "x"), 0);
	assert_int_equal(flame_svg_write(o.out, t, 0, "x"), 0);
	close_output(&o);
	flame_tree_free(t);
	model_free(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_values),
		TEST(test_data),
		TEST(test_numeric_labels),
		TEST(test_packed_data),
		TEST(test_page),
		TEST(test_equal_input_gives_equal_bytes),
		TEST(test_svg),
		TEST(test_svg_of_a_comparison),
		TEST(test_narrow_frames_are_counted),
		cmocka_unit_test(test_empty_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
