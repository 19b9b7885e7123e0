// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/end_reason.c collector/report/summary.c
// sources: collector/aggregate/profile_types.c collector/aggregate/locations.c
// sources: collector/process/mapped_files.c collector/procfs/vdso.c
// sources: collector/procfs/maps.c collector/base/tuple_map.c
// sources: collector/base/string_table.c collector/symbol/perf_map.c
// sources: collector/base/utf8.c collector/aggregate/stack_values.c
// sources: collector/base/regular_file.c collector/procfs/mapped_file.c
// sources: collector/procfs/live_thread.c collector/procfs/procfs.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "fakesym.h"
#include "aggregate/profile_types.h"
#include "pprof.h"
#include "report/summary.h"
#include "aggregate/stack_values.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))

struct parts {
	struct mapped_files *files;
	struct locations *locations;
	struct tuple_map *stacks;
	struct aggregator_counts counts;
	struct summary_input in;
	char *text;
	size_t size;
};

static int setup(void **state)
{
	struct parts *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	p->files = mapped_files_new();
	p->locations = locations_new(p->files);
	p->stacks = tuple_map_new(1000);
	p->in = (struct summary_input){
		.profile_type = profile_types_get(PROFILE_TYPE_CPU, false), .stacks = p->stacks,
		.locations = p->locations, .counts = &p->counts,
		.duration_ns = 2500000000, .file = "out.pb.gz",
	};
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct parts *p = *state;

	tuple_map_free(p->stacks);
	locations_free(p->locations);
	mapped_files_free(p->files);
	free(p->text);
	free(p);
	return 0;
}

/* Adds a stack of functions with these names, leaf first. */
static void add(struct parts *p, uint64_t count, const char *const *names, uint32_t nr)
{
	uint64_t ids[8];

	for (uint32_t i = 0; i < nr; i++)
		ids[i] = locations_synthetic(p->locations, names[i]);
	assert_true(tuple_map_add(p->stacks, 0, ids, nr, count) >= 0);
	p->counts.consumed += count;
}

#define ADD(p, count, ...) do {							\
	const char *const names_[] = { __VA_ARGS__ };				\
	add(p, count, names_, NR(names_));					\
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
		    "      flat  flat%        cum   cum%  function\n"
		    "         6  60.0%          6  60.0%  leaf\n"
		    "         3  30.0%         10 100.0%  main\n"
		    "         1  10.0%          1  10.0%  other\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Functions are sorted by the cumulative value: the leaves are all the same. */
static void test_threadcreate(void **state)
{
	struct parts *p = *state;

	p->in.profile_type = profile_types_get(PROFILE_TYPE_THREADCREATE, false);
	ADD(p, 3, "clone", "spawn", "main");
	ADD(p, 1, "clone", "main");
	assert_text(p, "threadcreate: 4 threads in 2.5 s, 0 lost, 0 truncated, 2 distinct stacks\n"
		    "      flat  flat%        cum   cum%  function\n"
		    "         4 100.0%          4 100.0%  clone\n"
		    "         0   0.0%          4 100.0%  main\n"
		    "         0   0.0%          3  75.0%  spawn\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Functions are sorted by time, not by number, if the profile type has a time. */
static void test_block(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 2 };

	p->in.profile_type = profile_types_get(PROFILE_TYPE_BLOCK, false);
	p->in.values = &values;
	ADD(p, 3, "futex", "often", "main");
	ADD(p, 1, "futex", "long", "main");
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 3, 500000 }), 0);
	assert_int_equal(stack_values_add(&values, 1, (double[]){ 1, 1500000 }), 0);
	assert_text(p, "block: 4 events in 2.5 s, 0 lost, 0 truncated, 2 distinct stacks\n"
		    "   flat ms  flat%     cum ms   cum%  function\n"
		    "     2.000 100.0%      2.000 100.0%  futex\n"
		    "     0.000   0.0%      2.000 100.0%  main\n"
		    "     0.000   0.0%      1.500  75.0%  long\n"
		    "     0.000   0.0%      0.500  25.0%  often\n"
		    "go tool pprof -http=: out.pb.gz\n");
	stack_values_fini(&values);
}

/* Functions are sorted by living threads. */
static void test_threads_live(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 3 };

	p->in.profile_type = profile_types_get(PROFILE_TYPE_THREADCREATE, true);
	p->in.values = &values;
	ADD(p, 30, "clone", "done", "main");
	ADD(p, 4, "clone", "leak", "main");
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 30, 1, 5000 }), 0);
	assert_int_equal(stack_values_add(&values, 1, (double[]){ 4, 3, 10 }), 0);
	assert_text(p, "threadcreate: 34 threads in 2.5 s, 0 lost, 0 truncated, 2 distinct stacks\n"
		    " flat live  flat%   cum live   cum%  function\n"
		    "         4 100.0%          4 100.0%  clone\n"
		    "         0   0.0%          4 100.0%  main\n"
		    "         0   0.0%          3  75.0%  leak\n"
		    "         0   0.0%          1  25.0%  done\n"
		    "go tool pprof -http=: out.pb.gz\n");
	stack_values_fini(&values);
}

static void test_growth(void **state)
{
	struct parts *p = *state;
	struct stack_values values = { .nr = 2 };

	p->in.profile_type = profile_types_get(PROFILE_TYPE_GROWTH, false);
	p->in.values = &values;
	ADD(p, 3, "fill", "main");
	ADD(p, 1, "main");
	p->in.over_values = (double[]){ 32, 2 << 20 };
	assert_int_equal(stack_values_add(&values, 0, (double[]){ 48, 3 << 20 }), 0);
	assert_int_equal(stack_values_add(&values, 1, (double[]){ 16, 1 << 20 }), 0);
	assert_text(p, "growth: 4 samples in 2.5 s, 0 lost, 0 truncated, 2 distinct stacks\n"
		    "  flat MiB  flat%    cum MiB   cum%  function\n"
		    "     3.000  50.0%      3.000  50.0%  fill\n"
		    "     1.000  16.7%      4.000  66.7%  main\n"
		    "go tool pprof -http=: out.pb.gz\n");
	stack_values_fini(&values);
}

/* A recursive function counts once for a stack. */
static void test_recursion(void **state)
{
	struct parts *p = *state;

	ADD(p, 4, "f", "f", "f", "main");
	assert_text(p, "cpu: 4 samples in 2.5 s, 0 lost, 0 truncated, 1 distinct stacks\n"
		    "      flat  flat%        cum   cum%  function\n"
		    "         4 100.0%          4 100.0%  f\n"
		    "         0   0.0%          4 100.0%  main\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Lost samples are a part of the total, and ignored ones are not. */
static void test_losses(void **state)
{
	struct parts *p = *state;

	ADD(p, 10, "leaf");
	p->counts.consumed += 9;
	p->counts.over_max = 4;
	p->counts.ignored = 5;
	p->counts.truncated[PPROF_END_FAULT] = 2;
	p->counts.truncated[PPROF_END_DEPTH] = 1;
	p->counts.guessed = 7;
	p->in.worst = "/lib/worst";
	p->in.nr_worst = 2;
	p->in.lost = 6;
	p->in.file = "-";
	assert_text(p, "cpu: 20 samples in 2.5 s, 6 lost, 4 over --max-stacks, "
		    "3 truncated (21.4%), 1 distinct stacks\n"
		    "         2 [truncated: stack not readable]\n"
		    "         1 [truncated: too deep]\n"
		    "         2 of them in /lib/worst\n"
		    "         7 with a caller guessed by frame pointers\n"
		    "      flat  flat%        cum   cum%  function\n"
		    "        10  50.0%         10  50.0%  leaf\n");
}

/* Names come from the profiled program: no control character may reach the terminal. */
static void test_names_are_no_commands(void **state)
{
	struct parts *p = *state;

	ADD(p, 1, "a\033[2Jb");
	p->in.worst = "/lib/\033]0;";
	p->in.nr_worst = 1;
	assert_text(p, "cpu: 1 samples in 2.5 s, 0 lost, 0 truncated, 1 distinct stacks\n"
		    "         1 of them in /lib/\\x1b]0;\n"
		    "      flat  flat%        cum   cum%  function\n"
		    "         1 100.0%          1 100.0%  a\\x1b[2Jb\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

static void test_nothing(void **state)
{
	assert_text(*state, "cpu: 0 samples in 2.5 s, 0 lost, 0 truncated, 0 distinct stacks\n"
		    "go tool pprof -http=: out.pb.gz\n");
}

/* Ten functions are printed, and equal ones are sorted by name. */
static void test_the_ten_hottest(void **state)
{
	char name[2] = "", want[1024] = "      flat  flat%        cum   cum%  function\n";
	struct parts *p = *state;

	for (name[0] = 'l'; name[0] >= 'a'; name[0]--)
		ADD(p, name[0] == 'k' ? 45 : 5, name);
	strcat(want, "        45  45.0%         45  45.0%  k\n");
	for (const char *c = "abcdefghi"; *c; c++)
		sprintf(want + strlen(want), "         5   5.0%%          5   5.0%%  %c\n", *c);
	strcat(want, "go tool pprof");
	assert_int_equal(print(p), 0);
	assert_non_null(strstr(p->text, want));
}

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
		assert_true(!err ||
			    !strcmp(said, "pprof-collect: cannot print the summary: out of memory: "
					  "read the profile with 'go tool pprof -top'\n"));
		nr_failures += err < 0;
	}
	assert_true(nr_failures > 3);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_cpu),
		WITH_SETUP(test_threadcreate),
		WITH_SETUP(test_block),
		WITH_SETUP(test_threads_live),
		WITH_SETUP(test_growth),
		WITH_SETUP(test_recursion),
		WITH_SETUP(test_losses),
		WITH_SETUP(test_names_are_no_commands),
		WITH_SETUP(test_nothing),
		WITH_SETUP(test_the_ten_hottest),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
