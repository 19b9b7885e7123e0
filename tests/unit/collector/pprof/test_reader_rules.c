// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/reader_rules.c collector/pprof/model.c collector/base/utf8.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lxxhash
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/decode_facts.h"
#include "pprof/model.h"
#include "pprof/reader_rules.h"

#define NS_PER_S	1000000000LL
#define NOW_NS		(1800000000 * NS_PER_S)

static struct model *m;
static struct decode_facts facts;

/* All findings, a line each: '!' and the text if the reader refuses, else '~' and the text. */
static char findings[2048];

static void collect(void *ctx, bool is_refused, const char *text)
{
	size_t len = strlen(findings);

	(void)ctx;
	snprintf(findings + len, sizeof(findings) - len, "%c%s\n", is_refused ? '!' : '~', text);
}

static void check(enum reader reader)
{
	const struct reader_rules rules = {
		.reader = reader, .now_ns = NOW_NS, .report = collect,
	};

	findings[0] = '\0';
	reader_rules_check(&rules, m, &facts);
}

static uint32_t string(const char *s)
{
	return model_add_string(m, s, strlen(s));
}

static void add_type(const char *type, const char *unit)
{
	const struct model_value_type t = { string(type), string(unit) };

	assert_int_equal(model_add_sample_type(m, &t), 0);
}

static void add_sample(uint32_t stack, uint32_t label_set, int64_t value)
{
	const struct model_sample sample = { stack, label_set };
	const int64_t values[] = { value, value };

	assert_int_equal(model_add_sample(m, &sample, values), 0);
}

/* A profile that all readers take whole, but for what `type` does. */
static void begin(const char *type)
{
	model_free(m);
	m = model_new();
	assert_non_null(m);
	memset(&facts, 0, sizeof(facts));
	add_type(type, "count");
	add_sample(0, 0, 1);
}

#define assert_finds(reader, start) do {					\
	check(reader);								\
	assert_memory_equal(findings, start, strlen(start));			\
	assert_ptr_equal(strchr(findings, '\n'), findings + strlen(findings) - 1); \
} while (0)

#define assert_takes(reader) do {						\
	check(reader);								\
	assert_string_equal(findings, "");					\
} while (0)

static void test_good(void **state)
{
	(void)state;
	begin("samples");
	assert_takes(READER_NONE);
	assert_takes(READER_PARCA);
	assert_takes(READER_PYROSCOPE);
	assert_takes(READER_SPEEDSCOPE);
}

static void test_parca(void **state)
{
	(void)state;
	begin("samples");
	facts.has_sparse_mappings = true;
	assert_finds(READER_PARCA, "!the ids of mappings");
	begin("samples");
	facts.has_sparse_locations = true;
	assert_finds(READER_PARCA, "!the ids of locations");
	begin("samples");
	facts.has_sparse_functions = true;
	assert_finds(READER_PARCA, "!the ids of functions");
	begin("samples");
	facts.has_lost_mapping = true;
	assert_finds(READER_PARCA, "!a location has a mapping");
	begin("samples");
	facts.has_label_without_key = true;
	assert_finds(READER_PARCA, "!a label has no key");
	begin("my/pkg.conns");
	assert_finds(READER_PARCA, "!'my/pkg.conns'");
	begin("samples");
	m->period_type.unit = string("a-b");
	assert_finds(READER_PARCA, "!'a-b'");
	begin("samples");
	m->samples.nr = 0;
	assert_finds(READER_PARCA, "~a profile without samples");
}

static void test_pyroscope_names(void **state)
{
	(void)state;
	begin("off-cpu");
	assert_finds(READER_PYROSCOPE, "!the sample type 'off-cpu'");
	begin("samples");
	string("\xff");
	assert_finds(READER_PYROSCOPE, "!'\xff' is not UTF-8");
	begin("samples");
	string("caf\xc3\xa9");
	assert_takes(READER_PYROSCOPE);
}

/* A time of 0 is taken as now. */
static void test_pyroscope_time(void **state)
{
	(void)state;
	begin("samples");
	m->time_ns = NOW_NS - 3600 * NS_PER_S;
	assert_takes(READER_PYROSCOPE);
	m->time_ns--;
	assert_finds(READER_PYROSCOPE, "!it is over an hour old");
	m->time_ns = INT64_MIN;
	assert_finds(READER_PYROSCOPE, "!it is over an hour old");
	m->time_ns = NOW_NS + 600 * NS_PER_S;
	assert_takes(READER_PYROSCOPE);
	m->time_ns++;
	assert_finds(READER_PYROSCOPE, "!it is over 10 minutes");
}

static void test_pyroscope_limits(void **state)
{
	(void)state;
	begin("samples");
	facts.nr_bytes = 4 << 20;
	while (m->samples.nr < 16000)
		add_sample(0, 0, 1);
	assert_takes(READER_PYROSCOPE);
	add_sample(0, 0, 1);
	assert_finds(READER_PYROSCOPE, "!it has 16001 samples");
	m->samples.nr--;
	facts.nr_bytes++;
	assert_finds(READER_PYROSCOPE, "!it has 4194305 bytes");
}

static void test_pyroscope_samples(void **state)
{
	static struct model_label labels[101];
	static uint32_t stack[1001];

	(void)state;
	begin("samples");
	for (size_t i = 0; i < 101; i++)
		labels[i] = (struct model_label){ .key = string("k"), .is_number = 1, .num = i };
	add_sample(model_add_stack(m, stack, 1000), model_add_label_set(m, labels, 100), 1);
	assert_takes(READER_PYROSCOPE);
	add_sample(0, model_add_label_set(m, labels, 101), 1);
	assert_finds(READER_PYROSCOPE, "!a sample has 101 labels");
	m->samples.nr--;
	add_sample(model_add_stack(m, stack, 1001), 0, 1);
	assert_finds(READER_PYROSCOPE, "~a stack of 1001 frames");
}

static void test_speedscope(void **state)
{
	const struct model_line lines[2] = { { .function = 0 } };

	(void)state;
	begin("samples");
	add_sample(0, 0, -1);
	assert_finds(READER_SPEEDSCOPE, "!a value is negative");
	begin("samples");
	m->samples.nr = 0;
	m->values.nr = 0;
	add_type("cpu", "nanoseconds");
	assert_finds(READER_SPEEDSCOPE, "~only the sample type 'cpu' is shown, of 2");
	m->sample_types.nr = 0;
	assert_finds(READER_SPEEDSCOPE, "!it has no sample types");
	begin("samples");
	model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE }, lines, 1);
	assert_takes(READER_SPEEDSCOPE);
	model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE }, lines, 2);
	assert_finds(READER_SPEEDSCOPE, "~inlined functions are left out at 1 ");
	begin("samples");
	model_add_location(m, &(struct model_location){ .mapping = MODEL_NONE }, lines, 0);
	assert_finds(READER_SPEEDSCOPE, "~1 locations without a name");
}

static int teardown(void **state)
{
	(void)state;
	model_free(m);
	m = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_good, teardown),
		cmocka_unit_test_teardown(test_parca, teardown),
		cmocka_unit_test_teardown(test_pyroscope_names, teardown),
		cmocka_unit_test_teardown(test_pyroscope_time, teardown),
		cmocka_unit_test_teardown(test_pyroscope_limits, teardown),
		cmocka_unit_test_teardown(test_pyroscope_samples, teardown),
		cmocka_unit_test_teardown(test_speedscope, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
