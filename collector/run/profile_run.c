// SPDX-License-Identifier: GPL-2.0
#include "run/profile_run.h"

#include <stdlib.h>

#include "aggregate/aggregator.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "device/device.h"
#include "process/command.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "report/thread_dump.h"
#include "report/window_store.h"
#include "session/heap_probes.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

void profile_run_init(struct profile_run *r, const struct settings *settings, int stop_fd,
		      struct command *program)
{
	*r = (struct profile_run){ .settings = settings, .stop.fd = stop_fd, .program = program };
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		r->periods[source] = settings_period(settings, source);
	r->custom_type = profile_types_custom(settings->custom);
}

void profile_run_fini(struct profile_run *r)
{
	output_files_fini(&r->outputs);
	window_store_free(r->store);
	heap_free(r->heap);
	command_free(r->program);
	unwind_ranges_free(r->ranges);
	unwind_tables_free(r->tables);
	aggregator_free(r->aggregator);
	thread_dump_free(r->dump);
	locations_free(r->locations);
	named_code_free(r->code);
	labels_free(r->labels);
	processes_free(r->processes);
	mapped_files_free(r->files);
	free(r->rings);
	device_close(r->dev);
}

pid_t profile_run_pid(const struct profile_run *r)
{
	if (r->program)
		return command_pid(r->program);
	return r->settings->nr_pids ? r->settings->pids[0] : 0;
}

int profile_run_update_ranges(struct profile_run *r)
{
	return r->ranges ? unwind_ranges_update(r->ranges) : 0;
}

void profile_run_count(struct profile_run *r)
{
	struct profile_run_counters *c = &r->counters;

	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++) {
		c->lost[class] = device_nr_lost(r->dev, class) - r->before.lost[class];
		c->lost_early[class] = device_nr_lost_for(r->dev, class, PPROF_LOST_QUEUE) -
				       r->before.lost_early[class];
	}
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		c->slowest_ns[source] = device_slowest_ns(r->dev, source);
	if (r->tables)
		c->refused = unwind_tables_nr_refused(r->tables) +
			     unwind_ranges_nr_refused(r->ranges);
}

void profile_run_count_again(struct profile_run *r)
{
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++) {
		r->before.lost[class] += r->counters.lost[class];
		r->before.lost_early[class] += r->counters.lost_early[class];
	}
}
