/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect doctor`: what stands between this machine and a profile. */
#ifndef COLLECTOR_DOCTOR_H
#define COLLECTOR_DOCTOR_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints a line for each check on out; with pid, not 0, of that process, too. 0, or
 * a negative errno if a problem stands or a check could not be made.
 */
int doctor_run(pid_t pid, FILE *out);

#endif /* COLLECTOR_DOCTOR_H */
