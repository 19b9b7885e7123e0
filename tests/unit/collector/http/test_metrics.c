// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/metrics.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "http/metrics.h"

static void test_lines(void **state)
{
	const struct metrics m = {
		.answers = { 9, 0, 12, 1, 2, UINT64_MAX }, .work = { 5, 6, 7, 8 }, .nr_running = 3,
		.nr_connections = 4, .cpu_seconds = 1.5, .resident_bytes = 4096,
	};
	static const char *const lines[] = {
		"# TYPE pprof_http_answers_total counter\n",
		"\npprof_http_answers_total{code=\"2xx\"} 12\n",
		"\npprof_http_answers_total{code=\"5xx\"} 18446744073709551615\n",
		"\npprof_work_total{result=\"done\"} 5\n", "\npprof_work_total{result=\"failed\"} 6\n",
		"\npprof_work_total{result=\"gone\"} 7\n", "\npprof_work_total{result=\"busy\"} 8\n",
		"\npprof_work_running 3\n", "\npprof_http_connections 4\n",
		"\nprocess_cpu_seconds_total 1.50\n", "\nprocess_resident_memory_bytes 4096\n",
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	metrics_write(out, &m);
	fclose(out);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no '%s' in %s", lines[i], text);
	assert_null(strstr(text, "0xx"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
