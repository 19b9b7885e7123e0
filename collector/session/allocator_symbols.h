/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the functions of an allocator in an ELF file, by their known names. */
#ifndef COLLECTOR_ALLOCATOR_SYMBOLS_H
#define COLLECTOR_ALLOCATOR_SYMBOLS_H

#include <stdint.h>

#define ALLOCATOR_MAX	48

/*
 * Names for messages: an allocator needs one of these functions, and the free that belongs to it.
 */
#define ALLOCATOR_NAMES	"malloc, _rjem_malloc, je_malloc, tc_malloc"

struct allocator_function {
	uint32_t function;	/* PPROF_HEAP_* */
	uint64_t offset;	/* file offset, as in struct pprof_heap_probe */
};

/* Sorted by function, the order in which the module sets them. */
struct allocator {
	unsigned int nr;	/* 0 if the file has no allocator */
	struct allocator_function list[ALLOCATOR_MAX];
};

/*
 * Which names are searched:
 * - COMMON: names such as malloc. The functions serve all files of the process that look them up.
 * - PREFIXED: names such as je_malloc. The functions serve only code that calls them by these
 *   names.
 * A process may have one allocator with common names, and several with prefixed names.
 */
enum allocator_names { ALLOCATOR_COMMON, ALLOCATOR_PREFIXED };

/*
 * Reads the functions from an open file, which stays open.
 * Returns: 0; or -ENOEXEC for a file that is no ELF file of this CPU, or is damaged.
 */
int allocator_read(int fd, enum allocator_names names, struct allocator *a);

#endif /* COLLECTOR_ALLOCATOR_SYMBOLS_H */
