/* SPDX-License-Identifier: GPL-2.0 */
/* Warnings about a whole run: what the profiles lack. */
#ifndef COLLECTOR_WARNINGS_H
#define COLLECTOR_WARNINGS_H

#include <stdbool.h>

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "session/unwind_ranges.h"
#include "session/unwind_tables.h"

struct warnings {
	const struct aggregator *aggregator;
	const struct device *dev;
	struct unwind_tables *tables;	/* NULL: unwinding by frame pointers */
	const struct unwind_ranges *ranges;	/* NULL as tables is */
	const struct mapped_files *files;
	unsigned int hz;	/* as requested */
	uint64_t asked_ns;	/* the period of hz, in ns */
	bool may_leave;		/* processes may leave the run: see PPROF_SETUP_CGROUP */
};

/* Prints the warnings on standard error, a line for each. */
void warnings_print(const struct warnings *w);

#endif /* COLLECTOR_WARNINGS_H */
