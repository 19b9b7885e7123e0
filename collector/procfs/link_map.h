/* SPDX-License-Identifier: GPL-2.0 */
/* In which order the dynamic linker of a process looks for symbols. */
#ifndef COLLECTOR_LINKMAP_H
#define COLLECTOR_LINKMAP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINKMAP_MAX	256

/*
 * An address in each file that is linked, in that order: the program's first. How
 * many they are, at most LINKMAP_MAX; 0 of a program without a dynamic linker,
 * or one whose memory may not be read.
 */
size_t linkmap_read(pid_t pid, uint64_t addresses[LINKMAP_MAX]);

#endif /* COLLECTOR_LINKMAP_H */
