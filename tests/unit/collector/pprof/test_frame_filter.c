// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/frame_filter.c collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pprof/frame_filter.h"

static void test_good(void **state)
{
	static const char *const good[] = {
		"", "malloc", "malloc|free", "(__)?posix_memalign", "tcmalloc::.*", "a|", "|a", "()",
		"operator new(\\[\\])?", "[a-z_]+", "[]a]", "[^]a]", "[a-]", "[-a]", "[\\]\\-]", "[*+?(]",
		"x\\{lambda\\}", "}", "]", "^a$", "a*b+c?", "((a)*)*", "~MutexLock", "\xc3\xa9+",
		"[\xc3\xa0-\xc3\xa9]", "\\\\",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (frame_filter_check(good[i]))
			fail_msg("'%s' %s", good[i], frame_filter_check(good[i]));
}

/* Each of these is refused by a reader, or has another meaning there. */
static void test_bad(void **state)
{
	static const char *const bad[][2] = {
		{ "*a", "before each" }, { "(+a)", "before each" }, { "a|?", "before each" },
		{ "a**", "one of these only" }, { "a+?", "one of these only" },
		{ "(a", ") to each (" }, { "a)", "( to each )" }, { ")(", "( to each )" },
		{ "(?i)a", "plain ( )" }, { "(?:a)", "plain ( )" },
		{ "[a", "] to each [" }, { "[]", "] to each [" }, { "[^]", "] to each [" },
		{ "[z-a]", "upward ranges" }, { "[\xc3\xa9-\xc3\xa0]", "upward ranges" },
		{ "[[:alpha:]]", "\\[ in place" }, { "[\\d]", "] to each [" },
		{ "[a-", "] to each [" },
		{ "[a\\", "] to each [" }, { "\\d", "punctuation" }, { "(a)\\1", "punctuation" },
		{ "a\\", "punctuation" }, { "a{2}", "\\{ in place" }, { "\xff", "UTF-8" },
		{ "[\xff]", "] to each [" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const char *said = frame_filter_check(bad[i][0]);

		if (!said || !strstr(said, bad[i][1]))
			fail_msg("'%s': %s", bad[i][0], said ? said : "taken");
	}
}

static void test_deep_groups(void **state)
{
	char deep[256] = "";

	(void)state;
	memset(deep, '(', 50);
	memset(deep + 50, ')', 50);
	assert_null(frame_filter_check(deep));
	memset(deep, '(', 51);
	memset(deep + 51, ')', 51);
	assert_non_null(frame_filter_check(deep));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_deep_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
