// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/index_page.c
// sources: collector/flame/markup.c
// sources: collector/base/utf8.c
// sources: collector/pprof/value_unit.c
// libs: -lm
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "http/index_page.h"

static char *write_page(const struct index_page *page)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	index_page_write(out, page);
	fclose(out);
	return text;
}

/* Names come from a program: nothing of them is markup, in text or in a link. */
static void test_names_are_escaped(void **state)
{
	static const char profiles[] = "a\"<b>/c d 7\nheap 0\n";
	const struct index_page page = {
		.pid = 12, .comm = "<script>\n", .profiles = profiles, .len = sizeof(profiles) - 1,
	};
	char *text = write_page(&page);

	(void)state;
	assert_non_null(strstr(text, "Process 12, &lt;script&gt;\\x0a."));
	assert_non_null(strstr(text, "<a href=\"a%22%3Cb%3E/c%20d\">a&quot;&lt;b&gt;/c d</a>"));
	assert_non_null(strstr(text, "<tr><td>7</td>"));
	assert_null(strstr(text, "<script"));
	free(text);
}

/* The rows are sorted by name. A page is a profile under the name that its URL has. */
static void test_rows(void **state)
{
	static const char profiles[] = "cpu 0\nheap 0\nthread 5\nwall 0\n\nbroken\n";
	const struct index_page page = { .profiles = profiles, .len = sizeof(profiles) - 1 };
	static const char *const names[] = {
		"cmdline", "goroutine", "heap", "profile", "symbol", "thread", "wall",
	};
	char *text = write_page(&page), link[64];
	const char *at = text;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(link, sizeof(link), "<td><a href=\"%s\">%s</a></td>", names[i], names[i]);
		at = strstr(at, link);
		if (!at)
			fail_msg("%s is not there, or not in its order", names[i]);
	}
	assert_null(strstr(text, ">cpu<"));
	assert_null(strstr(text, "broken"));
	assert_non_null(strstr(text, "All processes"));
	assert_non_null(strstr(text, "<tr><td>5</td><td><a href=\"goroutine\">"));
	assert_non_null(strstr(text, "href=\"heap?debug=1\""));
	assert_null(strstr(text, "href=\"profile?debug=1\""));
	assert_non_null(strstr(text, "href=\"profile?format=flamegraph\""));
	free(text);
}

static void test_targets(void **state)
{
	const struct index_page_target targets[] = { { 12, "a" }, { 13, "b&c" } };
	struct index_page page = {
		.pid = 12, .comm = "a", .profiles = "", .targets = targets, .nr_targets = 2,
	};
	char *text = write_page(&page);

	(void)state;
	assert_non_null(strstr(text, "<a href=\"/pid/13/debug/pprof/\">13 b&amp;c</a>"));
	free(text);
	page.nr_targets = 1;
	text = write_page(&page);
	assert_null(strstr(text, "/pid/"));
	free(text);
}

static void test_cgroup(void **state)
{
	const struct index_page_target targets[] = { { 12, "a" } };
	const struct index_page page = {
		.cgroup = "/<a>", .comm = "", .profiles = "", .targets = targets, .nr_targets = 1,
	};
	char *text = write_page(&page);

	(void)state;
	assert_non_null(strstr(text, "All processes of the cgroup /&lt;a&gt;."));
	assert_non_null(strstr(text, "<a href=\"/pid/12/debug/pprof/\">12 a</a>"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_escaped),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
