// SPDX-License-Identifier: GPL-2.0
/*
 * The format: prometheus.io/docs/instrumenting/exposition_formats. Names that all exporters have,
 * such as process_cpu_seconds_total, are those of their client libraries.
 */
#include "http/metrics.h"

#include <inttypes.h>

static void write_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_gauge(FILE *out, const char *name, uint64_t value, const char *help)
{
	write_head(out, name, "gauge", help);
	fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void write_answers(FILE *out, const uint64_t *answers)
{
	write_head(out, "pprof_http_answers_total", "counter", "Answers by the first digit of "
		   "their status.");
	for (int digit = 1; digit < 6; digit++)
		fprintf(out, "pprof_http_answers_total{code=\"%dxx\"} %" PRIu64 "\n", digit,
			answers[digit]);
}

static void write_work(FILE *out, const uint64_t *work)
{
	static const char *const results[] = {
		[METRICS_DONE] = "done", [METRICS_FAILED] = "failed", [METRICS_GONE] = "gone",
		[METRICS_BUSY] = "busy",
	};

	write_head(out, "pprof_work_total", "counter", "Profiles, lists and symbols by their end.");
	for (int i = 0; i < METRICS_NR_RESULTS; i++)
		fprintf(out, "pprof_work_total{result=\"%s\"} %" PRIu64 "\n", results[i], work[i]);
}

void metrics_write(FILE *out, const struct metrics *m)
{
	write_answers(out, m->answers);
	write_gauge(out, "pprof_http_connections", m->nr_connections, "Connections that are open.");
	write_work(out, m->work);
	write_gauge(out, "pprof_work_running", m->nr_running, "Profiles, lists and symbols that have "
		    "not ended.");
	write_head(out, "process_cpu_seconds_total", "counter", "CPU time of the server, and of work "
		   "that has ended.");
	fprintf(out, "process_cpu_seconds_total %.2f\n", m->cpu_seconds);
	write_gauge(out, "process_resident_memory_bytes", m->resident_bytes, "Memory of the process "
		    "that speaks HTTP.");
}
