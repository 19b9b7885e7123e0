/* SPDX-License-Identifier: GPL-2.0 */
/* What a profile of one process would lack: rights, names, unwind information. */
#ifndef COLLECTOR_INSPECT_H
#define COLLECTOR_INSPECT_H

#include <sys/types.h>

#include "device/device.h"
#include "doctor/finding.h"

struct inspect {
	struct dev *dev;	/* not set up: inspect_run() does it; NULL: no module */
	pid_t pid;
	const char *debug_dir;	/* /usr/lib/debug */
	const char *debug_urls;	/* of debuginfod; NULL: none */
};

/*
 * Prints whether the process may be profiled, a line for each of its files that
 * lacks something, and what the others have. 0, or -ENOMEM.
 */
int inspect_run(const struct inspect *i, struct findings *f);

#endif /* COLLECTOR_INSPECT_H */
