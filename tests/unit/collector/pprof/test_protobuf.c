// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/protobuf.c
/*
 * Some of the expected bytes are examples of the page "Encoding" in the documentation of protobuf:
 * 150, "testing", and 3 270 86942.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/protobuf.h"

struct taken {
	unsigned char bytes[4 << 20];
	size_t len;
	size_t largest;		/* the largest piece, in bytes */
	size_t fail_at;		/* bytes after which the sink fails; 0: never */
	unsigned int calls_after_failure;
};

static struct taken taken;

static int take(void *ctx, const void *data, size_t len)
{
	struct taken *t = ctx;

	if (t->fail_at && t->len >= t->fail_at) {
		t->calls_after_failure++;
		return -EPIPE;
	}
	memcpy(t->bytes + t->len, data, len);
	t->len += len;
	if (len > t->largest)
		t->largest = len;
	return 0;
}

static int setup(void **state)
{
	memset(&taken, 0, sizeof(taken));
	*state = proto_new(take, &taken);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	proto_free(*state);
	return 0;
}

static void assert_written(struct proto *p, const char *bytes, size_t len)
{
	assert_int_equal(proto_flush(p), 0);
	assert_int_equal(taken.len, len);
	assert_memory_equal(taken.bytes, bytes, len);
}

#define ASSERT_WRITTEN(p, bytes)	assert_written(p, bytes, sizeof(bytes) - 1)

static void test_varints(void **state)
{
	proto_uint(*state, 1, 150);
	proto_uint(*state, 2, 127);
	proto_uint(*state, 3, 128);
	proto_uint(*state, 4, UINT64_MAX);
	ASSERT_WRITTEN(*state, "\x08\x96\x01" "\x10\x7f" "\x18\x80\x01"
		       "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void test_negative_integers_take_ten_bytes(void **state)
{
	proto_int(*state, 1, -1);
	proto_int(*state, 1, INT64_MIN);
	ASSERT_WRITTEN(*state, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
		       "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01");
}

static void test_zero_takes_nothing(void **state)
{
	proto_uint(*state, 1, 0);
	proto_int(*state, 1, 0);
	proto_packed(*state, 1, NULL, 0);
	ASSERT_WRITTEN(*state, "");
}

static void test_bytes(void **state)
{
	proto_bytes(*state, 2, "testing", 7);
	proto_bytes(*state, 2, NULL, 0);
	proto_bytes(*state, 2, "a\0b", 3);
	ASSERT_WRITTEN(*state, "\x12\x07testing" "\x12\x00" "\x12\x03" "a\0b");
}

static void test_large_field_numbers(void **state)
{
	proto_uint(*state, 15, 1);
	proto_uint(*state, 16, 1);
	proto_uint(*state, (1U << 29) - 1, 1);
	ASSERT_WRITTEN(*state, "\x78\x01" "\x80\x01\x01" "\xf8\xff\xff\xff\x0f\x01");
}

static void test_packed(void **state)
{
	uint64_t values[] = { 3, 270, 86942 }, zero = 0;

	proto_packed(*state, 4, values, 3);
	proto_packed(*state, 4, &zero, 1);
	ASSERT_WRITTEN(*state, "\x22\x06\x03\x8e\x02\x9e\xa7\x05" "\x22\x01\x00");
}

static void test_nested(void **state)
{
	proto_begin(*state, 3);
	proto_uint(*state, 1, 150);
	proto_begin(*state, 2);
	proto_end(*state);
	proto_begin(*state, 2);
	proto_uint(*state, 1, 1);
	proto_end(*state);
	proto_end(*state);
	proto_uint(*state, 1, 1);
	ASSERT_WRITTEN(*state, "\x1a\x09" "\x08\x96\x01" "\x12\x00" "\x12\x02\x08\x01"
		       "\x08\x01");
}

/* The length takes two bytes from 128 on, and three from 16384 on. */
static void test_long_nested_messages(void **state)
{
	static const size_t sizes[] = { 125, 126, 16000, 100000 };
	static char text[100000];
	size_t i, len = 0;

	memset(text, 'x', sizeof(text));
	for (i = 0; i < 4; i++) {
		proto_begin(*state, 1);
		proto_bytes(*state, 2, text, sizes[i]);
		proto_end(*state);
	}
	assert_int_equal(proto_flush(*state), 0);
	assert_memory_equal(taken.bytes, "\x0a\x7f\x12\x7dx", 5);
	len = 2 + 127;
	assert_memory_equal(taken.bytes + len, "\x0a\x80\x01\x12\x7ex", 6);
	len += 3 + 128;
	assert_memory_equal(taken.bytes + len, "\x0a\x83\x7d\x12\x80\x7dx", 7);
	len += 3 + 3 + 16000;
	assert_memory_equal(taken.bytes + len, "\x0a\xa4\x8d\x06\x12\xa0\x8d\x06x", 9);
	assert_int_equal(taken.len, len + 4 + 4 + 100000);
}

static void test_eight_levels_and_no_more(void **state)
{
	int i;

	for (i = 0; i < 8; i++)
		proto_begin(*state, 1);
	for (i = 0; i < 8; i++)
		proto_end(*state);
	ASSERT_WRITTEN(*state, "\x0a\x0e\x0a\x0c\x0a\x0a\x0a\x08\x0a\x06\x0a\x04\x0a\x02\x0a\x00");
	for (i = 0; i < 9; i++)
		proto_begin(*state, 1);
	for (i = 0; i < 9; i++)
		proto_end(*state);
	assert_int_equal(proto_flush(*state), -EINVAL);
	assert_int_equal(taken.len, 16);
}

static void test_fixed64(void **state)
{
	proto_fixed64(*state, 3, 0x0123456789abcdef);
	proto_fixed64(*state, 3, 0);
	ASSERT_WRITTEN(*state, "\x19\xef\xcd\xab\x89\x67\x45\x23\x01");
}

/* A message of a known length is the same as one that proto_end() ends. */
static void test_message_of_known_length(void **state)
{
	proto_message(*state, 1, 3);
	proto_uint(*state, 1, 150);
	proto_message(*state, 16, 0);
	ASSERT_WRITTEN(*state, "\x0a\x03\x08\x96\x01" "\x82\x01\x00");
	assert_int_equal(proto_message_bytes(1, 3), 5);
	assert_int_equal(proto_message_bytes(16, 0), 3);
	assert_int_equal(proto_message_bytes(1, 128), 131);
}

static void test_begin_without_end(void **state)
{
	proto_begin(*state, 1);
	assert_int_equal(proto_flush(*state), -EINVAL);
	assert_int_equal(taken.len, 0);
}

static void test_end_without_begin(void **state)
{
	proto_end(*state);
	assert_int_equal(proto_flush(*state), -EINVAL);
}

static void test_output_leaves_in_pieces(void **state)
{
	int i;

	for (i = 0; i < 100000; i++) {
		proto_begin(*state, 2);
		proto_uint(*state, 1, 1000000 + i);
		proto_bytes(*state, 2, "0123456789", 10);
		proto_end(*state);
	}
	assert_true(taken.len > 1500000);
	assert_int_equal(proto_flush(*state), 0);
	assert_int_equal(taken.len, 100000 * (2 + 4 + 12));
	assert_true(taken.largest < 64 << 10);
	assert_memory_equal(taken.bytes + taken.len - 18,
			    "\x12\x10\x08\xdf\x91\x43\x12\x0a" "0123456789", 18);
}

static void test_error_of_the_sink_sticks(void **state)
{
	int i;

	taken.fail_at = 1;
	for (i = 0; i < 100000; i++)
		proto_bytes(*state, 1, "0123456789", 10);
	assert_int_equal(proto_flush(*state), -EPIPE);
	assert_int_equal(proto_flush(*state), -EPIPE);
	assert_int_equal(taken.calls_after_failure, 1);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_varints),
		WITH_SETUP(test_negative_integers_take_ten_bytes),
		WITH_SETUP(test_zero_takes_nothing),
		WITH_SETUP(test_bytes),
		WITH_SETUP(test_large_field_numbers),
		WITH_SETUP(test_packed),
		WITH_SETUP(test_nested),
		WITH_SETUP(test_long_nested_messages),
		WITH_SETUP(test_eight_levels_and_no_more),
		WITH_SETUP(test_fixed64),
		WITH_SETUP(test_message_of_known_length),
		WITH_SETUP(test_begin_without_end),
		WITH_SETUP(test_end_without_begin),
		WITH_SETUP(test_output_leaves_in_pieces),
		WITH_SETUP(test_error_of_the_sink_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
