/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect status`: the sessions of the module and their counters. */
#ifndef COLLECTOR_CMD_STATUS_H
#define COLLECTOR_CMD_STATUS_H

#include <stdio.h>

#include "device/netlink.h"

/*
 * Prints all sessions to out, or that there are none.
 * Returns: 0; or a negative errno after an error message on standard error.
 */
int cmd_status_run(FILE *out);

/*
 * Prints one session: owner, target, sources and rings. Then prints a table of the produced and
 * lost counts of each class: for all CPUs together, and for each CPU with losses.
 */
void cmd_status_print(FILE *out, const struct netlink_session *s);

#endif /* COLLECTOR_CMD_STATUS_H */
