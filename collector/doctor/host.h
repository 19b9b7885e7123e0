/* SPDX-License-Identifier: GPL-2.0 */
/* Checks the files of this machine: can it load the module and profile? */
#ifndef COLLECTOR_HOST_H
#define COLLECTOR_HOST_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/*
 * Prints a line for each check: the kernel and its configuration, the headers and their compiler,
 * the module (also ./pprof.ko), and its signature. Further checks are lockdown, the rights of this
 * process and of users, and debug files.
 */
void host_check(const struct host *h, struct findings *f);

#endif /* COLLECTOR_HOST_H */
