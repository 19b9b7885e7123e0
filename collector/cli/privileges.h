/* SPDX-License-Identifier: GPL-2.0 */
/* Gives up capabilities before the collector reads files that other users have written. */
#ifndef COLLECTOR_PRIVILEGES_H
#define COLLECTOR_PRIVILEGES_H

#include <stdbool.h>

/*
 * Drops all capabilities of this process except:
 * - PERFMON, to sample;
 * - SYS_PTRACE, DAC_READ_SEARCH and CHECKPOINT_RESTORE, to read processes and their files;
 * - DAC_OVERRIDE and FOWNER, to write a profile into the folder of any user;
 * - KILL, to end the program that the collector started;
 * - SYS_ADMIN, only if the process lacks PERFMON or CHECKPOINT_RESTORE: it includes both;
 * - NET_ADMIN, only with keep_net_admin: netlink needs it.
 *
 * PR_SET_NO_NEW_PRIVS is set: a program that this process executes later gets no more than these.
 *
 * Capabilities belong to a thread: call this while there is one thread only. Call it after
 * command_new() has forked the profiled program: that child keeps all capabilities. See
 * capabilities(7).
 * Returns: 0, or a negative errno.
 */
int privileges_drop(bool keep_net_admin);

#endif /* COLLECTOR_PRIVILEGES_H */
