// SPDX-License-Identifier: GPL-2.0
// sources: collector/arch/x86/packed_ids.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/packed_ids.h"
#include "pprof/protobuf_reader.h"

#define MAX_IDS	64

/* Ids as they are packed. The memory is as large as a reader expects, so that ASan checks this. */
struct field {
	uint8_t *bytes;
	size_t len;
	uint32_t *to;
};

static size_t put(uint8_t *to, uint64_t id)
{
	size_t len = 0;

	for (; id >= 0x80; id >>= 7)
		to[len++] = id | 0x80;
	to[len++] = id;
	return len;
}

/* The bytes after the field would be ids, too. */
static struct field pack(const uint64_t *ids, size_t nr)
{
	uint8_t bytes[MAX_IDS * 10];
	struct field f = { 0 };

	for (size_t i = 0; i < nr; i++)
		f.len += put(bytes + f.len, ids[i]);
	f.bytes = malloc(f.len + ARCH_PACKED_IDS_READ);
	memset(f.bytes, 0x7f, f.len + ARCH_PACKED_IDS_READ);
	memcpy(f.bytes, bytes, f.len);
	f.to = malloc((f.len + ARCH_PACKED_IDS_ROOM) * sizeof(*f.to));
	return f;
}

static void drop(struct field *f)
{
	free(f->bytes);
	free(f->to);
}

/* Reads a field as the decoder does. Returns: the number of ids that were left to the caller. */
static size_t read_and_check(const uint64_t *ids, size_t nr)
{
	struct field f = pack(ids, nr);
	struct proto_message m = { f.bytes, f.bytes + f.len };
	uint32_t *to = f.to, max = 0;
	size_t nr_left = 0;
	uint64_t id;

	for (;;) {
		to = arch_packed_ids_read(&m.at, m.end, to, &max);
		if (m.at == m.end)
			break;
		assert_true(proto_read_varint(&m, &id));
		*to++ = id - 1;
		nr_left++;
	}
	assert_int_equal(to - f.to, nr);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(f.to[i], (uint32_t)(ids[i] - 1));
	drop(&f);
	return nr_left;
}

/* Lengths in each order, and each number of ids after the last whole word. */
static void test_ids_of_up_to_four_bytes_are_read(void **state)
{
	static const uint64_t largest[] = { 0x7f, 0x3fff, 0x1fffff, 0xfffffff };
	uint64_t ids[MAX_IDS];

	(void)state;
	for (unsigned int lengths = 0; lengths < 1 << 16; lengths++) {
		size_t nr = 8 + lengths % 12;

		for (size_t i = 0; i < nr; i++)
			ids[i] = largest[lengths >> 2 * (i % 8) & 3] - i;
		assert_int_equal(read_and_check(ids, nr), 0);
	}
	assert_int_equal(read_and_check(NULL, 0), 0);
}

static void test_other_ids_are_left_to_the_caller(void **state)
{
	uint64_t ids[MAX_IDS];

	(void)state;
	for (size_t nr = 1; nr < 24; nr++) {
		for (size_t i = 0; i < nr; i++)
			ids[i] = 300 + i;
		for (size_t i = 0; i < nr; i++) {
			ids[i] = 1 << 28;
			assert_int_equal(read_and_check(ids, nr), 1);
			ids[i] = UINT64_MAX;
			assert_int_equal(read_and_check(ids, nr), 1);
			ids[i] = 0;
			assert_in_range(read_and_check(ids, nr), 1, ARCH_PACKED_IDS_READ);
			ids[i] = 300 + i;
		}
	}
}

/* The largest number is at each place of a word in turn. A larger one of before stays. */
static void test_the_largest_number(void **state)
{
	uint64_t ids[] = { 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5 };

	(void)state;
	for (size_t i = 0; i < 11; i++) {
		struct field f;
		const uint8_t *at;
		uint32_t max = 7;

		ids[i] = 9;
		f = pack(ids, 11);
		at = f.bytes;
		arch_packed_ids_read(&at, at + f.len, f.to, &max);
		assert_int_equal(max, 8);
		max = UINT32_MAX - 1;
		at = f.bytes;
		arch_packed_ids_read(&at, at + f.len, f.to, &max);
		assert_int_equal(max, UINT32_MAX - 1);
		drop(&f);
		ids[i] = 5;
	}
}

/* The last byte lacks its end. Nothing of it is read. */
static void test_an_id_that_is_cut_off(void **state)
{
	static const uint64_t ids[] = { 300, 301, 302, 303, 304, 305, 306, 307 };

	(void)state;
	for (size_t len = 0; len < 16; len++) {
		struct field f = pack(ids, 8);
		const uint8_t *at = f.bytes;
		uint32_t max = 0;
		uint32_t *end = arch_packed_ids_read(&at, at + len, f.to, &max);

		assert_int_equal(end - f.to, len / 2);
		assert_int_equal(at - f.bytes, len / 2 * 2);
		assert_int_equal(max, len < 2 ? 0 : 300 + len / 2 - 2);
		drop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_of_up_to_four_bytes_are_read),
		cmocka_unit_test(test_other_ids_are_left_to_the_caller),
		cmocka_unit_test(test_the_largest_number),
		cmocka_unit_test(test_an_id_that_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
