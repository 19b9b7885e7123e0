// SPDX-License-Identifier: GPL-2.0
// sources: collector/aggregate/label_sets.c collector/base/tuple_map.c
// sources: collector/base/string_table.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "aggregate/label_sets.h"
#include "pprof/profile.h"
#include "procfs/cgroup.h"

#define ALL	(LABELS_WANT_PID | LABELS_WANT_TID | LABELS_WANT_CPU |	\
		 LABELS_WANT_THREAD | LABELS_WANT_COMM)

#define NR_WANTED	5	/* labels that can be requested */

static const struct labels_values base = {
	.pid = 10, .tid = 11, .cpu = 2, .thread = "worker", .comm = "app",
};

static const struct labels_owner owner = { 10, 0x1234 };

/* Returns values that differ from base in one label. */
static struct labels_values differ_in(unsigned int bit)
{
	struct labels_values v = base;

	v.pid += bit == LABELS_WANT_PID;
	v.tid += bit == LABELS_WANT_TID;
	v.cpu += bit == LABELS_WANT_CPU;
	v.thread = bit == LABELS_WANT_THREAD ? "other" : base.thread;
	v.comm = bit == LABELS_WANT_COMM ? "other" : base.comm;
	return v;
}

static void test_none_wanted(void **state)
{
	struct label_sets *l = labels_new(0);
	struct labels_values other = differ_in(LABELS_WANT_PID);
	struct profile_label set[LABELS_MAX];

	(void)state;
	assert_false(labels_want(l, LABELS_OF_CGROUP));
	assert_int_equal(labels_intern(l, &base), 0);
	assert_int_equal(labels_intern(l, &other), 0);
	assert_int_equal(labels_get(l, 0, set), 0);
	labels_free(l);
	labels_free(NULL);
}

static void test_all(void **state)
{
	struct label_sets *l = labels_new(ALL);
	struct profile_label set[LABELS_MAX];
	int64_t id = labels_intern(l, &base);

	(void)state;
	assert_true(id > 0);
	assert_int_equal(labels_get(l, id, set), 5);
	for (int i = 0; i < 5; i++)
		assert_null(set[i].unit);
	assert_string_equal(set[0].key, "pid");
	assert_null(set[0].str);
	assert_int_equal(set[0].num, 10);
	assert_string_equal(set[1].key, "tid");
	assert_int_equal(set[1].num, 11);
	assert_string_equal(set[2].key, "cpu");
	/* pprof does not show the number 0 without a unit. */
	assert_string_equal(set[2].str, "2");
	assert_string_equal(set[3].key, "thread");
	assert_string_equal(set[3].str, "worker");
	assert_string_equal(set[4].key, "comm");
	assert_string_equal(set[4].str, "app");
	labels_free(l);
}

static void test_without_cpu(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_CPU | LABELS_WANT_COMM);
	struct labels_values v = base;
	struct profile_label set[LABELS_MAX];

	(void)state;
	v.cpu = LABELS_NO_CPU;
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 1);
	assert_string_equal(set[0].key, "comm");
	labels_free(l);
}

/* If one label is wanted, only its value distinguishes sets. */
static void test_each_alone(void **state)
{
	static const char *const keys[] = { "pid", "tid", "cpu", "thread", "comm" };
	struct profile_label set[LABELS_MAX];

	(void)state;
	for (int wanted = 0; wanted < NR_WANTED; wanted++) {
		struct label_sets *l = labels_new(1U << wanted);
		int64_t id = labels_intern(l, &base);

		for (int bit = 0; bit < NR_WANTED; bit++) {
			struct labels_values other = differ_in(1U << bit);

			assert_int_equal(labels_intern(l, &other) == id, bit != wanted);
		}
		assert_int_equal(labels_get(l, id, set), 1);
		assert_string_equal(set[0].key, keys[wanted]);
		labels_free(l);
	}
}

/* A process has those that its cgroup has. */
static void test_cgroup(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_COMM | LABELS_WANT_CGROUP |
					  LABELS_WANT_POD | LABELS_WANT_UNIT);
	struct {
		struct cgroup cgroup;
		char path[16];
	} a = { { .names = { .container = "c", .unit = "s" } }, "/a" };
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;

	(void)state;
	assert_true(labels_want(l, LABELS_OF_CGROUP));
	v.cgroup = &a.cgroup;
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 3);
	assert_string_equal(set[1].key, "cgroup");
	assert_string_equal(set[1].str, "/a");
	assert_string_equal(set[2].key, "unit");
	assert_string_equal(set[2].str, "s");
	assert_true(labels_intern(l, &v) != labels_intern(l, &base));
	assert_int_equal(labels_get(l, labels_intern(l, &base), set), 1);
	assert_string_equal(set[0].key, "comm");
	labels_free(l);
}

/* Each of them is another label. */
static void test_each_of_cgroup(void **state)
{
	static const struct {
		unsigned int wanted;
		const char *key, *str;
	} rows[] = {
		{ LABELS_WANT_CGROUP, "cgroup", "/a" },
		{ LABELS_WANT_CONTAINER, "container", "c" },
		{ LABELS_WANT_POD, "pod", "p" },
		{ LABELS_WANT_UNIT, "unit", "s" },
	};
	struct {
		struct cgroup cgroup;
		char path[16];
	} a = { { .names = { "c", "p", "s" } }, "/a" };
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;

	(void)state;
	v.cgroup = &a.cgroup;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct label_sets *l = labels_new(rows[i].wanted);

		assert_int_equal(labels_get(l, labels_intern(l, &v), set), 1);
		assert_string_equal(set[0].key, rows[i].key);
		assert_string_equal(set[0].str, rows[i].str);
		labels_free(l);
	}
}

/* The class is always a label, whatever the user requests. */
static void test_class(void **state)
{
	struct label_sets *l = labels_new(0);
	struct profile_label set[LABELS_MAX];
	struct labels_values futex = base, io = base, running = base;
	int64_t id;

	(void)state;
	futex.class = "futex";
	io.class = "io";
	running.state = "running";
	id = labels_intern(l, &futex);
	assert_int_equal(labels_intern(l, &base), 0);
	assert_true(labels_intern(l, &io) != id);
	assert_int_equal(labels_get(l, id, set), 1);
	assert_string_equal(set[0].key, "class");
	assert_string_equal(set[0].str, "futex");
	id = labels_intern(l, &running);
	assert_int_equal(labels_get(l, id, set), 1);
	assert_string_equal(set[0].key, "state");
	assert_string_equal(set[0].str, "running");
	labels_free(l);
}

/* Strings are copied, and compared by their content. */
static void test_strings_are_copied(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_THREAD);
	struct profile_label set[LABELS_MAX];
	char name[] = "first";
	struct labels_values v = { .thread = name, .comm = "" };
	int64_t first = labels_intern(l, &v), second;

	(void)state;
	strcpy(name, "other");
	second = labels_intern(l, &v);
	assert_true(first != second);
	strcpy(name, "first");
	assert_int_equal(labels_intern(l, &v), first);
	strcpy(name, "zzzzz");
	labels_get(l, first, set);
	assert_string_equal(set[0].str, "first");
	labels_get(l, second, set);
	assert_string_equal(set[0].str, "other");
	labels_free(l);
}

/* Labels of programs follow those of the collector. Equal ones of two programs are one set. */
static void test_own(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_TID);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;
	int64_t none = labels_intern(l, &v), id;

	(void)state;
	v.set = 1ULL << 40;
	assert_int_equal(labels_intern(l, &v), none);	/* the set is not known */
	assert_int_equal(labels_add_set(l, &owner, v.set, "role\0reader\0step\0\xff", 18), 0);
	/* The second call is ignored. */
	assert_int_equal(labels_add_set(l, &owner, v.set, "other\0text", 11), 0);
	id = labels_intern(l, &v);
	assert_true(id != none);
	assert_int_equal(labels_get(l, id, set), 3);
	assert_string_equal(set[0].key, "tid");
	assert_string_equal(set[1].key, "role");
	assert_string_equal(set[1].str, "reader");
	assert_string_equal(set[2].key, "step");
	assert_string_equal(set[2].str, "\xff");
	assert_int_equal(labels_get_own(l, id, set), 2);
	assert_string_equal(set[0].key, "role");
	assert_int_equal(labels_get_own(l, none, set), 0);
	assert_int_equal(labels_get_own(l, 0, set), 0);
	v.set++;
	assert_int_equal(labels_add_set(l, &owner, v.set, "role\0reader\0step\0\xff", 18), 0);
	assert_int_equal(labels_intern(l, &v), id);
	labels_free(l);
}

/* Labels of a program make a set, although the user requests no label. */
static void test_own_alone(void **state)
{
	struct label_sets *l = labels_new(0);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = { .thread = "", .comm = "", .set = 5 };

	(void)state;
	assert_int_equal(labels_intern(l, &v), 0);
	assert_int_equal(labels_add_set(l, &owner, 5, "k\0", 3), 0);
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 1);
	assert_string_equal(set[0].key, "k");
	assert_string_equal(set[0].str, "");
	labels_free(l);
}

static void test_own_with_our_key(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_TID);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;

	(void)state;
	v.set = 1;
	assert_int_equal(labels_add_set(l, &owner, 1, "tid\0" "1\0comm\0init\0", 16), 0);
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 2);
	assert_int_equal(set[0].num, 11);
	assert_string_equal(set[1].key, "comm");
	assert_string_equal(set[1].str, "init");
	labels_free(l);
}

/* The module does not send such texts. */
static void test_own_odd(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
		size_t nr;
	} odd[] = {
		{ "", 0, 0 }, { "k", 1, 0 }, { "k\0", 2, 0 }, { "k\0v", 3, 1 }, { "\0\0\0", 3, 1 },
		{ "k\0v\0k", 5, 1 },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, PPROF_MAX_LABELS },
	};
	struct label_sets *l = labels_new(0);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = { .thread = "", .comm = "" };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		char *text = malloc(odd[i].bytes + 1);	/* on the heap: ASan checks its end */

		memcpy(text + 1, odd[i].text, odd[i].bytes);
		v.set = i + 1;
		assert_int_equal(labels_add_set(l, &owner, v.set, text + 1, odd[i].bytes), 0);
		free(text);
		assert_int_equal(labels_get_own(l, labels_intern(l, &v), set), odd[i].nr);
	}
	labels_free(l);
}

static void test_many_own(void **state)
{
	struct label_sets *l = labels_new(0);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = { .thread = "", .comm = "" };
	char text[32];

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		int bytes = snprintf(text, sizeof(text), "k%cv%d", 0, (int)i) + 1;

		v.set = (i << 12) + 1;
		assert_int_equal(labels_add_set(l, &owner, v.set, text, bytes), 0);
		assert_int_equal(labels_intern(l, &v), i + 1);
	}
	assert_int_equal(labels_get(l, 7778, set), 1);
	assert_string_equal(set[0].str, "v7777");
	labels_free(l);
}

/* Resource attributes come last, and lose against those of the program. */
static void test_resource(void **state)
{
	static const char text[] = "service.name\0shop\0role\0none";
	struct label_sets *l = labels_new(LABELS_WANT_TID | LABELS_WANT_RESOURCE);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;
	int64_t none = labels_intern(l, &v), id;

	(void)state;
	v.resource = text;
	v.resource_bytes = sizeof(text);
	id = labels_intern(l, &v);
	assert_true(id != none);
	assert_int_equal(labels_get(l, id, set), 3);
	assert_string_equal(set[0].key, "tid");
	assert_string_equal(set[1].key, "service.name");
	assert_string_equal(set[1].str, "shop");
	assert_string_equal(set[2].str, "none");
	assert_int_equal(labels_get_own(l, id, set), 0);
	v.set = 1;
	assert_int_equal(labels_add_set(l, &owner, 1, "role\0reader\0", 12), 0);
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 3);
	assert_string_equal(set[1].str, "reader");
	assert_string_equal(set[2].str, "shop");
	labels_free(l);
}

static void test_most_labels(void **state)
{
	struct label_sets *l = labels_new(ALL);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;

	(void)state;
	v.set = 1;
	v.class = "futex";
	v.state = "running";
	v.resource = "a\0\0b\0\0c\0\0d\0";
	v.resource_bytes = 12;
	assert_int_equal(labels_add_set(l, &owner, 1, "1\0\0" "2\0\0" "3\0\0" "4\0\0" "5\0\0" "6\0\0"
					"7\0\0" "8\0", 24), 0);
	v.trace = "A\0\0B\0\0C\0\0D\0\0E\0\0F\0\0G\0\0H\0\0I\0\0"
		  "J\0\0K\0\0L\0\0M\0\0N\0\0O\0\0P\0\0Q\0\0R\0";
	v.trace_bytes = 3 * LABELS_MAX_TRACE;
	/* Only the four of a cgroup are not there. */
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), LABELS_MAX - 4);
	labels_free(l);
}

static bool has_ended;

static bool is_running(void *ctx, const struct labels_owner *of)
{
	assert_null(ctx);
	assert_int_equal(of->pid, owner.pid);
	assert_int_equal(of->exec_id, owner.exec_id);
	return !has_ended;
}

/* Sets that are kept have new numbers and the same labels. Labels of programs stay known. */
static void test_keep(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_TID | LABELS_WANT_COMM);
	uint32_t numbers[4] = { 0 };
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;
	int err = -1;

	(void)state;
	assert_int_equal(labels_add_set(l, &owner, 5, "role\0reader", 12), 0);
	assert_int_equal(labels_intern(l, &v), 1);
	v.comm = "second";
	assert_int_equal(labels_intern(l, &v), 2);
	v.comm = "third";
	v.set = 5;
	assert_int_equal(labels_intern(l, &v), 3);
	numbers[1] = 1;
	numbers[3] = 2;
	for (int n = 0; err; n++) {
		assert_int_equal(labels_nr(l), 3);
		allocations_left = n;
		err = labels_keep(l, numbers, is_running, NULL);
		allocations_left = -1;
	}
	assert_int_equal(labels_nr(l), 2);
	assert_int_equal(labels_get(l, 2, set), 3);
	assert_int_equal(set[0].num, 11);
	assert_string_equal(set[1].str, "third");
	assert_string_equal(set[2].key, "role");
	assert_string_equal(set[2].str, "reader");
	assert_int_equal(labels_intern(l, &v), 2);
	assert_int_equal(labels_intern(l, &base), 1);
	numbers[1] = 0;
	numbers[2] = 0;
	assert_int_equal(labels_keep(l, numbers, is_running, NULL), 0);
	assert_int_equal(labels_nr(l), 0);
	assert_int_equal(labels_intern(l, &v), 1);
	assert_int_equal(labels_get_own(l, 1, set), 1);
	assert_string_equal(set[0].str, "reader");
	labels_free(l);
}

/* The sets of a program that has ended go, but for those that kept sets have. */
static void test_keep_after_the_end(void **state)
{
	struct label_sets *l = labels_new(0);
	const uint32_t numbers[] = { 0, 0, 1 }, none[] = { 0, 0 };
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;

	(void)state;
	for (v.set = 1; v.set <= 2; v.set++) {
		const char *text = v.set == 1 ? "k\0a" : "k\0b";

		assert_int_equal(labels_add_set(l, &owner, v.set, text, 4), 0);
		assert_int_equal(labels_intern(l, &v), v.set);
	}
	has_ended = true;
	assert_int_equal(labels_keep(l, numbers, is_running, NULL), 0);
	assert_int_equal(labels_get_own(l, 1, set), 1);
	assert_string_equal(set[0].str, "b");
	assert_int_equal(labels_keep(l, none, is_running, NULL), 0);
	has_ended = false;
	v.set = 2;
	assert_int_equal(labels_intern(l, &v), 0);
	assert_int_equal(labels_add_set(l, &owner, 2, "k\0c", 4), 0);
	assert_int_equal(labels_get_own(l, labels_intern(l, &v), set), 1);
	assert_string_equal(set[0].str, "c");
	labels_free(l);
}

/* Traces that no kept set has are forgotten, and make room for others. */
static void test_keep_traces(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_COMM | LABELS_WANT_TRACE);
	struct labels_values v = { .thread = "", .comm = "first" };
	const uint32_t numbers[LABELS_MAX_TRACES + 1] = { [1] = 1 };
	struct profile_label set[LABELS_MAX];
	char text[32];

	(void)state;
	v.trace = text;
	v.trace_bytes = 17;
	memcpy(text, "trace_id", 9);
	for (unsigned int i = 0; i < LABELS_MAX_TRACES; i++) {
		snprintf(text + 9, 9, "%08x", i);
		assert_int_equal(labels_intern(l, &v), i + 1);
	}
	assert_int_equal(labels_keep(l, numbers, is_running, NULL), 0);
	assert_int_equal(labels_get(l, 1, set), 2);
	assert_string_equal(set[0].str, "first");
	assert_string_equal(set[1].str, "00000000");
	v.comm = "second";
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 2);
	assert_string_equal(set[0].str, "second");
	assert_int_equal(strtoul(set[1].str, NULL, 16), LABELS_MAX_TRACES - 1);
	labels_free(l);
}

/* Labels of the trace follow those of the program. Too many traces give no label. */
static void test_traces(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_TRACE);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = { .thread = "", .comm = "" };
	int64_t none = labels_intern(l, &v), first = 0, id;
	char text[32];

	(void)state;
	assert_int_equal(labels_add_set(l, &owner, 1, "trace_id\0own", 13), 0);
	v.set = 1;
	v.trace = text;
	memcpy(text, "trace_id\0        \0user\0x", 24);
	v.trace_bytes = 24;
	v.resource = "user\0y\0a\0b";
	v.resource_bytes = 11;
	assert_int_equal(labels_get(l, labels_intern(l, &v), set), 3);
	assert_string_equal(set[0].str, "own");
	assert_string_equal(set[1].str, "x");
	assert_string_equal(set[2].key, "a");
	v.set = 0;
	v.resource_bytes = 0;
	v.trace_bytes = 17;
	for (unsigned int i = 0; i < LABELS_MAX_TRACES; i++) {
		snprintf(text + 9, 9, "%08x", i);
		id = labels_intern(l, &v);
		first = i ? first : id;
	}
	assert_int_equal(labels_intern(l, &v), none);
	snprintf(text + 9, 9, "%08x", 0);
	assert_int_equal(labels_intern(l, &v), first);
	assert_int_equal(labels_get(l, first, set), 1);
	labels_free(l);
}

static void test_many(void **state)
{
	struct label_sets *l = labels_new(LABELS_WANT_TID | LABELS_WANT_THREAD);
	struct profile_label set[LABELS_MAX];
	struct labels_values v = base;
	char name[16];

	(void)state;
	v.thread = name;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 10000; i++) {
			snprintf(name, sizeof(name), "t%d", i / 2);
			v.tid = i;
			assert_int_equal(labels_intern(l, &v), i + 1);
		}
	}
	assert_int_equal(labels_get(l, 7778, set), 2);
	assert_int_equal(set[0].num, 7777);
	assert_string_equal(set[1].str, "t3888");
	labels_free(l);
}

static void test_every_allocation_may_fail(void **state)
{
	struct labels_values v = base;
	int nr_failures = 0;
	int64_t id = -1;

	(void)state;
	v.resource = "service.name\0shop";
	v.resource_bytes = 18;
	v.trace = v.resource;
	v.trace_bytes = 18;
	for (long n = 0; id < 0; n++) {
		struct label_sets *l;

		allocations_left = n;
		errno = 0;
		l = labels_new(ALL);
		assert_true(l || errno == ENOMEM);
		id = l ? labels_add_set(l, &owner, 1, "k\0v", 4) : -ENOMEM;
		if (!id)
			id = labels_intern(l, &v);
		allocations_left = -1;
		assert_true(id == 1 || id == -ENOMEM);
		nr_failures += id < 0;
		labels_free(l);
	}
	assert_true(nr_failures > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_wanted),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_each_alone),
		cmocka_unit_test(test_without_cpu),
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_each_of_cgroup),
		cmocka_unit_test(test_class),
		cmocka_unit_test(test_strings_are_copied),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_own_alone),
		cmocka_unit_test(test_own_with_our_key),
		cmocka_unit_test(test_own_odd),
		cmocka_unit_test(test_many_own),
		cmocka_unit_test(test_resource),
		cmocka_unit_test(test_most_labels),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_keep_after_the_end),
		cmocka_unit_test(test_keep_traces),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
