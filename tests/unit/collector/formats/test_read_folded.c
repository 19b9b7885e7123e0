// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/function_set.c collector/formats/line_reader.c
// sources: collector/formats/read_folded.c
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

#include "formats/read_folded.h"
#include "read_text.h"

#define TYPES	"samples/count period 0\n"

static bool claims(const char *text)
{
	return read_folded_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("main;f 12\n"));
	assert_true(claims("# comment\n\nmain 12"));
	assert_true(claims("a b;c d\t7 "));
	assert_true(claims(" 12\n"));
	assert_false(claims("12\n"));
	assert_false(claims("main;f12\n"));
	assert_false(claims("main;f 1.5\n"));
	assert_false(claims("main;f -1\n"));
	assert_false(claims(""));
}

static void test_stacks(void **state)
{
	(void)state;
	assert_profile(read_text(read_folded,
				 "# a comment\n"
				 "main;f;write_[k] 12\r\n"
				 "main;java.lang.String::<init>_[j];g_[i] 3\n"
				 "\n"
				 "main;f;write_[k] 5\n"
				 "std::map<int, int>;a b;f  0\t\n"
				 "main;;main 1\n"
				 " 7\n"
				 "main 2"),
		       TYPES
		       "17 @ write_[k] f main\n"
		       "3 @ g_[i] java.lang.String::<init>_[j] main\n"
		       "0 @ f a b std::map<int, int>\n"
		       "1 @ main  main\n"
		       "7 @\n"
		       "2 @ main\n");
}

/* Equal stacks are one sample, however many there are. */
static void test_memory_is_that_of_the_stacks(void **state)
{
	static char text[100000 * 8 + 1];
	struct model *m;

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		memcpy(text + 8 * i, i & 1 ? "a;b;c 1\n" : "a;b;d 2\n", 9);
	m = read_text(read_folded, text);
	assert_int_equal(m->stacks.nr, 3);
	assert_int_equal(m->locations.nr, 4);
	assert_profile(m, TYPES "100000 @ d b a\n50000 @ c b a\n");
}

static void test_faults(void **state)
{
	static char text[(5 << 20) + 16];

	(void)state;
	assert_fault(read_folded, "a;b 1\na;b\n", "line 2: expected 'FRAME;FRAME COUNT'");
	assert_fault(read_folded, "a;b 1\na;b 1.5\n", "line 2: expected 'FRAME;FRAME COUNT'");
	assert_fault(read_folded, "a 1\n1 @ 0x1 0x2x", "line 2: expected 'FRAME;FRAME COUNT' with a "
		     "whole number, found the end of the file: get the file again");
	assert_fault(read_folded, "a 9223372036854775808\n", "line 1: expected 'FRAME");
	assert_fault(read_folded, "a 9223372036854775807\na 1\n", "line 2: expected sums of 63");
	memset(text, 'a', 5 << 20);
	strcpy(text + (5 << 20), " 1\n");
	assert_fault(read_folded, text, "line 1: expected at most 4 MiB in a line");
	text[4 << 20] = '\n';
	assert_fault(read_folded, text, "line 1: expected 'FRAME");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_memory_is_that_of_the_stacks),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
