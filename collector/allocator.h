/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of an allocator in an ELF file, by the names that are known. */
#ifndef COLLECTOR_ALLOCATOR_H
#define COLLECTOR_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#define ALLOCATOR_MAX	48

/* Names for sentences: those of which a file must have one, and its free. */
#define ALLOCATOR_NAMES	"malloc, _rjem_malloc, je_malloc, tc_malloc"

struct allocator_function {
	uint32_t kind;		/* PPROF_HEAP_* */
	bool throws;		/* where there is no memory */
	uint64_t offset;	/* in the file, as struct pprof_heap_probe wants it */
};

/* Those that free come first, then those that do that, too. */
struct allocator {
	unsigned int nr;	/* 0: the file has none */
	/* A symbol, maybe of another file, that it calls before it throws; NULL: unknown. */
	const char *fails;
	struct allocator_function list[ALLOCATOR_MAX];
};

/*
 * What serves all that look malloc up, or only those that call it by a name of
 * its own: a process may have one of the first and some of the second.
 */
enum allocator_names { ALLOCATOR_COMMON, ALLOCATOR_PREFIXED };

/* fd is an open file. 0, or -ENOEXEC for what is no ELF file of x86-64, or damaged. */
int allocator_read(int fd, enum allocator_names names, struct allocator *a);

/* Where the file has a function that others find by this name; UINT64_MAX: it has none. */
uint64_t allocator_find(int fd, const char *name);

#endif /* COLLECTOR_ALLOCATOR_H */
