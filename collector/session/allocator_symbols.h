/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of an allocator in an ELF file, by the names that are known. */
#ifndef COLLECTOR_ALLOCATOR_H
#define COLLECTOR_ALLOCATOR_H

#include <stdint.h>

#define ALLOCATOR_MAX	48

/* Names for sentences: those of which a file must have one, and its free. */
#define ALLOCATOR_NAMES	"malloc, _rjem_malloc, je_malloc, tc_malloc"

struct allocator_function {
	uint32_t kind;		/* PPROF_HEAP_* */
	uint64_t offset;	/* in the file, as struct pprof_heap_probe wants it */
};

/* In the order of their kinds, which is that of setting them. */
struct allocator {
	unsigned int nr;	/* 0: the file has none */
	struct allocator_function list[ALLOCATOR_MAX];
};

/*
 * What serves all that look malloc up, or only those that call it by a name of
 * its own: a process may have one of the first and some of the second.
 */
enum allocator_names { ALLOCATOR_COMMON, ALLOCATOR_PREFIXED };

/* fd is an open file. 0, or -ENOEXEC for what is no ELF file of x86-64, or damaged. */
int allocator_read(int fd, enum allocator_names names, struct allocator *a);

#endif /* COLLECTOR_ALLOCATOR_H */
