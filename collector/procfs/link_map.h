/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the order in which the dynamic linker of a process searches its files for symbols. */
#ifndef COLLECTOR_LINKMAP_H
#define COLLECTOR_LINKMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINKMAP_MAX	256

/*
 * Fills addresses with one address inside each linked file (its dynamic section), in search
 * order: the program comes first. The memory of the process may change during the call: the list
 * is then wrong or short, but never longer than LINKMAP_MAX.
 * Returns: the number of addresses. 0 if the program has no dynamic linker, if the list does not
 * exist yet, or if the memory of the process may not be read.
 */
size_t linkmap_read(pid_t pid, uint64_t addresses[LINKMAP_MAX]);

#endif /* COLLECTOR_LINKMAP_H */
