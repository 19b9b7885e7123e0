/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the functions of an allocator in an ELF file, by their known names. */
#ifndef COLLECTOR_ALLOCATOR_SYMBOLS_H
#define COLLECTOR_ALLOCATOR_SYMBOLS_H

#include <stdint.h>

#define ALLOCATOR_MAX	48

/* For sentences: a file needs one of these, and its free. */
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
 * Which names are searched. COMMON: malloc and the like, which serve all files of a process that
 * look them up. PREFIXED: names of their own, such as je_malloc, which serve only their callers.
 * A process may have one allocator with common names and some with prefixed names.
 */
enum allocator_names { ALLOCATOR_COMMON, ALLOCATOR_PREFIXED };

/*
 * Reads the functions from an open file, which stays open.
 * Returns: 0; or -ENOEXEC for a file that is no ELF file of x86-64, or is damaged.
 */
int allocator_read(int fd, enum allocator_names names, struct allocator *a);

#endif /* COLLECTOR_ALLOCATOR_SYMBOLS_H */
