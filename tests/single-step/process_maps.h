/* SPDX-License-Identifier: GPL-2.0 */
/* The executable mappings of traced processes, with their unwind tables. */
#ifndef SINGLE_STEP_PROCESS_MAPS_H
#define SINGLE_STEP_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pprof_process_ranges;

/*
 * Returns the ranges of a process, for kmod/unwind/unwind.h. /proc/TID/maps is read again if
 * nr_mappings differs from the last call for this thread. The ranges are valid until then. Exits
 * without memory.
 */
const struct pprof_process_ranges *process_maps_ranges(pid_t tid, uint64_t nr_mappings);

/*
 * Writes the name of an address, as "FILE+OFFSET FUNCTION". The address is of the process of the
 * last process_maps_ranges(). For a return address, pass the byte before it.
 */
void process_maps_name(uint64_t address, char *buf, size_t size);

#endif
