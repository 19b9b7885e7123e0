// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/thread_context.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/* The memory of the thread is played by usermem.h, and its thread pointer by this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <asm/fsgsbase.h>

#include "kmod/record/thread_context.h"
#include "usermem.h"

#define BASE		0x700000000000
#define MEMORY_BYTES	(USERMEM_WORDS * 8)
#define RECORD		(BASE + 4096)
#define TP		(BASE + 1024)

static const struct pprof_tls_address at_tp = { .kind = PPROF_TLS_STATIC, .offset = -16 };
static const struct pprof_tls_address in_glibc = {
	.kind = PPROF_TLS_DTV_GLIBC, .module = 3, .offset = 24,
};

static const struct pprof_tls_address in_musl = {
	.kind = PPROF_TLS_DTV_MUSL, .module = 3, .offset = 24,
};

static const struct pprof_tls_address labels_at_tp = {
	.kind = PPROF_TLS_STATIC, .offset = -16, .format = PPROF_CONTEXT_LABELS,
};

static u64 thread_pointer;
static _Alignas(8) u8 room[PPROF_THREAD_CONTEXT_ROOM + 8];
static struct pprof_sample_context *context;

unsigned long shim_fs_base(void)
{
	return thread_pointer;
}

static void put(u64 address, u64 word)
{
	memcpy((char *)usermem.words + (address - BASE), &word, 8);
}

/* Puts a record of a head and @bytes of attributes at RECORD or elsewhere. */
static void put_record(u64 address, u8 valid, u16 bytes)
{
	u8 *at = (u8 *)usermem.words + (address - BASE);

	for (int i = 0; i < 28 + bytes && at + i < (u8 *)usermem.words + MEMORY_BYTES; i++)
		at[i] = i + 1;
	at[24] = valid;
	memcpy(at + 26, &bytes, 2);
}

static int begin(void **state)
{
	memset(&usermem, 0, sizeof(usermem));
	usermem.base = BASE;
	thread_pointer = TP;
	put(TP - 16, RECORD);
	memset(room, 0xee, sizeof(room));
	context = (struct pprof_sample_context *)room;
	return 0;
}

static bool read(const struct pprof_tls_address *tls)
{
	bool is_read = pprof_thread_context_read(tls, context);

	assert_int_equal(usermem.disabled, 0);
	assert_int_equal(usermem.opened, 0);
	for (size_t i = PPROF_THREAD_CONTEXT_ROOM; i < sizeof(room); i++)
		assert_int_equal(room[i], 0xee);
	return is_read;
}

static void expect(const struct pprof_tls_address *tls, u16 attributes)
{
	assert_true(read(tls));
	assert_int_equal(context->bytes, 28 + attributes);
	assert_int_equal(context->format, PPROF_CONTEXT_OTEL);
	assert_memory_equal(context->data, (char *)usermem.words + (RECORD - BASE),
			    context->bytes);
	for (u32 i = context->bytes; i % 8; i++)
		assert_int_equal(context->data[i], 0);
}

static void test_every_size(void **state)
{
	for (int bytes = 0; bytes <= 640 - 28; bytes++) {
		begin(state);
		put_record(RECORD, 1, bytes);
		expect(&at_tp, bytes);
	}
	for (int bytes = 640 - 27; bytes <= 65535; bytes += 37) {
		begin(state);
		put_record(RECORD, 1, bytes);
		assert_false(read(&at_tp));
	}
}

static void test_only_one_is_valid(void **state)
{
	for (int valid = 0; valid < 256; valid++) {
		put_record(RECORD, valid, 8);
		assert_int_equal(read(&at_tp), valid == 1);
	}
}

static void test_no_record(void **state)
{
	put(TP - 16, 0);
	assert_false(read(&at_tp));
}

/* Nothing behind a record is read: its memory may end there. */
static void test_record_at_the_end_of_memory(void **state)
{
	for (int bytes = 0; bytes < 40; bytes++) {
		u64 address = BASE + MEMORY_BYTES - 28 - bytes;

		begin(state);
		put(TP - 16, address);
		put_record(address, 1, bytes);
		assert_true(read(&at_tp));
		assert_int_equal(usermem.nr_faults, 0);
		assert_memory_equal(context->data, (char *)usermem.words + (address - BASE),
				    28 + bytes);
	}
}

static void test_bad_addresses(void **state)
{
	static const u64 bad[] = {
		1, BASE - 64, BASE + MEMORY_BYTES - 20, 0x7fffffffeff9, 0x7ffffffff000,
		0x7fffffffed80, 0x8000000000000000, 0xffffffff81000000, ~0ULL, ~0ULL - 20,
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin(state);
		put(TP - 16, bad[i]);
		assert_false(read(&at_tp));
		begin(state);
		thread_pointer = bad[i];
		assert_false(read(&at_tp));
		assert_false(read(&in_glibc));
		assert_false(read(&in_musl));
		begin(state);
		put(TP + 8, bad[i]);
		assert_false(read(&in_glibc));
		assert_false(read(&in_musl));
	}
}

static void test_faults(void **state)
{
	put_record(RECORD, 1, 12);
	usermem.faults[0] = RECORD + 20;
	assert_false(read(&at_tp));
	usermem.faults[0] = RECORD + 8;	/* of the copy */
	assert_false(read(&at_tp));
	usermem.faults[0] = TP - 16;
	assert_false(read(&at_tp));
	usermem.faults[0] = 0;
	usermem.closed = true;
	assert_false(read(&at_tp));
	usermem.closed = false;
	assert_true(read(&at_tp));
}

#define DTV	(BASE + 2048)
#define BLOCK	(BASE + 3072)

static void test_dtv_of_glibc(void **state)
{
	put_record(RECORD, 1, 4);
	put(TP + 8, DTV);
	put(DTV - 16, 3);
	put(DTV + 3 * 16, BLOCK);
	put(BLOCK + 24, RECORD);
	expect(&in_glibc, 4);
	put(DTV - 16, 2);		/* the thread does not know the module yet */
	assert_false(read(&in_glibc));
	put(DTV - 16, 64);
	put(DTV + 3 * 16, ~0ULL);	/* it has no block of the module yet */
	assert_false(read(&in_glibc));
	put(DTV + 3 * 16, 0);
	assert_false(read(&in_glibc));
}

static void test_dtv_of_musl(void **state)
{
	put_record(RECORD, 1, 4);
	put(TP + 8, DTV);
	put(DTV, 3);
	put(DTV + 3 * 8, BLOCK);
	put(BLOCK + 24, RECORD);
	expect(&in_musl, 4);
	put(DTV, 2);
	assert_false(read(&in_musl));
	put(DTV, 3);
	put(DTV + 3 * 8, 0);
	assert_false(read(&in_musl));
}

#define SET	RECORD		/* a label set, its array, and strings */
#define ARRAY	(RECORD + 64)
#define TEXT	(RECORD + 1024)

static void put_set(u64 array, u64 nr)
{
	put(SET, array);
	put(SET + 8, nr);
	put(SET + 16, ~0ULL);	/* the capacity has no meaning */
}

/* Puts entry @i, whose strings are @key_bytes and @value_bytes of TEXT from @at on. */
static void put_label(u32 i, u64 at, u64 key_bytes, u64 value_bytes)
{
	u64 entry = ARRAY + 32 * i;

	put(entry, key_bytes);
	put(entry + 8, TEXT + at);
	put(entry + 16, value_bytes);
	put(entry + 24, TEXT + at + key_bytes);
}

static void put_text(u64 at, const char *text)
{
	memcpy((char *)usermem.words + (TEXT + at - BASE), text, strlen(text));
}

static void expect_labels(const char *data, u32 bytes)
{
	assert_true(read(&labels_at_tp));
	assert_int_equal(context->format, PPROF_CONTEXT_LABELS);
	assert_int_equal(context->bytes, bytes);
	assert_memory_equal(context->data, data, bytes);
	for (u32 i = bytes; i % 8; i++)
		assert_int_equal(context->data[i], 0);
}

/* An entry without a key is a gap, and a value may be empty. */
static void test_labels(void **state)
{
	put_text(0, "user7id");
	put_set(ARRAY, 4);
	put_label(0, 0, 4, 1);
	put_label(1, 0, 4, 1);
	put(ARRAY + 32 + 8, 0);
	put_label(2, 5, 2, 0);
	put_label(3, 5, 0, 2);
	expect_labels("\4\1user7" "\2\0id", 7 + 4);
	assert_int_equal(usermem.nr_faults, 0);	/* the address 0 is not tried */
}

static void test_no_labels(void **state)
{
	put_label(0, 0, 4, 1);
	put_set(ARRAY, 0);
	assert_false(read(&labels_at_tp));
	put_set(0, 1);
	assert_false(read(&labels_at_tp));
	put_set(~0ULL - 8, ~0ULL);
	assert_false(read(&labels_at_tp));
	put_set(0xffffffff81000000, ~0ULL);
	assert_false(read(&labels_at_tp));
	put(TP - 16, 0);
	assert_false(read(&labels_at_tp));
}

/* Fails if a count of the program is believed, or if the record's room is not the limit. */
static void test_many_labels(void **state)
{
	put_set(ARRAY, ~0ULL);
	for (u32 i = 0; i < PPROF_MAX_CONTEXT_LABELS + 8; i++)
		put_label(i, i, 1, 1);
	assert_true(read(&labels_at_tp));
	assert_int_equal(context->bytes, 4 * PPROF_MAX_CONTEXT_LABELS);

	begin(state);
	put_set(ARRAY, 5);
	put_label(0, 0, 255, 255);
	put_label(1, 0, 64, 63);	/* a byte too many: 512 + 129 of 640 */
	put_label(2, 0, 63, 63);
	put_label(3, 0, 1, 1);		/* no room is left */
	assert_true(read(&labels_at_tp));
	assert_int_equal(context->bytes, 640);
	assert_int_equal(context->data[512], 63);
}

static void test_bad_labels(void **state)
{
	static const u64 bad[][4] = {
		{ 256, TEXT, 1, TEXT }, { 1, TEXT, 256, TEXT }, { ~0ULL, TEXT, 1, TEXT },
		{ 1, TEXT, ~0ULL, TEXT }, { ~0ULL - 1, TEXT, 4, TEXT },
		{ 1, 0xffffffff81000000, 1, TEXT }, { 1, TEXT, 1, 0xffffffff81000000 },
		{ 1, ~0ULL, 1, TEXT }, { 1, TEXT, 1, 0x7fffffffeff9 }, { 1, 8, 1, TEXT },
		{ 1, TEXT, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin(state);
		put_text(0, "kv");
		put_set(ARRAY, 2);
		for (int word = 0; word < 4; word++)
			put(ARRAY + 8 * word, bad[i][word]);
		put_label(1, 0, 1, 1);
		expect_labels("\1\1kv", 4);	/* the others stay */
	}
}

static void test_faults_of_labels(void **state)
{
	put_text(0, "kv");
	put_set(ARRAY, 2);
	put_label(0, 0, 1, 1);
	put_label(1, 0, 1, 1);
	usermem.faults[0] = ARRAY + 32 + 8;
	expect_labels("\1\1kv", 4);
	usermem.faults[0] = SET + 8;
	assert_false(read(&labels_at_tp));
	usermem.faults[0] = TEXT;	/* of the copies */
	assert_false(read(&labels_at_tp));
}

#define WITH_BEGIN(test)	cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BEGIN(test_every_size),
		WITH_BEGIN(test_only_one_is_valid),
		WITH_BEGIN(test_no_record),
		WITH_BEGIN(test_record_at_the_end_of_memory),
		WITH_BEGIN(test_bad_addresses),
		WITH_BEGIN(test_faults),
		WITH_BEGIN(test_dtv_of_glibc),
		WITH_BEGIN(test_dtv_of_musl),
		WITH_BEGIN(test_labels),
		WITH_BEGIN(test_no_labels),
		WITH_BEGIN(test_many_labels),
		WITH_BEGIN(test_bad_labels),
		WITH_BEGIN(test_faults_of_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
