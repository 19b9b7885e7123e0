/* SPDX-License-Identifier: GPL-2.0 */
/* What a whole run lacks, in a sentence each. */
#ifndef COLLECTOR_WARNINGS_H
#define COLLECTOR_WARNINGS_H

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "session/unwind_tables.h"

struct warnings {
	const struct collect *collect;
	const struct dev *dev;
	struct tables *tables;	/* NULL: there are none */
	const struct files *files;
	unsigned int hz;	/* that was asked for, */
	uint64_t asked_ns;	/* and its period */
};

/* Prints them, if there are any. */
void warnings_print(const struct warnings *w);

#endif /* COLLECTOR_WARNINGS_H */
