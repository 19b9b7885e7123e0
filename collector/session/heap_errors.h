/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_HEAP_ERRORS_H
#define COLLECTOR_HEAP_ERRORS_H

#include <sys/types.h>

/*
 * Prints why a process has no heap profile, with a hint. err is the negative errno of a step of
 * heap_probes.c; pid is its process.
 */
void heap_error_print(pid_t pid, int err);

#endif /* COLLECTOR_HEAP_ERRORS_H */
