// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_threads.c
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

#include "formats/read_threads.h"
#include "read_text.h"

#define MAP	"--- Memory map: ---\n"

static bool claims(const char *text)
{
	return read_threads_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("--- threadz 1 ---\n"));
	assert_true(claims("\n--- Thread 7f79 (name: main/14748) stack: ---\n"));
	assert_false(claims("--- Thread 7f79 (name: main/14748)\n"));
	assert_false(claims("--- threadz ---\n"));
}

/* The leaf keeps its address. A caller that is the leaf once more is dropped. */
static void test_stacks(void **state)
{
	(void)state;
	assert_profile(read_text(read_threads,
				 "--- threadz 1 ---\nnoise\n"
				 "--- Thread 7f79 (name: a b/14748) stack: ---\n"
				 "  PC:  0x00000010: helper(arg *)\n"
				 "  0x00000010: helper(arg *)\n"
				 "  0x00000021: main\n"
				 "--- Thread 7f7a (name: x/2) stack: ---\n"
				 "  [same as previous thread]\n"
				 "--- Thread 7f7b (name: y/3) stack: ---\n"
				 "  PC: 0x30 0x30 0x41\n      creator: 0x51\n" MAP),
		       "thread/count period 1\n"
		       "2 @ 0x10=helper(arg *)| 0x20=main|\n"
		       "1 @ 0x30| 0x40| 0x50|\n");
}

static void test_ends(void **state)
{
	(void)state;
	assert_profile(read_text(read_threads, "--- Thread 1 (name: x/2) stack: ---\n 0x11\n"
				 "---- no stack trace for 3 threads ---\n"),
		       "thread/count period 1\n1 @ 0x11|\n");
	assert_profile(read_text(read_threads, "--- threadz 1 ---\n" MAP),
		       "thread/count period 1\n");
}

static void test_faults(void **state)
{
	static const char thread[] = "--- Thread 1 (name: x/2) stack: ---\n 0x11\n";
	char text[128];

	(void)state;
	assert_fault(read_threads, thread, "line 2: expected the next thread or mappings");
	snprintf(text, sizeof(text), "%s--- Thread x\n", thread);
	assert_fault(read_threads, text, "line 3: expected '--- Thread ID");
	assert_fault(read_threads, "--- threadz 1 ---\n", "expected a thread");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
