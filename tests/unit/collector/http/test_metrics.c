// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/metrics.c collector/device/class_name.c collector/device/end_reason.c
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
		.nr_connections = 4, .user_seconds = 1, .system_seconds = 0.5,
		.resident_bytes = 4096, .private_bytes = 8192, .is_loaded = true,
		.sessions = {
			.samples = { [PPROF_SOURCE_CPU] = 10, [PPROF_SOURCE_GROWTH] = 11 },
			.truncated = { 0, 0, 12 }, .lost = { [PPROF_CLASS_EVENT] = 13 },
		},
	};
	static const char *const lines[] = {
		"# TYPE pprof_http_answers_total counter\n",
		"\npprof_http_answers_total{code=\"2xx\"} 12\n",
		"\npprof_http_answers_total{code=\"5xx\"} 18446744073709551615\n",
		"\npprof_work_total{result=\"done\"} 5\n", "\npprof_work_total{result=\"failed\"} 6\n",
		"\npprof_work_total{result=\"gone\"} 7\n", "\npprof_work_total{result=\"busy\"} 8\n",
		"\npprof_work_running 3\n", "\npprof_http_connections 4\n",
		"block and mutex are not scaled up as in profiles.\n",
		"in the unit of pprof_samples_total, and other records",
		"\npprof_samples_total{type=\"cpu\"} 10\n",
		"\npprof_samples_total{type=\"growth\"} 11\n",
		"\npprof_truncated_samples_total{reason=\"stack not readable\"} 12\n",
		"\npprof_lost_records_total{class=\"event\"} 13\n", "\npprof_module_loaded 1\n",
		"\npprof_cpu_seconds_total{mode=\"user\"} 1.00\n",
		"\npprof_cpu_seconds_total{mode=\"system\"} 0.50\n",
		"\npprof_private_memory_bytes 8192\n",
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
	assert_null(strstr(text, "(null)"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
