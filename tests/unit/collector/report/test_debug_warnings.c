// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/debug_warnings.c collector/base/utf8.c
// libs: -ldw
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <elfutils/libdwfl.h>

#include "capture.h"
#include "report/debug_warnings.h"

static struct {
	uint64_t nr;
	const char *first;
} faulty[DEBUG_FAULT_NR];

uint64_t mapped_files_nr_faulty(const struct mapped_files *f, enum debug_fault_cause cause,
				const char **first)
{
	(void)f;
	if (faulty[cause].nr)
		*first = faulty[cause].first;
	return faulty[cause].nr;
}

static const char *print(struct capture *c)
{
	capture_begin(c, STDERR_FILENO);
	debug_warnings_print(NULL);
	return capture_end(c);
}

/* Each warning names the file, and the number of other files. */
static void names_the_file(void **state)
{
	struct capture c;
	const char *text;

	(void)state;
	assert_string_equal(print(&c), "");
	for (int cause = DEBUG_FAULT_NONE + 1; cause < DEBUG_FAULT_NR; cause++) {
		faulty[cause].nr = 1;
		faulty[cause].first = "/a/pro\ngram";
		text = print(&c);
		assert_sentence(text, "/a/pro\\x0agram");
		assert_null(strstr(text, "more such files"));
		assert_true(strlen(text) < 160);
		faulty[cause].nr = 3;
		assert_sentence(print(&c), " (and 2 more such files)");
		faulty[cause].nr = 0;
	}
}

static void names_the_version(void **state)
{
	struct capture c;

	(void)state;
	faulty[DEBUG_FAULT_COMPRESSION].nr = 1;
	faulty[DEBUG_FAULT_COMPRESSION].first = "/a";
	assert_sentence(print(&c), dwfl_version(NULL));
	faulty[DEBUG_FAULT_COMPRESSION].nr = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_file),
		cmocka_unit_test(names_the_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
