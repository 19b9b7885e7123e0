/* SPDX-License-Identifier: GPL-2.0 */
/* Where functions start and end, as the FDEs of an ELF file show it. */
#ifndef COLLECTOR_FUNCTION_BOUNDS_H
#define COLLECTOR_FUNCTION_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeroes: no bound is known. */
struct function_bounds {
	uint64_t *v;		/* rising addresses, as the file numbers them */
	size_t nr;
};

/*
 * Reads the bounds from an ELF image in memory. A file without FDEs, or one that is no program for
 * this machine, has none.
 * Returns: 0, or -ENOMEM.
 */
int function_bounds_read(struct function_bounds *b, const void *image, size_t bytes);

/* Frees the bounds. */
void function_bounds_fini(struct function_bounds *b);

/* Is there a start or an end of a function after from, up to and including to? */
bool function_bounds_any(const struct function_bounds *b, uint64_t from, uint64_t to);

#endif /* COLLECTOR_FUNCTION_BOUNDS_H */
