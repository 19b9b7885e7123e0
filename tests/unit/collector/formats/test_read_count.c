// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/read_count.c
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

#include "formats/read_count.h"
#include "read_text.h"

static bool claims(const char *text)
{
	return read_count_claims((struct text_cursor){ text, text + strlen(text) });
}

static void test_heads(void **state)
{
	(void)state;
	assert_true(claims("goroutine profile: total 12\n1 @ 0x1"));
	assert_true(claims("\n# a comment\nthreadcreate profile: total 0"));
	assert_false(claims("goroutine profile: total x\n"));
	assert_false(claims("goroutine profile: total 12 more\n"));
	assert_false(claims(" profile: total 12\n"));
	assert_false(claims("# only a comment"));
}

static void test_samples(void **state)
{
	(void)state;
	assert_profile(read_text(read_count,
				 "# before\nthreadcreate profile: total 7\n"
				 "4 @ 0x11 0x21 0x11\n\n3 @\n--- other ---\nignored\n"),
		       "threadcreate/count period 1\n4 @ 0x10| 0x20| 0x10|\n3 @\n");
}

/*
 * As Go prints them: names, inlined functions, a recursion, labels with escapes. An address without
 * a name is left out, unless no address of the stack has a name.
 */
static void test_comments(void **state)
{
	(void)state;
	assert_profile(read_text(read_count,
				 "goroutine profile: total 3\n"
				 "2 @ 0x11 0x11 0x21 0x31\n"
				 "# labels: {\"a\\\"b\":\"\\u00e9\\n\", \"thread\":\"w\"}\n"
				 "#\t0x10\tf+0x3\t\t/f.c:12\n"
				 "#\t0x10\tf+0x3\t\t/f.c:12\n"
				 "#\t0x20\tinlined+0x5\t/a b.c:1\n"
				 "#\t0x20\tmain.(*T).outer-fm+0x5\t/a:2\n"
				 "#\t0x40\tnowhere+0x1\t/a:2\n"
				 "\n"
				 "4 @ 0x31 0x51\n"
				 "#\t0x60\tnowhere+0x1\t/a:2\n"
				 "1 @ 0x31 0x11\n"
				 "# labels: {\"broken\":\n"
				 "# labels: {\"\":\"\", \"empty\":\"\"}\n"
				 "#\t0x30\t[truncated: no rule]\n"
				 "#\t0x10\tother+0x3\t/f.c:12\n"),
		       "goroutine/count period 1\n"
		       "2 @ 0x10=f(/f.c:12)| 0x10=f(/f.c:12)|"
		       " 0x20=inlined(/a b.c:1),main.(*T).outer-fm(/a:2)| {a\"b=\"\303\251\n\"} {thread=\"w\"}\n"
		       "4 @ 0x30=[truncated: no rule]| 0x50|\n"
		       "1 @ 0x30=[truncated: no rule]| 0x10=f(/f.c:12)|\n");
}

/* A mapping says what is known of all of its locations that samples have. */
static void test_flags(void **state)
{
	struct model *m = read_text(read_count,
				    "goroutine profile: total 3\n"
				    "1 @ 0x1011 0x2011 0x1021\n"
				    "#\t0x1010\tf+0x3\t/f.c:12\n"
				    "#\t0x2010\tg+0x3\n"
				    "1 @ 0x3011\n"
				    "--- Memory map: ---\n"
				    "1000-2000: /a\n2000-3000: /b\n3000-4000: /c\n");

	(void)state;
	assert_int_equal(m->mappings.nr, 3);
	assert_int_equal(m->mappings.items[0].flags, PROFILE_HAS_FUNCTIONS |
			 PROFILE_HAS_FILENAMES | PROFILE_HAS_LINE_NUMBERS);
	assert_int_equal(m->mappings.items[1].flags, PROFILE_HAS_FUNCTIONS);
	assert_int_equal(m->mappings.items[2].flags, 0);
	model_free(m);
}

static void test_faults(void **state)
{
	(void)state;
	assert_fault(read_count, "a profile: total 1\n1 0x1\n", "line 2: expected 'COUNT @ ADDRESSES'");
	assert_fault(read_count, "a profile: total 1\n1 @ 0x1\na;b 1\n", "line 3: expected 'COUNT");
	assert_fault(read_count, "a profile: total 1\n1 @ 0x1 0x", "line 2: expected hexadecimal");
	assert_fault(read_count, "a profile: total 1\n1 @ 0x1", "expected a whole line");
	assert_fault(read_count, "a profile: total 1\n1 @ 0x1\n---\nb profile: total 1\n",
		     "line 4: expected mappings, found another profile");
	assert_fault(read_count, "#\n", "expected 'NAME profile: total NUMBER'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
