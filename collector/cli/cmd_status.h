/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect status`: the sessions of the module and their counters. */
#ifndef COLLECTOR_STATUS_H
#define COLLECTOR_STATUS_H

#include <stdio.h>

#include "device/netlink.h"

/*
 * Lists all sessions on out, or says that there are none. Returns 0 or a
 * negative errno; the cause of that was printed on stderr.
 */
int status_run(FILE *out);

/*
 * Prints one session: owner, target, sources, rings, then a table of what each
 * class produced and lost, over all CPUs and for each CPU that lost anything.
 */
void status_print(FILE *out, const struct netlink_session *s);

#endif /* COLLECTOR_STATUS_H */
