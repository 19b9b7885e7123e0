/* SPDX-License-Identifier: GPL-2.0 */
/* Checks one process: what would its profile lack (rights, symbols, unwind information)? */
#ifndef COLLECTOR_PROCESS_H
#define COLLECTOR_PROCESS_H

#include <sys/types.h>

#include "device/device.h"
#include "doctor/finding.h"

struct process_check {
	struct device *dev;	/* an open session without setup; NULL: no module */
	pid_t pid;
	const char *debug_dir;	/* folder of debug files: /usr/lib/debug */
	const char *debug_urls;	/* DEBUGINFOD_URLS; NULL: not set */
};

/*
 * Prints whether the process may be profiled, a line for each of its files that lacks something,
 * and a summary of the other files. Sets up the session c->dev.
 * Returns: 0, or -ENOMEM.
 */
int process_check(const struct process_check *c, struct findings *f);

#endif /* COLLECTOR_PROCESS_H */
