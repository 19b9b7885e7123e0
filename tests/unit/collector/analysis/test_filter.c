// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/re2_syntax.c collector/analysis/regex.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// libs: -lpcre2-8 -lxxhash -lm -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/filter.h"
#include "collector/flame/flame_model.h"
#include "fail_alloc.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define MAX_LOCATIONS	16
#define BIT(kind)	(1U << (kind))

/*
 * Stacks as text: samples are divided by "|", and locations by " ", the root first. A location is
 * its functions, innermost first, divided by "<-", and maybe "@" and the file of its mapping. "_"
 * is a blank in a name.
 */
struct stacks {
	struct model *model;
	char *texts[MAX_LOCATIONS];	/* of the locations so far */
	uint32_t ids[MAX_LOCATIONS];
	size_t nr;
};

static uint32_t location_of(struct stacks *s, const char *text)
{
	char *file, *names;

	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->texts[i], text))
			return s->ids[i];
	assert_true(s->nr < MAX_LOCATIONS);
	s->texts[s->nr] = strdup(text);
	names = strdup(text);
	for (char *blank = names; (blank = strchr(blank, '_'));)
		*blank = ' ';
	file = strchr(names, '@');
	if (file)
		*file++ = '\0';
	s->ids[s->nr] = add_location(s->model, names, file);
	free(names);
	return s->ids[s->nr++];
}

static void add_stack(struct stacks *s, char *text)
{
	uint32_t root_first[MAX_LOCATIONS], leaf_first[MAX_LOCATIONS];
	size_t nr = 0;
	char *state;

	for (char *at = strtok_r(text, " ", &state); at; at = strtok_r(NULL, " ", &state))
		root_first[nr++] = location_of(s, at);
	for (size_t i = 0; i < nr; i++)
		leaf_first[i] = root_first[nr - 1 - i];
	add_sample(s->model, leaf_first, nr, 1, NULL, NULL);
}

static struct model *make(const char *text)
{
	struct stacks s = { .model = model_new() };
	char *copy = strdup(text), *state;

	assert_non_null(s.model);
	add_types(s.model);
	for (char *at = strtok_r(copy, "|", &state); at; at = strtok_r(NULL, "|", &state))
		add_stack(&s, at);
	for (size_t i = 0; i < s.nr; i++)
		free(s.texts[i]);
	free(copy);
	return s.model;
}

static void print_location(FILE *out, const struct model *m, const struct model_location *l)
{
	const struct model_line *lines = model_lines(m, l);

	for (uint32_t i = 0; i < l->nr_lines; i++)
		fprintf(out, "%s%s", i ? "<-" : "",
			model_string(m, m->functions.items[lines[i].function].name));
	if (l->mapping != MODEL_NONE)
		fprintf(out, "@%s", model_string(m, m->mappings.items[l->mapping].file));
}

/* Returns the stacks as text, which the caller frees. */
static char *print(const struct model *m)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < m->samples.nr; i++) {
		uint32_t nr;
		const uint32_t *stack = model_stack(m, m->samples.items[i].stack, &nr);

		fputs(i ? "|" : "", out);
		for (uint32_t j = nr; j--;) {
			print_location(out, m, &m->locations.items[stack[j]]);
			fputs(j ? " " : "", out);
		}
	}
	fclose(out);
	return text;
}

static struct filter_result apply(struct model *m, const struct filter_settings *settings)
{
	struct profile_fault fault = {};
	struct filter_result result;
	struct filter *filter;

	if (filter_new(&filter, settings, &fault) || filter_apply(filter, m, &result, &fault))
		fail_msg("%s", fault.text);
	filter_free(filter);
	return result;
}

struct example {
	enum filter_kind kind;
	const char *expression;
	const char *stacks;
	const char *want;
	bool is_unmatched;
};

static void assert_example(const struct example *x)
{
	struct filter_settings settings = {};
	struct model *m = make(x->stacks);
	struct filter_result result;
	char *text;

	settings.expressions[x->kind] = x->expression;
	result = apply(m, &settings);
	text = print(m);
	if (strcmp(text, x->want) || result.unmatched != (x->is_unmatched ? BIT(x->kind) : 0))
		fail_msg("%s=%s of '%s': '%s', unmatched %x", filter_name(x->kind), x->expression,
			 x->stacks, text, result.unmatched);
	free(text);
	model_free(m);
}

static void test_names(void **state)
{
	static const struct example examples[] = {
		{ FILTER_FOCUS, "B", "A B|A C|B", "A B|B", false },
		{ FILTER_FOCUS, "a\\.c", "A|B", "A|B", false },
		{ FILTER_FOCUS, "^lib", "A@/bin/x B@lib|A@/bin/x", "A@/bin/x B@lib", false },
		{ FILTER_FOCUS, "X", "A|B", "", true },
		{ FILTER_FOCUS, "", "A|B", "A|B", false },
		{ FILTER_IGNORE, "B", "A B|A C|B", "A C", false },
		{ FILTER_IGNORE, "X", "A|B", "A|B", true },
		{ FILTER_IGNORE, "lib", "A B@lib|A", "A", false },
		{ FILTER_HIDE, "B", "A B C|B|C<-B A", "A C|C A", false },
		{ FILTER_HIDE, "lib", "A B<-C@lib|B", "A|B", false },
		{ FILTER_HIDE, "X", "A", "A", true },
		{ FILTER_SHOW, "B", "A B C|A|B<-A", "B|B", false },
		{ FILTER_SHOW, "lib", "A B<-C@lib", "B<-C@lib", false },
		{ FILTER_SHOW, "X", "A", "", true },
		{ FILTER_SHOW_FROM, "^A$", "A B C B", "A B C B", false },
		{ FILTER_SHOW_FROM, "^B$", "A B C B", "B C B", false },
		{ FILTER_SHOW_FROM, "^C$", "A B C B", "C B", false },
		{ FILTER_SHOW_FROM, "^D$", "A B C B", "", true },
		{ FILTER_SHOW_FROM, "^B$", "A C<-B<-D E", "C<-B E", false },
		{ FILTER_SHOW_FROM, "lib", "A C<-B@lib", "C<-B@lib", false },
	};

	(void)state;
	for (size_t i = 0; i < NR(examples); i++)
		assert_example(&examples[i]);
}

static void test_names_together(void **state)
{
	struct filter_settings settings = {
		.expressions = { [FILTER_FOCUS] = "B|C", [FILTER_IGNORE] = "C", [FILTER_HIDE] = "^A$",
				 [FILTER_SHOW] = "A|B", [FILTER_SHOW_FROM] = "B" },
	};
	struct model *m = make("A B|A C B|A|A B<-A D");
	char *text;

	(void)state;
	assert_int_equal(apply(m, &settings).unmatched, 0);
	text = print(m);
	assert_string_equal(text, "B|B");
	free(text);
	model_free(m);
}

static void test_prune_from(void **state)
{
	static const struct example examples[] = {
		{ FILTER_PRUNE_FROM, "^A$", "D B C B A", "D B C B A", false },
		{ FILTER_PRUNE_FROM, "^B$", "D B C B A", "D B C B", false },
		{ FILTER_PRUNE_FROM, "^D$", "D B C B A", "D", false },
		{ FILTER_PRUNE_FROM, "^B$", "A X<-B<-Y Z", "A B<-Y", false },
		{ FILTER_PRUNE_FROM, "^foo$", "A foo(int) B", "A foo(int)", false },
		{ FILTER_PRUNE_FROM, "^foo$", "A .foo B", "A .foo", false },
		{ FILTER_PRUNE_FROM, "operator\\(\\)$", "A operator()(int) B", "A operator()(int)",
		  false },
		{ FILTER_PRUNE_FROM, "^\\(anonymous namespace\\)::f$",
		  "A (anonymous_namespace)::f(int) B", "A (anonymous namespace)::f(int)", false },
		{ FILTER_PRUNE_FROM, "lib|a\\.c", "A@lib B", "A@lib B", true },
		{ FILTER_PRUNE_FROM, "", "A B", "A B", false },
	};

	(void)state;
	for (size_t i = 0; i < NR(examples); i++)
		assert_example(&examples[i]);
}

static void assert_dropped(const char *drop, const char *keep, const char *stacks, const char *want)
{
	struct filter_settings settings = {};
	struct model *m = make(stacks);
	char *text;

	m->drop_frames = add_text(m, drop);
	m->keep_frames = add_text(m, keep);
	assert_string_equal(apply(m, &settings).frames_fault.text, "");
	text = print(m);
	if (strcmp(text, want))
		fail_msg("drop '%s' of '%s': '%s'", drop, stacks, text);
	free(text);
	model_free(m);
}

static void test_drop_frames(void **state)
{
	(void)state;
	assert_dropped("A", "", "D B C B A", "D B C B");
	assert_dropped("B", "", "D B C B A", "D");
	assert_dropped("malloc|free", "", "main malloc X|main mallocs X", "main|main mallocs X");
	assert_dropped("malloc", "", "malloc main malloc", "malloc main");
	assert_dropped("B", "", "B", "B");
	assert_dropped(".*", "main", "main foo", "main");
	assert_dropped("", "main", "main foo", "main foo");
	assert_dropped("B", "", "A X<-B<-Y Z", "A Y");
	assert_dropped("B", "", "A X<-B Z", "A");
	assert_dropped("foo", "", "A foo(int)", "A");
}

static void test_drop_frames_that_are_wrong(void **state)
{
	struct filter_settings settings = {};
	struct model *m = make("A B C");
	struct filter_result result;
	char *text;

	(void)state;
	m->drop_frames = add_text(m, "B");
	m->keep_frames = add_text(m, "(");
	result = apply(m, &settings);
	assert_non_null(strstr(result.frames_fault.text, "without its )"));
	m->keep_frames = 0;
	settings.all_frames = true;
	apply(m, &settings);
	text = print(m);
	assert_string_equal(text, "A B C");
	free(text);
	settings.all_frames = false;
	apply(m, &settings);
	text = print(m);
	assert_string_equal(text, "A");
	free(text);
	model_free(m);
}

struct label {
	const char *key;
	const char *str;
	int64_t num;
	const char *unit;
};

/* By sample: up to two labels. The units of size are bytes: that is the first one. */
static const struct label labels[][2] = {
	{},
	{ { "thread", "worker", 0, "" } },
	{ { "thread", "io", 0, "" } },
	{ { "tid", NULL, 1235, "" } },
	{ { "size", NULL, 131072, "bytes" } },
	{ { "size", NULL, 128, "kilobytes" } },
	{ { "thread", "1235", 0, "" }, { "k", "v", 0, "" } },
	{ { "tid", NULL, -7, "" }, { "tid", NULL, 9, "" } },
};

/* Sample i has the value i. */
static struct model *make_labels(void)
{
	struct model *m = make("A");
	struct model_label set[2];
	size_t nr;

	m->samples.nr = 0;
	m->values.nr = 0;
	for (size_t i = 0; i < NR(labels); i++) {
		struct model_sample sample = { .stack = 1 };
		int64_t values[] = { i, 0 };

		for (nr = 0; nr < 2 && labels[i][nr].key; nr++)
			set[nr] = (struct model_label){
				.key = add_text(m, labels[i][nr].key),
				.str = add_text(m, labels[i][nr].str ? labels[i][nr].str : ""),
				.num = labels[i][nr].num, .unit = add_text(m, labels[i][nr].unit),
				.is_number = !labels[i][nr].str };
		sample.label_set = model_add_label_set(m, set, nr);
		assert_int_equal(model_add_sample(m, &sample, values), 0);
	}
	return m;
}

static uint32_t samples_of(const struct model *m)
{
	uint32_t samples = 0;

	for (size_t i = 0; i < m->samples.nr; i++)
		samples |= BIT(model_values(m, i)[0]);
	return samples;
}

struct tag_example {
	const char *expression;
	uint32_t want;		/* bits of samples */
	bool is_range;
};

static const struct tag_example tag_examples[] = {
	{ "tid=1:2000", BIT(3) | BIT(7), true },
	{ "size=131072", 0, true },
	{ "size=128kb", BIT(4), true },
	{ "size=+128kB", BIT(4), true },
	{ "size=128b:", BIT(4) | BIT(5), true },
	{ "size=:200B", BIT(5), true },
	{ "size=64kb:4mb", BIT(4), true },
	{ "size=64kb:4", 0, true },
	{ "size=64kb:4000", BIT(4), true },
	{ "tid=1:2mb", 0, false },
	{ "tid=-7", BIT(7), true },
	{ "tid=:-7", BIT(7), true },
	{ "tid=8:10", BIT(7), true },
	{ "1235", BIT(3), true },
	{ "1235:", BIT(3), true },
	{ "nokey=1235", 0, true },
	{ "thread=1235", 0, true },
	{ "thread=^1235$", BIT(6), false },
	{ "thread=worker,io", BIT(1) | BIT(2), false },
	{ "thread:w", BIT(1), false },
	{ "thread", BIT(1) | BIT(2) | BIT(6), false },
	{ "1235,:v", BIT(6), false },
	{ "=io", BIT(2), false },
	{ "thread=", BIT(1) | BIT(2) | BIT(6), false },
	{ "5:6:7", 0, false },
	{ ":", BIT(1) | BIT(2) | BIT(6), false },
	{ "k=v,", BIT(6), false },
};

static void test_tags(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(tag_examples); i++) {
		const struct tag_example *x = &tag_examples[i];
		struct filter_settings focus = {
			.expressions = { [FILTER_TAGFOCUS] = x->expression } };
		struct filter_settings ignore = {
			.expressions = { [FILTER_TAGIGNORE] = x->expression } };
		struct model *kept = make_labels(), *left = make_labels();
		uint32_t unmatched = apply(kept, &focus).unmatched;

		if (samples_of(kept) != x->want ||
		    unmatched != (x->want ? 0 : BIT(FILTER_TAGFOCUS)))
			fail_msg("'%s' keeps %x", x->expression, samples_of(kept));
		unmatched = apply(left, &ignore).unmatched;
		if (samples_of(left) != (~x->want & 0xFF) ||
		    unmatched != (x->want ? 0 : BIT(FILTER_TAGIGNORE)))
			fail_msg("'%s' leaves %x", x->expression, samples_of(left));
		model_free(kept);
		model_free(left);
	}
}

static void test_ranges_are_told(void **state)
{
	struct profile_fault fault = {};

	(void)state;
	for (size_t i = 0; i < NR(tag_examples); i++) {
		struct filter_settings settings = {
			.expressions = { [FILTER_TAGFOCUS] = tag_examples[i].expression } };
		struct filter *filter;

		assert_int_equal(filter_new(&filter, &settings, &fault), 0);
		if (filter_ranges(filter) !=
		    (tag_examples[i].is_range ? BIT(FILTER_TAGFOCUS) : 0))
			fail_msg("'%s'", tag_examples[i].expression);
		filter_free(filter);
	}
}

static char *print_keys(const struct model *m)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < m->samples.nr; i++) {
		uint32_t nr;
		const struct model_label *set = model_labels(m, m->samples.items[i].label_set, &nr);

		for (uint32_t j = 0; j < nr; j++)
			fprintf(out, "%c%s", j ? '&' : ' ', model_string(m, set[j].key));
		fputc('.', out);
	}
	fclose(out);
	return text;
}

static void assert_keys(const char *show, const char *hide, uint32_t unmatched, const char *want)
{
	struct filter_settings settings = {
		.expressions = { [FILTER_TAGSHOW] = show, [FILTER_TAGHIDE] = hide } };
	struct model *m = make_labels();
	char *text;

	assert_int_equal(apply(m, &settings).unmatched, unmatched);
	text = print_keys(m);
	assert_string_equal(text, want);
	free(text);
	model_free(m);
}

static void test_tag_keys(void **state)
{
	(void)state;
	assert_keys("t", NULL, 0, ". thread. thread. tid... thread. tid&tid.");
	assert_keys(NULL, "t", 0, ".... size. size. k..");
	assert_keys("t", "^th", 0, "... tid.... tid&tid.");
	assert_keys("x", NULL, BIT(FILTER_TAGSHOW), "........");
	assert_keys(NULL, "x", BIT(FILTER_TAGHIDE),
		    ". thread. thread. tid. size. size. k&thread. tid&tid.");
}

static void assert_frames(const char *root, const char *leaf, const char *unit, uint32_t unmatched,
			  const char *want)
{
	struct filter_settings settings = {
		.expressions = { [FILTER_TAGROOT] = root, [FILTER_TAGLEAF] = leaf }, .unit = unit };
	struct model *m = make_labels();
	char *text;

	assert_int_equal(apply(m, &settings).unmatched, unmatched);
	text = print(m);
	assert_string_equal(text, want);
	free(text);
	model_free(m);
}

static void test_tag_frames(void **state)
{
	(void)state;
	assert_frames("thread,k", NULL, NULL, 0,
		      "  A|worker  A|io  A|  A|  A|  A|1235 v A|  A");
	assert_frames(NULL, "k,thread", NULL, 0,
		      "A  |A  worker|A  io|A  |A  |A  |A v 1235|A  ");
	assert_frames("tid", NULL, NULL, 0, " A| A| A|1235 A| A| A| A|-7,9 A");
	assert_frames("size", NULL, NULL, 0, " A| A| A| A|128kB A|128kB A| A| A");
	assert_frames("size", NULL, "mb", 0, " A| A| A| A|0.12MB A|0.12MB A| A| A");
	assert_frames(",,", NULL, NULL, BIT(FILTER_TAGROOT), "A|A|A|A|A|A|A|A");
	assert_frames("none", NULL, NULL, BIT(FILTER_TAGROOT), " A| A| A| A| A| A| A| A");
}

/* Filters by names see the frames of labels, and their keys as files. */
static void test_order(void **state)
{
	struct filter_settings settings = {
		.expressions = { [FILTER_TAGROOT] = "thread", [FILTER_FOCUS] = "^io$",
				 [FILTER_HIDE] = "^A$" } };
	struct model *m = make_labels();
	char *text;

	(void)state;
	apply(m, &settings);
	text = print(m);
	assert_string_equal(text, "io");
	free(text);
	model_free(m);
}

static void assert_refused(enum filter_kind kind, const char *expression, const char *want)
{
	struct filter_settings settings = {};
	struct profile_fault fault = {};
	struct filter *filter;

	settings.expressions[kind] = expression;
	assert_int_equal(filter_new(&filter, &settings, &fault), -EBADMSG);
	assert_null(filter);
	if (strncmp(fault.text, want, strlen(want)))
		fail_msg("%s", fault.text);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused(FILTER_FOCUS, "(", "focus: the regular expression has a ( without");
	assert_refused(FILTER_SHOW_FROM, "(?=a)", "show_from: the regular expression has a look");
	assert_refused(FILTER_TAGHIDE, "a**", "taghide: ");
	assert_refused(FILTER_TAGFOCUS, "k=a,(", "tagfocus: the regular expression has a ( without");
	assert_refused(FILTER_TAGIGNORE, "tid=99999999999999999999:", "tagignore: the number 9999");
	assert_refused(FILTER_TAGIGNORE, "1kb:-9999999999999999999kb", "tagignore: the number -9999");
}

static void assert_takes_too_long(const struct filter_settings *settings, struct model *m,
				  const char *want)
{
	struct profile_fault fault = {};
	struct filter_result result;
	struct filter *filter;

	assert_int_equal(filter_new(&filter, settings, &fault), 0);
	assert_int_equal(filter_apply(filter, m, &result, &fault), -ETIME);
	if (strncmp(fault.text, want, strlen(want)))
		fail_msg("%s", fault.text);
	filter_free(filter);
	model_free(m);
}

static void test_too_long(void **state)
{
	static const char slow[] = "^(a|a|aa)*[xy]", slow_tag[] = "k=^(a|a|aa)*[xy]";
	struct filter_settings hide = { .expressions = { [FILTER_HIDE] = slow } };
	struct filter_settings tags = { .expressions = { [FILTER_TAGIGNORE] = slow_tag } };
	struct filter_settings none = {};
	char name[201];
	struct model *m;

	(void)state;
	memset(name, 'a', 200);
	name[200] = '\0';
	assert_takes_too_long(&hide, make(name), "hide: the regular expression takes too long: ");
	m = make(name);
	m->drop_frames = add_text(m, slow);
	assert_takes_too_long(&none, m, "drop_frames: the regular expression takes too long: ");
	m = make("A");
	add_sample(m, NULL, 0, 1, "k", name);
	assert_takes_too_long(&tags, m, "tagignore: the regular expression takes too long: ");
}

/* Compiles and applies, after n allocations without memory. Returns: the result. */
static int apply_with(long n, const struct filter_settings *settings)
{
	struct model *m = make_labels();
	struct profile_fault fault = {};
	struct filter_result result;
	struct filter *filter;
	int err;

	m->drop_frames = add_text(m, "B");
	m->keep_frames = add_text(m, "C");
	allocations_left = n;
	err = filter_new(&filter, settings, &fault);
	if (!err)
		err = filter_apply(filter, m, &result, &fault);
	allocations_left = -1;
	filter_free(filter);
	model_free(m);
	return err;
}

static void test_every_allocation_may_fail(void **state)
{
	static const struct filter_settings settings = {
		.expressions = { "A", "B", "C", "A|thread|tid", "A|w", ".*:.", "thread=x,y", "t", "x",
				 "A", "thread,tid", "size" },
	};
	long n = 0;
	int err;

	(void)state;
	for (; (err = apply_with(n, &settings)); n++)
		assert_int_equal(err, -ENOMEM);
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_names_together),
		cmocka_unit_test(test_prune_from),
		cmocka_unit_test(test_drop_frames),
		cmocka_unit_test(test_drop_frames_that_are_wrong),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_ranges_are_told),
		cmocka_unit_test(test_tag_keys),
		cmocka_unit_test(test_tag_frames),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
