/* SPDX-License-Identifier: GPL-2.0 */
/* The command list: which profiles a process has. */
#ifndef COLLECTOR_LIST_H
#define COLLECTOR_LIST_H

#include <stdio.h>
#include <sys/types.h>

/*
 * Prints a line for each kind and for each profile that the process keeps itself, by
 * name: the name, and how many there are now (of kinds, of threads only). 0, or -1
 * when the cause was printed.
 */
int list_run(pid_t pid, FILE *out);

#endif /* COLLECTOR_LIST_H */
