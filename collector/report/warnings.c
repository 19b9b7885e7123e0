// SPDX-License-Identifier: GPL-2.0
#include "report/warnings.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "report/debug_warnings.h"
#include "report/table_warnings.h"

#define NS_PER_SECOND	UINT64_C(1000000000)

static void warn_of_dropped(const struct warnings *w)
{
	uint64_t nr = aggregator_nr_dropped(w->aggregator);

	if (nr && !w->may_leave)
		warnx("profiling of %" PRIu64 " processes ended early: they executed a program "
		      "that you may not look into: run as root", nr);
}

/*
 * If there are samples of 32-bit code, files without tables are not reported: 32-bit libraries are
 * among them.
 */
static void warn_of_truncated(const struct warnings *w)
{
	struct unwind_tables_bad bad = w->tables ? unwind_tables_bad(w->tables)
						 : (struct unwind_tables_bad){ 0 };
	uint64_t compat = 0;

	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		compat += aggregator_total(w->aggregator, source).truncated[PPROF_END_COMPAT];
	if (compat)
		warnx("%" PRIu64 " samples are of 32-bit code, which cannot be unwound: they show "
		      "one function each: run a 64-bit build", compat);
	else if (bad.nr)
		table_warnings_print(w->files, &bad);
}

static void warn_of_ranges(const struct warnings *w)
{
	struct unwind_ranges_over over = w->ranges ? unwind_ranges_over(w->ranges)
						   : (struct unwind_ranges_over){ 0 };

	if (over.pid)
		warnx("process %d has %zu executable mappings, and only %d can be unwound: stacks "
		      "in the others are truncated: map code in larger pieces", over.pid, over.nr,
		      PPROF_MAX_RANGES);
}

static void warn_of_rate(const struct warnings *w)
{
	uint64_t slowest = device_slowest_ns(w->dev, PPROF_SOURCE_CPU);

	if (device_slowest_ns(w->dev, PPROF_SOURCE_WALL) > slowest)
		slowest = device_slowest_ns(w->dev, PPROF_SOURCE_WALL);
	if (slowest > w->asked_ns)
		warnx("sampling took too much of a CPU, and the rate fell from %u to %.6g Hz: give a "
		      "lower --hz", w->hz, (double)NS_PER_SECOND / slowest);
}

static void warn_of_old_perfmap(const struct warnings *w)
{
	const char *path = mapped_files_old_perfmap(w->files);

	if (path)
		warnx("the names in %s are not used, as it is older than its process: remove it, "
		      "or touch it if the clock was set since", path);
}

static void warn_of_changes(const struct warnings *w)
{
	const char *first;
	uint64_t nr = mapped_files_nr_changes(w->files, &first);

	if (!nr)
		return;
	fprintf(stderr, "pprof-collect: ");
	utf8_print(stderr, first ? first : "a file");
	fprintf(stderr, " was overwritten during the profile: its code has no function names: "
		"replace files by install or mv");
	if (nr > 1)
		fprintf(stderr, " (and %" PRIu64 " more such changes)", nr - 1);
	fputc('\n', stderr);
}

void warnings_print(const struct warnings *w)
{
	warn_of_dropped(w);
	warn_of_truncated(w);
	debug_warnings_print(w->files);
	warn_of_old_perfmap(w);
	warn_of_changes(w);
	warn_of_ranges(w);
	warn_of_rate(w);
}
