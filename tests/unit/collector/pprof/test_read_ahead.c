// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/profile_fault.c collector/pprof/profile_source.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/read_ahead.c
// flags: -O1 -g -fsanitize=thread
// libs: -lz -lisal -pthread
/* Runs the thread and its caller at the same time, under ThreadSanitizer. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/profile_fault.h"
#include "pprof/profile_source.h"
#include "pprof/read_ahead.h"

#define NR_BYTES	((READ_AHEAD_BLOCKS * 5) * READ_AHEAD_BLOCK_BYTES + 77)

static uint8_t *data;
static struct profile_fault fault;

static int make_data(void **state)
{
	(void)state;
	data = malloc(NR_BYTES);
	for (size_t i = 0; data && i < NR_BYTES; i++)
		data[i] = i * i >> 8;
	return data ? 0 : -1;
}

static int free_data(void **state)
{
	(void)state;
	free(data);
	return 0;
}

static struct profile_source *open_data(const void *bytes, size_t len)
{
	struct profile_source *source;

	assert_int_equal(profile_source_open_memory(&source, bytes, len, &fault), 0);
	return source;
}

/* Reads pieces of many sizes. Returns: the error at the end, or 0; *done is the number of bytes. */
static int read_all(struct read_ahead *r, const uint8_t *expected, size_t *done)
{
	static uint8_t piece[700001];
	size_t len = 1, got;
	int err;

	for (*done = 0;; *done += got) {
		len = len * 3 % sizeof(piece) + 1;
		err = read_ahead_read(r, piece, len, &got, &fault);
		if (err || !got)
			return err;
		assert_true(got <= len);
		assert_memory_equal(piece, expected + *done, got);
	}
}

static void test_all_bytes_come(void **state)
{
	struct profile_source *source = open_data(data, NR_BYTES);
	struct read_ahead *r = read_ahead_start(source);
	size_t got;

	(void)state;
	assert_non_null(r);
	assert_int_equal(read_all(r, data, &got), 0);
	assert_int_equal(got, NR_BYTES);
	assert_int_equal(read_ahead_read(r, data, 1, &got, &fault), 0);
	assert_int_equal(got, 0);
	read_ahead_stop(r);
	profile_source_free(source);
}

/* The last bytes are a whole block, or there are none at all. */
static void test_whole_blocks(void **state)
{
	static const size_t lens[] = { 0, 1, READ_AHEAD_BLOCK_BYTES, 2 * READ_AHEAD_BLOCK_BYTES };
	size_t got;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct profile_source *source = open_data(data, lens[i]);
		struct read_ahead *r = read_ahead_start(source);

		assert_non_null(r);
		assert_int_equal(read_all(r, data, &got), 0);
		assert_int_equal(got, lens[i]);
		read_ahead_stop(r);
		profile_source_free(source);
	}
}

/* The thread waits for room when it is stopped, or has not even begun. */
static void test_a_stop_before_the_end(void **state)
{
	uint8_t byte;
	size_t got;

	(void)state;
	for (int i = 0; i < 20; i++) {
		struct profile_source *source = open_data(data, NR_BYTES);
		struct read_ahead *r = read_ahead_start(source);

		assert_non_null(r);
		if (i % 2) {
			assert_int_equal(read_ahead_read(r, &byte, 1, &got, &fault), 0);
			assert_int_equal(got, 1);
		}
		read_ahead_stop(r);
		profile_source_free(source);
	}
}

/* 200 bytes in a stored block, then a block of a wrong type. The fault stays. */
static void test_a_fault(void **state)
{
	uint8_t gz[300] = { 0x1f, 0x8b, 8, [9] = 3, 0, 200, 0, 55, 255 };
	struct profile_source *source;
	struct read_ahead *r;
	size_t got;

	(void)state;
	memcpy(gz + 15, data, 200);
	gz[215] = 7;
	source = open_data(gz, sizeof(gz));
	r = read_ahead_start(source);
	assert_non_null(r);
	assert_int_equal(read_all(r, data, &got), -EBADMSG);
	assert_non_null(strstr(fault.text, "an invalid block"));
	/* The offset is in the gzipped file. The library may have read eight bytes ahead. */
	assert_in_range(fault.offset, 216, 224);
	assert_int_equal(read_ahead_read(r, data, 1, &got, &fault), -EBADMSG);
	read_ahead_stop(r);
	profile_source_free(source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_bytes_come),
		cmocka_unit_test(test_whole_blocks),
		cmocka_unit_test(test_a_stop_before_the_end),
		cmocka_unit_test(test_a_fault),
	};

	return cmocka_run_group_tests(tests, make_data, free_data);
}
