/* SPDX-License-Identifier: GPL-2.0 */
/* Can this machine load the module and profile, as far as its files tell? */
#ifndef COLLECTOR_HOST_H
#define COLLECTOR_HOST_H

#include <stdbool.h>

#include "finding.h"

struct host {
	const char *root;	/* the folder that /proc, /sys, ... are in; "" for / */
	const char *release;	/* as of uname -r */
	const char *machine;	/* as of uname -m */
	const char *debug_urls;	/* of debuginfod; NULL: none */
	bool lacks_netlink;	/* the loaded module's family is not to be seen from here */
};

/* Is the module there now? */
bool host_has_module(const struct host *h);

/*
 * Prints a line for each of: the kernel and how it was configured, the headers,
 * the module (also ./pprof.ko), its signature, lockdown, what this process may do,
 * debug files.
 */
void host_check(const struct host *h, struct findings *f);

#endif /* COLLECTOR_HOST_H */
