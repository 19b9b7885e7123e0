// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_contention.c
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

#include "formats/read_contention.h"
#include "read_text.h"

#define TYPES	"contentions/count delay/nanoseconds "

static bool claims(const char *text)
{
	return read_contention_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("--- mutex:\ncycles/second=1000000000\n"));
	assert_true(claims("--- contention:"));
	assert_true(claims("--- contentionz 1 ---\nresolution: 1\n1 1 @ 0x1\nformat = java\n"));
	assert_false(claims("--- contentionz 1 ---\nsampling period = 1\nformat = java\n"));
	assert_false(claims("--- contentionz 1 ---\n\nresolution = bytes\n"));
	assert_false(claims("# a\n--- mutex:\n"));
	assert_false(claims("--- heapz 1 ---\n"));
}

/* 2 GHz: a cycle is half a nanosecond. Every third contention was sampled. */
static void test_values_are_scaled(void **state)
{
	struct model *m = read_text(read_contention,
				    "--- contentionz 1 ---\n"
				    "cycles/second = 2000000000\nsampling period = 3\n"
				    "ms since reset = 1500\ndiscarded samples = 0\n"
				    "  1000  2 @ 0x11 0x21\n 7 0 @\n");

	(void)state;
	assert_int_equal(m->duration_ns, 1500000000);
	assert_profile(m, TYPES "period 3\n6 1500 @ 0x10| 0x20|\n0 10 @\n");
}

/* Without cycles/second the delays are nanoseconds; Go's pprof multiplies only the counts then. */
static void test_without_cycles(void **state)
{
	(void)state;
	assert_profile(read_text(read_contention, "--- mutex:\nsampling period=3\n10 2 @ 0x11\n"),
		       TYPES "period 3\n6 10 @ 0x10|\n");
	assert_profile(read_text(read_contention, "--- mutex:\n10 2 @ 0x11\n"),
		       TYPES "period 1\n2 10 @ 0x10|\n");
	assert_profile(read_text(read_contention, "--- mutex:\n"), TYPES "period 1\n");
}

static void test_comments_and_mappings(void **state)
{
	(void)state;
	assert_profile(read_text(read_contention,
				 "--- contention:\ncycles/second=1000000000\n"
				 "10 2 @ 0x1011\n#\t0x1010\tf+0x1\n# labels: {\"tid\":\"7\"}\n\n"
				 "--- Memory map: ---\n1000-2000 r-xp /a\n"),
		       TYPES "period 1\n2 10 @ 0x1010=f|/a {tid=\"7\"}\n");
}

static void test_faults(void **state)
{
	(void)state;
	assert_fault(read_contention, "--- mutex:\nhz=1\n", "line 2: expected 'cycles/second'");
	assert_fault(read_contention, "--- mutex:\ncycles/second=x\n", "line 2: expected a number");
	assert_fault(read_contention, "--- mutex:\n1 1 @ 0x1\n1: 1 [1: 1] @ 0x1\n",
		     "line 3: expected 'DELAY COUNT @ ADDRESSES'");
	assert_fault(read_contention, "--- mutex:\n1 1 @ 0x1\n1 1", "found the end of the file");
	assert_fault(read_contention, "--- mutex:\n1 1 @ 0x1", "expected a whole line");
	assert_fault(read_contention,
		     "--- mutex:\nsampling period=4\n1 9223372036854775807 @\n", "63 bits");
	assert_fault(read_contention,
		     "--- mutex:\ncycles/second=1\n9223372036854775807 1 @\n", "63 bits");
	assert_fault(read_contention,
		     "--- mutex:\nms since reset=9223372036854775807\n", "a duration");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_values_are_scaled),
		cmocka_unit_test(test_without_cycles),
		cmocka_unit_test(test_comments_and_mappings),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
