// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/gzip_member.c
// libs: -lz -lisal
/* Compares gzip_member with zlib: both take the same members, and inflate them to equal bytes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

#include "pprof/gzip_member.h"

#define MAX_BYTES	((size_t)1 << 20)

struct bytes {
	size_t len;
	uint8_t data[MAX_BYTES];
};

static struct bytes text, gz, expected, result;

static uint8_t noise(void)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return seed >> 24;
}

/* Repeats earlier bytes at all distances, and has bytes of few and of many values. */
static void make_text(size_t len)
{
	size_t back, nr;

	for (text.len = 0; text.len < len;) {
		text.data[text.len] = noise() & (text.len & 4096 ? 0xff : 0x0f);
		text.len++;
		back = (noise() << 8 | noise()) % 32768 + 1;
		nr = noise() & 1 ? noise() % 40 : 0;
		while (nr-- && back <= text.len && text.len < len) {
			text.data[text.len] = text.data[text.len - back];
			text.len++;
		}
	}
}

static void make_member(int level, int strategy, gz_header *header)
{
	z_stream z = { 0 };

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, strategy), Z_OK);
	if (header)
		assert_int_equal(deflateSetHeader(&z, header), Z_OK);
	z.next_in = text.data;
	z.avail_in = text.len;
	z.next_out = gz.data;
	z.avail_out = MAX_BYTES;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	gz.len = z.total_out;
	deflateEnd(&z);
}

/* Returns: 1 if zlib takes the member, -ENODATA if it is truncated, or -EBADMSG. */
static int inflate_by_zlib(size_t *used)
{
	z_stream z = { .next_in = gz.data, .avail_in = gz.len, .next_out = expected.data,
		       .avail_out = MAX_BYTES };
	int ret;

	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	ret = inflate(&z, Z_NO_FLUSH);
	*used = z.total_in;
	expected.len = z.total_out;
	inflateEnd(&z);
	return ret == Z_STREAM_END ? 1 : ret == Z_OK || ret == Z_BUF_ERROR ? -ENODATA : -EBADMSG;
}

/* Reads gz in parts of nr_in bytes, and makes at most nr_out bytes at a time. */
static int inflate_by_parts(struct gzip_member *g, size_t nr_in, size_t nr_out, size_t *used)
{
	const uint8_t *at = gz.data, *end = gz.data, *last = gz.data + gz.len;
	const char *found = NULL;
	size_t got;
	int err;

	gzip_member_reset(g);
	result.len = 0;
	do {
		if (at == end)
			end = (size_t)(last - at) < nr_in ? last : at + nr_in;
		assert_true(result.len + nr_out <= MAX_BYTES);
		err = gzip_member_read(g, &at, end, result.data + result.len, nr_out, &got, &found);
		assert_true(got <= nr_out && at <= end);
		result.len += got;
	} while (!err);
	if (err == -EBADMSG)
		assert_non_null(found);
	*used = at - gz.data;
	return err;
}

/*
 * Of a damaged member, both may find another fault. zlib also refuses some code lengths of symbols
 * that the member does not use.
 */
static void compare(struct gzip_member *g, size_t nr_in, size_t nr_out)
{
	size_t used, used_expected;
	int expected_err = inflate_by_zlib(&used_expected);
	int err = inflate_by_parts(g, nr_in, nr_out, &used);

	if (expected_err != -EBADMSG)
		assert_int_equal(err, expected_err);
	if (err != 1)
		return;
	assert_int_equal(result.len, text.len);
	assert_memory_equal(result.data, text.data, result.len);
	if (expected_err == 1)
		assert_int_equal(used, used_expected);
}

static void compare_parts(struct gzip_member *g)
{
	static const size_t in[] = { 1, 7, 8, 9, MAX_BYTES }, out[] = { 13, 333, MAX_BYTES / 2 };

	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 3; k++)
			compare(g, in[i], out[k]);
}

static void test_levels(void **state)
{
	struct gzip_member *g = gzip_member_new();

	(void)state;
	for (int level = 0; level <= 9; level += 3)
		for (int strategy = Z_DEFAULT_STRATEGY; strategy <= Z_FIXED; strategy++) {
			make_text(1500);
			make_member(level, strategy, NULL);
			compare_parts(g);
		}
	make_text(200000);
	for (int level = 0; level <= 9; level += 3) {
		make_member(level, Z_DEFAULT_STRATEGY, NULL);
		for (size_t nr_out = 10000; nr_out < MAX_BYTES / 2; nr_out *= 3)
			compare(g, 65536, nr_out);
	}
	gzip_member_free(g);
}

/* The bytes behind a member are left to the caller. */
static void test_end(void **state)
{
	struct gzip_member *g = gzip_member_new();

	(void)state;
	for (size_t len = 0; len < 70; len++) {
		make_text(len);
		make_member(6, Z_DEFAULT_STRATEGY, NULL);
		memset(gz.data + gz.len, 0x8b, 40);
		gz.len += 40;
		compare_parts(g);
	}
	gzip_member_free(g);
}

/* An extra field, a name, a comment and a check sum of the header, in all combinations. */
static void test_headers(void **state)
{
	struct gzip_member *g = gzip_member_new();
	uint8_t extra[300] = { 1, 2, 3 };

	(void)state;
	make_text(500);
	for (int set = 0; set < 16; set++) {
		gz_header header = { .os = 3, .hcrc = set & 8 };

		header.extra = set & 1 ? extra : NULL;
		header.extra_len = sizeof(extra);
		header.name = set & 2 ? (uint8_t *)"profile.pb" : NULL;
		header.comment = set & 4 ? (uint8_t *)"made by a test" : NULL;
		make_member(6, Z_DEFAULT_STRATEGY, &header);
		compare_parts(g);
		gz.data[set & 3 ? 15 : 9] ^= 0x10;
		compare_parts(g);
	}
	gzip_member_free(g);
}

static void test_truncated(void **state)
{
	struct gzip_member *g = gzip_member_new();

	(void)state;
	make_text(400);
	make_member(6, Z_DEFAULT_STRATEGY, NULL);
	while (gz.len--) {
		compare(g, gz.len + 1, MAX_BYTES / 2);
		compare(g, 11, 200);
	}
	gzip_member_free(g);
}

/* Each bit of a member is wrong once. */
static void test_damaged(void **state)
{
	static const int strategies[] = { Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED };
	struct gzip_member *g = gzip_member_new();

	(void)state;
	for (int i = 0; i < 3; i++) {
		make_text(300);
		make_member(9, strategies[i], NULL);
		for (size_t bit = 0; bit < gz.len * 8; bit++) {
			gz.data[bit / 8] ^= 1 << bit % 8;
			compare(g, bit % 99 + 1, 4096);
			gz.data[bit / 8] ^= 1 << bit % 8;
		}
	}
	gzip_member_free(g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
