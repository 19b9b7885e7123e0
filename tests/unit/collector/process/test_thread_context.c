// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/thread_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "process/thread_context.h"

#define IDS	"trace_id\0" "0102030405060708090a0b0c0d0e0f10\0span_id\0" "a1a2a3a4a5a6a7f8\0"

static const struct process_context process = {
	.has_threads = true, .keys = (char *)"route\0\0user", .nr_keys = 3,
};

/* Makes a context on the heap: ASan checks its end. */
static struct pprof_sample_context *make(const void *attributes, size_t bytes)
{
	struct pprof_sample_context *c = calloc(1, sizeof(*c) + PPROF_MIN_CONTEXT_BYTES + bytes);

	c->bytes = PPROF_MIN_CONTEXT_BYTES + bytes;
	for (int i = 0; i < 16; i++)
		c->data[i] = i + 1;
	for (int i = 0; i < 8; i++)
		c->data[16 + i] = 0xa1 + i;
	c->data[23] = 0xf8;
	c->data[24] = 1;
	memcpy(c->data + PPROF_MIN_CONTEXT_BYTES, attributes, bytes);
	return c;
}

static void check(struct pprof_sample_context *c, const struct process_context *of,
		  const char *expected, size_t bytes)
{
	char *text = malloc(THREAD_CONTEXT_MAX_BYTES);

	assert_int_equal(thread_context_labels(c, of, text), bytes);
	assert_memory_equal(text, expected, bytes);
	free(text);
	free(c);
}

#define EXPECT(attributes, expected)	\
	check(make(attributes, sizeof(attributes) - 1), &process, expected, sizeof(expected) - 1)

static void test_ids(void **state)
{
	struct pprof_sample_context *c;

	(void)state;
	EXPECT("", IDS);
	c = make("", 0);
	memset(c->data, 0, 16);
	check(c, &process, "", 0);
	c = make("", 0);
	memset(c->data + 16, 0, 8);
	check(c, &process, "", 0);
	c = make("\0\1a", 3);
	memset(c->data, 0, 24);
	check(c, &process, "route\0a\0", 8);
}

static void test_attributes(void **state)
{
	(void)state;
	EXPECT("\0\2/a\2\1x", IDS "route\0/a\0user\0x\0");
	EXPECT("\2\1x\0\2/a\2\1y", IDS "user\0y\0route\0/a\0");	/* the last one counts */
	EXPECT("\1\1x\3\1y\xff\1z\2\1u", IDS "user\0u\0");	/* names that are not known */
	EXPECT("\0\0\2\1\xff", IDS);				/* no valid values */
	EXPECT("\0\3a\0b", IDS);
	EXPECT("\2\1x\0\2/a\2\0", IDS "route\0/a\0");
}

/* What does not fit in the record ends it. */
static void test_cut_attributes(void **state)
{
	(void)state;
	EXPECT("\0", IDS);
	EXPECT("\0\1", IDS);
	EXPECT("\0\3ab", IDS);
	EXPECT("\2\1x\0\xff/a", IDS "user\0x\0");
}

static void test_many_attributes(void **state)
{
	char keys[2 * 64], attributes[3 * 64], text[THREAD_CONTEXT_MAX_BYTES];
	const struct process_context many = { .has_threads = true, .keys = keys, .nr_keys = 64 };
	struct pprof_sample_context *c;

	(void)state;
	for (int i = 0; i < 64; i++) {
		memcpy(keys + 2 * i, "k", 2);
		memcpy(attributes + 3 * i, (char[]){ i, 1, 'v' }, 3);
	}
	c = make(attributes, sizeof(attributes));
	assert_int_equal(thread_context_labels(c, &many, text),
			 sizeof(IDS) - 1 + 4 * THREAD_CONTEXT_MAX_ATTRIBUTES);
	free(c);
}

static void test_longest(void **state)
{
	char key[256], attributes[2 + 255], text[THREAD_CONTEXT_MAX_BYTES];
	const struct process_context of = { .has_threads = true, .keys = key, .nr_keys = 1 };
	struct pprof_sample_context *c;

	(void)state;
	memset(key, 'k', 255);
	key[255] = 0;
	memset(attributes, 'v', sizeof(attributes));
	attributes[0] = 0;
	attributes[1] = 255;
	c = make(attributes, sizeof(attributes));
	assert_int_equal(thread_context_labels(c, &of, text), sizeof(IDS) - 1 + 512);
	free(c);
}

static void check_custom(const void *data, size_t data_bytes, const char *expected, size_t bytes)
{
	static const struct process_context none;
	struct pprof_sample_context *c = calloc(1, sizeof(*c) + data_bytes);

	c->format = PPROF_CONTEXT_LABELS;
	c->bytes = data_bytes;
	memcpy(c->data, data, data_bytes);
	check(c, &none, expected, bytes);
}

#define EXPECT_CUSTOM(data, expected)	\
	check_custom(data, sizeof(data) - 1, expected, sizeof(expected) - 1)

static void test_custom_labels(void **state)
{
	(void)state;
	EXPECT_CUSTOM("\4\1user7\2\3idabc", "user\0" "7\0" "id\0" "abc\0");
	EXPECT_CUSTOM("\2\1idx\1\1ky\2\1idz", "id\0x\0k\0y\0");	/* the first one counts */
	EXPECT_CUSTOM("\1\2abc\2\1abd", "a\0bc\0" "ab\0d\0");	/* of no other key */
	EXPECT_CUSTOM("\2\2xykk\2\1kkz", "xy\0kk\0kk\0z\0");	/* a value is no key */
	EXPECT_CUSTOM("\2\0id\1\1\xffx\1\1k\0\1\1ab", "a\0b\0");	/* no valid labels */
	EXPECT_CUSTOM("\1\1ab\4\1use", "a\0b\0");		/* one that does not fit */
	EXPECT_CUSTOM("\1\1ab\4", "a\0b\0");
}

static void test_many_custom_labels(void **state)
{
	char data[4 * 64], text[4 * PPROF_MAX_CONTEXT_LABELS];

	(void)state;
	for (int i = 0; i < 64; i++)
		memcpy(data + 4 * i, (char[]){ 1, 1, '0' + i, 'v' }, 4);
	for (int i = 0; i < PPROF_MAX_CONTEXT_LABELS; i++)
		memcpy(text + 4 * i, (char[]){ '0' + i, 0, 'v', 0 }, 4);
	check_custom(data, sizeof(data), text, sizeof(text));
}

static void test_no_labels(void **state)
{
	const struct process_context other = { .keys = process.keys, .nr_keys = 3 };
	const struct process_context empty = { 0 };
	struct pprof_sample_context *c;

	(void)state;
	check(make("\0\1a", 3), &other, "", 0);
	check(make("\0\1a", 3), &empty, "", 0);
	c = make("\0\1a", 3);
	c->data[24] = 0;
	check(c, &process, "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_cut_attributes),
		cmocka_unit_test(test_many_attributes),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_custom_labels),
		cmocka_unit_test(test_many_custom_labels),
		cmocka_unit_test(test_no_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
