// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_cpu.c collector/formats/java_names.c
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lz -lisal -lxxhash
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/read_cpu.h"
#include "read_text.h"

#define TYPES	"samples/count cpu/nanoseconds "

static uint8_t data[1 << 16];
static size_t len;

/* Puts words of size bytes. */
static void put(size_t size, bool is_big, const uint64_t *words, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		for (size_t byte = 0; byte < size; byte++)
			data[len++] = words[i] >> 8 * (is_big ? size - 1 - byte : byte);
}

#define PUT(size, is_big, ...)	put(size, is_big, (const uint64_t[]){ __VA_ARGS__ },	\
				    sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void put_text(const char *text)
{
	memcpy(data + len, text, strlen(text));
	len += strlen(text);
}

static struct model *read_data(void)
{
	struct model *m = read_bytes(read_cpu, data, len);

	if (!m)
		fail_msg("%s", fault.text);
	return m;
}

/* The period is 10 ms. */
static void begin(size_t size, bool is_big)
{
	len = 0;
	PUT(size, is_big, 0, 3, 0, 10000, 0);
}

static bool claims(size_t nr_bytes)
{
	const char *at = (const char *)data;

	return read_cpu_claims((struct text_cursor){ at, at + nr_bytes });
}

static void test_forms(void **state)
{
	static const struct {
		size_t size;
		bool is_big;
	} forms[] = { { 4, false }, { 4, true }, { 8, false }, { 8, true } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		size_t size = forms[i].size;
		bool is_big = forms[i].is_big;

		begin(size, is_big);
		assert_true(claims(len));
		assert_false(claims(len - 1));
		PUT(size, is_big, 2, 2, 0x1010, 0x2011, 1, 3, 0x1020, 0x3011, 0x2011, 0, 1, 0);
		put_text("1000-2000: /bin/a\n2000-3000 r-xp 00000000 08:01 2 /lib/b.so\n");
		assert_profile(read_data(), TYPES "period 10000000\n"
			       "2 20000000 @ 0x1010|/bin/a 0x2010|/lib/b.so\n"
			       "1 10000000 @ 0x1020|/bin/a 0x3010| 0x2010|/lib/b.so\n");
	}
}

/*
 * The end record may be missing, but a record must be whole. Callers that all samples have are
 * taken for the handler's.
 */
static void test_truncated(void **state)
{
	size_t whole;

	(void)state;
	begin(8, false);
	PUT(8, false, 1, 3, 0x10, 0x20, 0x30);
	whole = len;
	assert_profile(read_data(), TYPES "period 10000000\n1 10000000 @ 0x10|\n");
	for (len = 41; len < whole; len++) {
		assert_null(read_bytes(read_cpu, data, len));
		assert_non_null(strstr(fault.text, "found the end of the file"));
		assert_int_equal(fault.offset, len / 8 * 8);
	}
}

/*
 * 64 samples; two of them may lack the frames of the handler. No location is left of these frames
 * and of the end record.
 */
static void test_frames_of_the_handler_go(void **state)
{
	struct model *m;
	uint32_t nr;

	(void)state;
	begin(4, false);
	for (uint64_t i = 0; i < 62; i++)
		PUT(4, false, 1, 4, 0x100 + i, 0x11, 0x21, 0x31);
	PUT(4, false, 1, 2, 0x10, 0x31, 1, 1, 0x10, 0, 1, 0);
	m = read_data();
	assert_int_equal(m->samples.nr, 64);
	assert_int_equal(m->locations.nr, 64);
	assert_int_equal(m->locations.items[0].address, 0x100);
	assert_int_equal(m->locations.items[1].address, 0x30);
	assert_int_equal(m->locations.items[63].address, 0x10);
	for (size_t i = 0; i < 62; i++) {
		const uint32_t *stack = model_stack(m, m->samples.items[i].stack, &nr);

		assert_int_equal(nr, 2);
		assert_int_equal(m->locations.items[stack[1]].address, 0x30);
	}
	model_free(m);

	begin(4, false);
	PUT(4, false, 1, 3, 0x10, 0x21, 0x31, 1, 3, 0x11, 0x22, 0x31);
	assert_profile(read_data(), TYPES "period 10000000\n1 10000000 @ 0x10| 0x20| 0x30|\n"
		       "1 10000000 @ 0x11| 0x21| 0x30|\n");
}

static void test_the_leaf_is_there_once(void **state)
{
	(void)state;
	begin(4, false);
	PUT(4, false, 1, 3, 0x10, 0x10, 0x31, 1, 2, 0x20, 0x41);
	assert_profile(read_data(), TYPES "period 10000000\n1 10000000 @ 0x10| 0x30|\n"
		       "1 10000000 @ 0x20| 0x40|\n");
}

static void test_java(void **state)
{
	(void)state;
	len = 0;
	PUT(8, true, 0, 3, 1, 10000, 0, 3, 2, 0x5, 0x6, 0, 1, 0);
	put_text("0x5 f (A.java:3)\n0x6 g\n");
	assert_profile(read_data(), TYPES "period 10000000\n3 30000000 @ f(A.java:3) g\n");
}

static void assert_cpu_fault(const char *want)
{
	assert_null(read_bytes(read_cpu, data, len));
	assert_non_null(strstr(fault.text, want));
}

static void test_faults(void **state)
{
	(void)state;
	begin(8, false);
	PUT(8, false, 1ULL << 63, 1, 0x10);
	assert_cpu_fault("63 bits");
	begin(8, false);
	PUT(8, false, 1ULL << 60, 1, 0x10);
	assert_cpu_fault("63 bits");
	begin(8, false);
	PUT(8, false, 1, 1ULL << 32, 0x10);
	assert_cpu_fault("the length of a stack");
	begin(8, false);
	PUT(8, false, 1, UINT32_MAX, 0x10);
	assert_cpu_fault("the rest of a stack");
	len = 0;
	PUT(8, false, 0, 3, 0, 1ULL << 62, 0);
	assert_cpu_fault("the head of a CPU profile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_frames_of_the_handler_go),
		cmocka_unit_test(test_the_leaf_is_there_once),
		cmocka_unit_test(test_java),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
