/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_HEAP_ERRORS_H
#define COLLECTOR_HEAP_ERRORS_H

#include <sys/types.h>

/*
 * Prints why there is no heap profile of a process, and what to do. err, negative, is what
 * heap_add_process() or heap_tell() returned.
 */
void complain_heap(pid_t pid, int err);

#endif /* COLLECTOR_HEAP_ERRORS_H */
