// SPDX-License-Identifier: GPL-2.0
/*
 * The format is prometheus.io/docs/instrumenting/exposition_formats. Metrics that all exporters
 * have, such as process_cpu_seconds_total, have the names that Prometheus's client libraries use.
 */
#include "http/metrics.h"

#include <inttypes.h>

#include "device/class_name.h"
#include "device/end_reason.h"

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

static void write_samples(FILE *out, const struct session_totals *t)
{
	write_head(out, "pprof_samples_total", "counter", "Samples that were counted, by "
		   "profile type. A cpu, wall, heap or growth sample counts the periods that it stands "
		   "for, any other one counts 1: block and mutex are not scaled up as in profiles.");
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		fprintf(out, "pprof_samples_total{type=\"%s\"} %" PRIu64 "\n", class_name(source),
			t->samples[source]);
	write_head(out, "pprof_truncated_samples_total", "counter", "Samples whose stack is not "
		   "complete, by reason, in the unit of pprof_samples_total.");
	for (uint32_t end = PPROF_END_COMPLETE + 1; end < PPROF_NR_END_REASONS; end++)
		fprintf(out, "pprof_truncated_samples_total{reason=\"%s\"} %" PRIu64 "\n",
			end_reason_name(end), t->truncated[end]);
	write_head(out, "pprof_lost_records_total", "counter", "Samples, in the unit of "
		   "pprof_samples_total, and other records that did not fit into a buffer.");
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		if (class_name(class))
			fprintf(out, "pprof_lost_records_total{class=\"%s\"} %" PRIu64 "\n",
				class_name(class), t->lost[class]);
}

static void write_cpu(FILE *out, const struct metrics *m)
{
	write_head(out, "pprof_cpu_seconds_total", "counter", "CPU time of all processes of the server, "
		   "in user space and in the kernel.");
	fprintf(out, "pprof_cpu_seconds_total{mode=\"user\"} %.2f\n", m->user_seconds);
	fprintf(out, "pprof_cpu_seconds_total{mode=\"system\"} %.2f\n", m->system_seconds);
	write_head(out, "process_cpu_seconds_total", "counter",
		   "User and system CPU time of all processes of the server.");
	fprintf(out, "process_cpu_seconds_total %.2f\n", m->user_seconds + m->system_seconds);
}

void metrics_write(FILE *out, const struct metrics *m)
{
	write_answers(out, m->answers);
	write_gauge(out, "pprof_http_connections", m->nr_connections, "Connections that are open.");
	write_work(out, m->work);
	write_gauge(out, "pprof_work_running", m->nr_running, "Profiles, lists and symbols that have "
		    "not ended.");
	write_samples(out, &m->sessions);
	write_gauge(out, "pprof_module_loaded", m->is_loaded, "Is the module loaded?");
	write_cpu(out, m);
	write_gauge(out, "pprof_private_memory_bytes", m->private_bytes, "Memory of all processes of "
		    "the server, without files.");
	write_gauge(out, "process_resident_memory_bytes", m->resident_bytes, "Memory of the process "
		    "that speaks HTTP.");
}
