/* SPDX-License-Identifier: GPL-2.0 */
/* What of root's rights the collector gives up before it reads what others wrote. */
#ifndef COLLECTOR_PRIVILEGES_H
#define COLLECTOR_PRIVILEGES_H

#include <stdbool.h>

/*
 * Keeps of the capabilities that we have those to sample (PERFMON), to look into
 * processes and their files (SYS_PTRACE, DAC_READ_SEARCH, CHECKPOINT_RESTORE), to write a
 * profile into anybody's folder (DAC_OVERRIDE, FOWNER) and to end the program that we
 * started (KILL); SYS_ADMIN where PERFMON or CHECKPOINT_RESTORE lacks, as it stands for
 * both; NET_ADMIN, if asked for, is for netlink.
 * What we execute later gets no more: PR_SET_NO_NEW_PRIVS.
 *
 * Capabilities are a thread's: call it before there is a second one, and after the
 * fork of a program, which has all. 0 or a negative errno. See capabilities(7).
 */
int privileges_drop(bool keep_net_admin);

#endif /* COLLECTOR_PRIVILEGES_H */
