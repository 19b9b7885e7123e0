/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the order in which the dynamic linker of a process searches its files for symbols. */
#ifndef COLLECTOR_LINK_MAP_H
#define COLLECTOR_LINK_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINK_MAP_MAX	256

/*
 * Fills addresses with one address inside each linked file (its dynamic section), in search
 * order: the program comes first. The memory of the process may change during the call: the list
 * is then wrong or short, but never longer than LINK_MAP_MAX.
 * Returns: the number of addresses. 0 if the program has no dynamic linker, if the list does not
 * exist yet, or if the memory of the process may not be read.
 */
size_t link_map_read(pid_t pid, uint64_t addresses[LINK_MAP_MAX]);

#endif /* COLLECTOR_LINK_MAP_H */
