/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The resource usage of a process, as /proc shows it: memory, page faults and CPU time. See
 * proc(5).
 */
#ifndef COLLECTOR_RESOURCE_USAGE_H
#define COLLECTOR_RESOURCE_USAGE_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints the resource usage of pid as comments of a text profile. Memory is in bytes, time in
 * seconds. The last line is "# MaxRSS = 35397632", as in Go's heap profiles. Values of memory
 * that are 0 are left out.
 *
 * Prints nothing if the process is gone, and no memory if it is a zombie. Write errors are left
 * in out, for ferror().
 */
void resource_usage_print(FILE *out, pid_t pid);

#endif /* COLLECTOR_RESOURCE_USAGE_H */
