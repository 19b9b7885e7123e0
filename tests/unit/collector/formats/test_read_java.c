// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_java.c collector/formats/heap_sampling.c
// sources: collector/formats/java_names.c
// sources: collector/formats/address_profile.c collector/formats/frame_patterns.c
// sources: collector/formats/function_set.c collector/formats/go_comments.c
// sources: collector/formats/line_reader.c collector/formats/memory_map.c
// sources: collector/formats/perf_script_line.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/base/span_set.c collector/base/string_table.c
// libs: -lz -lisal -lxxhash -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/read_java.h"
#include "read_text.h"

static bool claims(const char *text)
{
	return read_java_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("--- heapz 1 ---\nformat = java\n"));
	assert_true(claims("--- contentionz 1 --- "));
	assert_false(claims("--- heapz 2 ---\n"));
	assert_false(claims("--- mutex:\n"));
}

/* Names of all forms. No sample uses one of them. An address without a name stays unnamed. */
static void test_heap(void **state)
{
	(void)state;
	assert_profile(read_text(read_java,
				 "--- heapz 1 ---\nformat = java\nresolution = bytes\n"
				 "  1048576  2 @ 0x00000003 0x00000004 0x5 0x6 0x7 0x8\n"
				 " 0x00000003 com.example.f (Source.java:103)\n"
				 " 0x00000004 native (of (C)) (/lib/libx.so)\n"
				 " 0x5 generated stub/JIT\n"
				 "\n 0x6 GC\n 0x7 g (Native.java:-2)\n 0x99 other\n"),
		       "inuse_objects/count inuse_space/bytes period 0\n"
		       "3 1658822 @ com.example.f(Source.java:103) native (of (C))(libx.so:0)"
		       " STUB GC g(Native.java:0) | {bytes=524288}\n");
}

static void test_contention(void **state)
{
	struct model *m = read_text(read_java,
				    "--- contentionz 1 ---\nformat = java\n"
				    "resolution = microseconds\nsampling period = 100\n"
				    "ms since reset = 2\n 14 1 @ 0x1\n 0x1 f\n");

	(void)state;
	assert_int_equal(m->duration_ns, 2000000);
	assert_profile(m, "contentions/count delay/microseconds period 100\n100 1400 @ f\n");
}

static void test_faults(void **state)
{
	static const char head[] = "--- heapz 1 ---\nresolution = bytes\n";
	static const struct {
		const char *lines;
		const char *want;
	} cases[] = {
		{ "format = c\n", "line 3: expected 'format = java'" },
		{ "sampling period = 1\n", "line 3: expected 'format = java'" },
		{ "resolution = kb\n", "line 3: expected one resolution" },
		{ "1 1 @ 0x1\nx\n", "line 4: expected 'VALUE COUNT @ ADDRESSES'" },
		{ "1 0 @ 0x1\n", "line 3: expected a number of objects" },
		{ "1 1 @ 0x1 0x", "line 3: expected hexadecimal addresses" },
		{ "1 1 @ 0x1\n 0x1 f\nx\n", "line 5: expected '0xADDRESS NAME'" },
		{ "9223372036854775807 9223372036854775807 @ 0x1\n", "63 bits" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "%s%s", head, cases[i].lines);
		assert_fault(read_java, text, cases[i].want);
	}
	assert_fault(read_java, "--- heapz 1 ---\n1 1 @ 0x1\n", "line 2: expected 'resolution");
	assert_fault(read_java, "--- contentionz 1 ---\nresolution = us\nsampling period = 4\n"
		     "9223372036854775807 1 @\n", "63 bits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_contention),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
