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

static u64 thread_pointer;
static _Alignas(8) u8 room[PPROF_THREAD_CONTEXT_ROOM + 8];
static struct pprof_sample_context *context;

unsigned long shim_fs_base(void)
{
	return thread_pointer;
}

unsigned long raw_copy_from_user(void *to, const void *from, unsigned long bytes)
{
	u64 address = (uintptr_t)from, at = address - BASE;

	assert_int_equal(usermem.disabled, 1);
	assert_int_equal(usermem.opened, 0);
	assert_true(address <= TASK_SIZE_MAX - bytes);
	if (at > MEMORY_BYTES || bytes > MEMORY_BYTES - at || usermem.faults[1])
		return bytes;
	memcpy(to, (char *)usermem.words + at, bytes);
	return 0;
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
	assert_int_equal(context->pad, 0);
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
	usermem.faults[0] = 0;
	usermem.faults[1] = RECORD;	/* of the copy */
	assert_false(read(&at_tp));
	usermem.faults[1] = 0;
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
