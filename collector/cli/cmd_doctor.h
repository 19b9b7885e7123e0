/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect doctor`: finds what prevents profiles on this machine. */
#ifndef COLLECTOR_CMD_DOCTOR_H
#define COLLECTOR_CMD_DOCTOR_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints a line for each check to out. If pid is not 0, also checks that process.
 * Returns: 0; or a negative errno if there is a problem, or a check could not be made.
 */
int cmd_doctor_run(pid_t pid, FILE *out);

#endif /* COLLECTOR_CMD_DOCTOR_H */
