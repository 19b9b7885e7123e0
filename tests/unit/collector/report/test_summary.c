// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/end_reason.c collector/report/summary.c
// sources: collector/aggregate/profile_types.c
// sources: collector/analysis/top.c collector/analysis/graph.c collector/analysis/graph_head.c
// sources: collector/analysis/report.c collector/analysis/frame_table.c
// sources: collector/analysis/path.c collector/analysis/unit.c collector/analysis/granularity.c
// sources: collector/pprof/model.c collector/pprof/value_unit.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lxxhash -lm -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "aggregate/profile_types.h"
#include "pprof.h"
#include "pprof/model.h"
#include "report/summary.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

struct parts {
	struct model *model;
	struct aggregator_counts counts;
	struct summary_input in;
	char *text;
	size_t size;
};

static uint32_t string(struct model *m, const char *s)
{
	return model_add_string(m, s, strlen(s));
}

/* A profile of cpu time. The types of other profiles are in its name only. */
static int setup(void **state)
{
	struct parts *p = calloc(1, sizeof(*p));
	struct model_value_type type;

	assert_non_null(p);
	p->model = model_new();
	type = (struct model_value_type){
		string(p->model, "cpu"), string(p->model, "nanoseconds"),
	};
	assert_int_equal(model_add_sample_type(p->model, &type), 0);
	p->in = (struct summary_input){
		.profile_type = profile_types_get(PROFILE_TYPE_CPU, false), .model = p->model,
		.nr_functions = 10, .counts = &p->counts, .duration_ns = 2500000000,
		.file = "out.pb.gz",
	};
	assert_int_equal(model_add_comment(p->model, string(p->model, "lost: 1")), 0);
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	model_free(p->model);
	free(p->text);
	free(p);
	return 0;
}

static uint32_t location(struct model *m, const char *name)
{
	const struct model_function function = { .name = string(m, name) };
	const struct model_line line = { .function = model_add_function(m, &function) };

	/* Each time at another address. */
	return model_add_location(m, &(struct model_location){
		.mapping = MODEL_NONE, .address = 0x1000 + m->locations.nr,
	}, &line, 1);
}

/* Adds a stack of functions with these names, leaf first, and so many ms. */
static void add(struct parts *p, uint64_t ms, const char *const *names, uint32_t nr)
{
	struct model_sample sample = { 0 };
	uint32_t ids[8];

	for (uint32_t i = 0; i < nr; i++)
		ids[i] = location(p->model, names[i]);
	sample.stack = model_add_stack(p->model, ids, nr);
	assert_int_equal(model_add_sample(p->model, &sample, (int64_t[]){ ms * 1000000 }), 0);
	p->counts.consumed += ms;
	p->in.nr_stacks++;
}

#define ADD(p, ms, ...) do {							\
	const char *const names_[] = { __VA_ARGS__ };				\
	add(p, ms, names_, NR(names_));						\
} while (0)

static int print(struct parts *p)
{
	FILE *out;
	int err;

	free(p->text);
	out = open_memstream(&p->text, &p->size);
	assert_non_null(out);
	err = summary_print(out, &p->in);
	fclose(out);
	return err;
}

static void assert_text(struct parts *p, const char *want)
{
	assert_int_equal(print(p), 0);
	assert_string_equal(p->text, want);
}

static void test_cpu(void **state)
{
	struct parts *p = *state;

	ADD(p, 6, "leaf", "main");
	ADD(p, 3, "main");
	ADD(p, 1, "other", "main");
	assert_text(p, "cpu: 10 samples in 2.5 s, 0 lost, 0 truncated, 3 distinct stacks\n"
		    "Type: cpu\n"
		    "Showing nodes accounting for 10ms, 100% of 10ms total\n"
		    "      flat  flat%   sum%        cum   cum%\n"
		    "       6ms 60.00% 60.00%        6ms 60.00%  leaf\n"
		    "       3ms 30.00% 90.00%       10ms   100%  main\n"
		    "       1ms 10.00%   100%        1ms 10.00%  other\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Functions are sorted by the cumulative value: the leaves are all the same. */
static void test_cumulative(void **state)
{
	struct parts *p = *state;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_THREADCREATE, false);
	ADD(p, 3, "clone", "spawn", "main");
	ADD(p, 1, "clone", "main");
	assert_text(p, "threadcreate: 4 threads in 2.5 s, 0 lost, 0 truncated, 2 distinct stacks\n"
		    "Type: cpu\n"
		    "Showing nodes accounting for 4ms, 100% of 4ms total\n"
		    "      flat  flat%   sum%        cum   cum%\n"
		    "       4ms   100%   100%        4ms   100%  clone\n"
		    "         0     0%   100%        4ms   100%  main\n"
		    "         0     0%   100%        3ms 75.00%  spawn\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Lost samples are a part of the total, and ignored ones are not. */
static void test_losses(void **state)
{
	struct parts *p = *state;

	p->counts.consumed = 19;
	p->counts.over_max = 4;
	p->counts.ignored = 5;
	p->counts.truncated[PPROF_END_FAULT] = 2;
	p->counts.truncated[PPROF_END_DEPTH] = 1;
	p->counts.guessed = 7;
	p->in.nr_stacks = 1;
	p->in.worst = "/lib/\033]0;";
	p->in.nr_worst = 2;
	p->in.lost = 6;
	p->in.file = "-";
	assert_text(p, "cpu: 20 samples in 2.5 s, 6 lost, 4 over --max-stacks, "
		    "3 truncated (21.4%), 1 distinct stacks\n"
		    "         2 [truncated: stack not readable]\n"
		    "         1 [truncated: too deep]\n"
		    "         2 of them in /lib/\\x1b]0;\n"
		    "         7 with a caller guessed by frame pointers\n");
}

static void test_nothing(void **state)
{
	assert_text(*state, "cpu: 0 samples in 2.5 s, 0 lost, 0 truncated, 0 distinct stacks\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

static void test_nr_functions(void **state)
{
	struct parts *p = *state;

	ADD(p, 3, "a");
	ADD(p, 2, "b");
	ADD(p, 1, "c");
	p->in.nr_functions = 2;
	assert_int_equal(print(p), 0);
	assert_non_null(strstr(p->text, "  b\ngo tool pprof"));
	p->in.nr_functions = 0;
	assert_int_equal(print(p), 0);
	assert_non_null(strstr(p->text, "  c\ngo tool pprof"));
}

/* The totals are printed in any case. */
static void test_every_allocation_may_fail(void **state)
{
	int nr_failures = 0, err = -ENOMEM;
	struct parts *p = *state;
	char said[8192];

	ADD(p, 6, "leaf", "main");
	for (long n = 0; err; n++) {
		FILE *out = fmemopen(said, sizeof(said), "w");

		allocations_left = n;
		err = summary_print(out, &p->in);
		allocations_left = -1;
		fclose(out);
		assert_true(!err || err == -ENOMEM);
		assert_memory_equal(said, "cpu: 6 samples", 14);
		assert_true(!err == !strstr(said, "cannot print the functions: out of memory"));
		nr_failures += err < 0;
	}
	assert_true(nr_failures > 3);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_cpu),
		WITH_SETUP(test_cumulative),
		WITH_SETUP(test_losses),
		WITH_SETUP(test_nothing),
		WITH_SETUP(test_nr_functions),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
