// SPDX-License-Identifier: GPL-2.0
#include "session/sources.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "device/error_text.h"
#include "session/settings.h"
#include "device/device.h"
#include "aggregate/label_sets.h"
#include "aggregate/profile_types.h"
#include "pprof.h"

/* Snapshots need no start: device_threads() and device_custom_read() take them. */
static bool runs(const struct settings *s, uint32_t source)
{
	return source != PPROF_SOURCE_THREAD && source != PPROF_SOURCE_CUSTOM &&
	       profile_types_need(s->profile_types, source);
}

static bool any_runs(const struct settings *s)
{
	uint32_t source = 0;

	while (source < PPROF_NR_SOURCES && !runs(s, source))
		source++;
	return source < PPROF_NR_SOURCES;
}

bool sources_need_no_hooks(const struct settings *s)
{
	return s->nr_pids == 1 && !s->children && !s->duration_ns && !s->every_ns && !any_runs(s);
}

/* A started program is profiled with its children, as by perf: it may be a script. */
uint32_t sources_setup_flags(const struct settings *s)
{
	uint32_t flags = s->tables ? PPROF_SETUP_TABLES : 0;

	if (sources_need_no_hooks(s))
		return flags | PPROF_SETUP_SNAPSHOT;
	flags |= s->tables ? PPROF_SETUP_SHARED : 0;
	flags |= s->tables && (s->labels & LABELS_WANT_TRACE) ? PPROF_SETUP_CONTEXT : 0;
	flags |= s->all ? PPROF_SETUP_ALL : 0;
	flags |= s->cgroup ? PPROF_SETUP_CGROUP : 0;
	flags |= s->children || s->program ? PPROF_SETUP_CHILDREN : 0;
	flags |= s->kernel ? PPROF_SETUP_KERNEL : 0;
	return flags | (s->live ? PPROF_SETUP_THREAD_ENDS : 0);
}

/* ENOTSUPP of include/linux/errno.h: uprobes return it, and no header of user space has it. */
#define NOT_SUPPORTED	524

static void warn_of_start(uint32_t source, int err)
{
	const char *name = profile_types_of(source, false)->name;

	if (err == -NOT_SUPPORTED)
		warnx("cannot start the %s profile: an allocator begins with an instruction that a "
		      "breakpoint cannot replace: use --profile growth", name);
	else
		warnx("cannot start the %s profile: %s: %s", name, strerror(-err),
		      device_error_hint(err));
}

/* Returns: 0, or a negative errno after it printed the cause. */
static int start(struct device *d, const struct settings *s, uint32_t source)
{
	int err = runs(s, source) ? device_start(d, source, settings_period(s, source)) : 0;

	if (err)
		warn_of_start(source, err);
	return err;
}

/*
 * wall and cpu start last, and count time from there. The hooks of each other source take some
 * 0.03 s, which would be a part of the run.
 */
int sources_start(struct device *d, const struct settings *s)
{
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		if (source != PPROF_SOURCE_CPU && source != PPROF_SOURCE_WALL &&
		    start(d, s, source))
			return -1;
	return start(d, s, PPROF_SOURCE_WALL) || start(d, s, PPROF_SOURCE_CPU) ? -1 : 0;
}

/*
 * Completes the stop of a source. err is the result of its first device_stop(). While the result is
 * -EAGAIN, drains the rings and calls device_stop() again. After a failure the source lacks its
 * last samples, and keeps the others.
 * Returns: 0, or the bit of the source after it printed the cause.
 */
static unsigned int stop_rest(struct device *d, uint32_t source, int err,
			      const struct sources_end *end)
{
	while (err == -EAGAIN && !end->drain(end->ctx))
		err = device_stop(d, source);
	if (!err)
		return 0;
	warnx("the %s profile lacks its end: %s: %s", profile_types_of(source, false)->name,
	      strerror(-err), device_error_hint(err));
	return 1U << source;
}

unsigned int sources_stop(struct device *d, const struct settings *s, const struct sources_end *end)
{
	int err = runs(s, PPROF_SOURCE_WALL) ? device_stop(d, PPROF_SOURCE_WALL) : 0;
	unsigned int failed;

	end->ended(end->ctx);
	failed = stop_rest(d, PPROF_SOURCE_WALL, err, end);
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		if (source != PPROF_SOURCE_WALL && runs(s, source))
			failed |= stop_rest(d, source, device_stop(d, source), end);
	return failed;
}
