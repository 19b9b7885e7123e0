// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_status.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "device/class_name.h"
#include "device/end_reason.h"
#include "device/error_text.h"
#include "device/user_policy.h"
#include "base/utf8.h"

#define NS_PER_S	1e9

static const char *const lost_names[PPROF_NR_LOST] = {
	[PPROF_LOST_FULL]	= "ring full",
	[PPROF_LOST_QUEUE]	= "too many at once",
};

static const char *lost_name(unsigned int class, unsigned int reason)
{
	bool of_mappings = class == PPROF_CLASS_EVENT && reason == PPROF_LOST_QUEUE;

	return of_mappings ? "mapping queue full" : lost_names[reason];
}

/* One line of the table: a class on one CPU, or on all CPUs. */
struct row {
	uint64_t produced;
	uint64_t lost[PPROF_MAX_LOST];
};

static void add_cpu(struct row *row, const struct netlink_cpu *cpu, unsigned int class)
{
	row->produced += cpu->produced[class];
	for (unsigned int reason = 0; reason < PPROF_MAX_LOST; reason++)
		row->lost[reason] += cpu->lost[class][reason];
}

static uint64_t total_lost(const struct row *row)
{
	uint64_t sum = 0;

	for (unsigned int reason = 0; reason < PPROF_MAX_LOST; reason++)
		sum += row->lost[reason];
	return sum;
}

/* A newer module may have more classes and reasons. They are printed as numbers. */
static void print_class(FILE *out, unsigned int class)
{
	if (class_name(class))
		fprintf(out, "  %-13s", class_name(class));
	else
		fprintf(out, "  class %-7u", class);
}

static void print_reasons(FILE *out, unsigned int class, const struct row *row)
{
	const char *separator = "  ";

	for (unsigned int reason = 0; reason < PPROF_MAX_LOST; reason++) {
		if (!row->lost[reason])
			continue;
		fputs(separator, out);
		if (reason < PPROF_NR_LOST)
			fprintf(out, "%s %" PRIu64, lost_name(class, reason), row->lost[reason]);
		else
			fprintf(out, "reason %u %" PRIu64, reason, row->lost[reason]);
		separator = ", ";
	}
	putc('\n', out);
}

static void print_counts(FILE *out, unsigned int class, const struct row *row)
{
	fprintf(out, "  %14" PRIu64 "  %12" PRIu64, row->produced, total_lost(row));
	print_reasons(out, class, row);
}

static void print_losing_cpus(FILE *out, const struct netlink_session *s, unsigned int class)
{
	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		struct row row = { 0 };

		add_cpu(&row, &s->cpus[i], class);
		if (!total_lost(&row))
			continue;
		print_class(out, class);
		fprintf(out, "  %5" PRIu32, s->cpus[i].id);
		print_counts(out, class, &row);
	}
}

/*
 * A class that runs is shown also at 0: a missing line would look like a class that does not run.
 * A CPU is listed only if it lost something, to keep the table short on large machines.
 */
static void print_table(FILE *out, const struct netlink_session *s)
{
	fprintf(out, "  %-13s  %5s  %14s  %12s\n", "class", "cpu", "produced", "lost");
	for (unsigned int class = 0; class < PPROF_NR_CLASSES; class++) {
		struct row all = { 0 };

		for (uint32_t i = 0; i < s->nr_cpus; i++)
			add_cpu(&all, &s->cpus[i], class);
		if (!all.produced && class != PPROF_CLASS_EVENT && !(s->sources & 1ULL << class))
			continue;
		print_class(out, class);
		fprintf(out, "  %5s", "all");
		print_counts(out, class, &all);
		print_losing_cpus(out, s, class);
	}
}

static void print_end_reasons(FILE *out, unsigned int source, const uint64_t *ended)
{
	fprintf(out, "  stacks   %s: %" PRIu64 " complete", class_name(source),
		ended[PPROF_END_COMPLETE]);
	for (uint32_t end = PPROF_END_COMPLETE + 1; end < PPROF_MAX_END_REASONS; end++)
		if (ended[end])
			fprintf(out, ", %" PRIu64 " %s", ended[end], end_reason_name(end));
	putc('\n', out);
}

/* Prints how the stacks that were sampled so far ended. */
static void print_stacks(FILE *out, const struct netlink_session *s)
{
	for (unsigned int source = 0; source < PPROF_NR_SOURCES; source++) {
		uint64_t ended[PPROF_MAX_END_REASONS] = { 0 }, all = 0;

		for (uint32_t i = 0; i < s->nr_cpus; i++)
			for (uint32_t end = 0; end < PPROF_MAX_END_REASONS; end++)
				ended[end] += s->cpus[i].end_reasons[source][end];
		for (uint32_t end = 0; end < PPROF_MAX_END_REASONS; end++)
			all += ended[end];
		if (all)
			print_end_reasons(out, source, ended);
	}
}

/* In a session of all processes the number of targets has no meaning. */
static void print_target(FILE *out, const struct netlink_session *s)
{
	bool one = !(s->flags & PPROF_SETUP_ALL) && s->nr_targets == 1;

	fputs("  target   ", out);
	if (s->flags & PPROF_SETUP_ALL)
		fputs("all processes", out);
	else
		fprintf(out, "%" PRIu32 " process%s", s->nr_targets, one ? "" : "es");
	if (s->flags & PPROF_SETUP_CHILDREN)
		fprintf(out, " and %s children", one ? "its" : "their");
	if (s->flags & PPROF_SETUP_CGROUP)
		fputs(" of a cgroup", out);
	putc('\n', out);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Prints the requested rate, and the lowest actual rate if the module lowered it. */
static void print_rate(FILE *out, uint64_t asked_ns, uint64_t slowest_ns)
{
	if (!asked_ns)
		return;
	fprintf(out, " at %.6g Hz", NS_PER_S / asked_ns);
	if (slowest_ns > asked_ns)
		fprintf(out, " (overload: %.6g Hz)", NS_PER_S / slowest_ns);
}

static void print_rates(FILE *out, const struct netlink_session *s, unsigned int source)
{
	uint64_t cpu_ns = 0, wall_ns = 0;

	for (uint32_t i = 0; i < s->nr_cpus; i++) {
		cpu_ns = larger(cpu_ns, s->cpus[i].tick_ns);
		wall_ns = larger(wall_ns, s->cpus[i].wall_tick_ns);
	}
	if (source == PPROF_SOURCE_CPU)
		print_rate(out, s->period_ns, cpu_ns);
	else if (source == PPROF_SOURCE_WALL)
		print_rate(out, s->wall_period_ns, wall_ns);
}

static void print_sources(FILE *out, const struct netlink_session *s)
{
	const char *separator = "  sources  ";

	for (unsigned int source = 0; source < PPROF_NR_SOURCES; source++) {
		if (!(s->sources & 1ULL << source))
			continue;
		fprintf(out, "%s%s", separator, class_name(source));
		print_rates(out, s, source);
		separator = ", ";
	}
	fputs(s->sources ? "\n" : "  sources  none running\n", out);
}

/* Many pending bytes for a long time mean that the reader hangs. */
static void print_rings(FILE *out, const struct netlink_session *s)
{
	uint64_t pending_bytes = 0;

	for (uint32_t i = 0; i < s->nr_cpus; i++)
		pending_bytes += s->cpus[i].pending_bytes;
	fprintf(out, "  rings    %" PRIu32 " of %" PRIu32 " KiB, %" PRIu64 " bytes pending\n",
		s->nr_cpus, s->ring_bytes >> 10, pending_bytes);
}

void cmd_status_print(FILE *out, const struct netlink_session *s)
{
	fprintf(out, "session %" PRIu32 ": ", s->id);
	utf8_print(out, s->comm);
	fprintf(out, " (pid %" PRIu32 ", uid %" PRIu32 ")\n", s->pid, s->uid);
	print_target(out, s);
	print_sources(out, s);
	print_rings(out, s);
	print_table(out, s);
	print_stacks(out, s);
}

/* The state of take_session(). */
struct listing {
	FILE *out;
	bool any;	/* a session was printed */
};

static void take_session(void *arg, const struct netlink_session *s)
{
	struct listing *listing = arg;

	if (listing->any)
		putc('\n', listing->out);
	listing->any = true;
	cmd_status_print(listing->out, s);
}

/* A list that changed while it was read (-EINTR) is printed, with a warning. */
static int list_sessions(struct netlink *n, FILE *out)
{
	struct listing listing = { .out = out };
	int err = netlink_sessions(n, take_session, &listing);
	char policy[128];

	if (err == -EINTR) {
		fputs("pprof-collect: the list may be incomplete, as sessions were opened or closed "
		      "meanwhile: run it again\n", stderr);
		err = 0;
	}
	if (!err && !listing.any)
		fputs("no sessions\n", out);
	if (!err && !user_policy_describe("", policy, sizeof(policy)))
		fprintf(out, "users %s\n", policy);
	return err;
}

int cmd_status_run(FILE *out)
{
	struct netlink *n = netlink_open();
	int err = n ? list_sessions(n, out) : -errno;

	netlink_close(n);
	if (err)
		device_error_print_netlink("list sessions", err);
	return err;
}
