/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the parts of pclntab, the table of functions that Go's linker writes. Go's runtime unwinds
 * and prints stacks by it, so a stripped program has it, too. Sources: src/runtime/symtab.go and
 * runtime2.go of Go.
 *
 * The content is not trusted. A read outside of a part returns 0, and sets is_bad.
 */
#ifndef COLLECTOR_GO_TABLE_H
#define COLLECTOR_GO_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_reader.h"

struct go_module;

struct go_part {
	const uint8_t *at;
	size_t bytes;
};

/* The parts belong to the image of the ELF file. */
struct go_table {
	struct go_part names, units, files, values, functions;
	uint64_t nr_functions;
	bool is_bad;
};

void go_table_init(struct go_table *t, const struct go_module *m);

/* Reads a number of nr bytes, 1 to 8, at an offset in a part. */
uint64_t go_table_number(struct go_table *t, const struct go_part *p, uint64_t at,
			 unsigned int nr);

static inline uint32_t go_table_u32(struct go_table *t, const struct go_part *p, uint64_t at)
{
	return go_table_number(t, p, at, 4);
}

/*
 * Returns where the code of a function starts, as an offset in Go's text. Starts rise with the
 * index, unless the table is damaged. nr_functions stands for the end of the last function.
 */
uint32_t go_table_start(struct go_table *t, uint64_t index);

/* Returns the offset of a function's struct _func in the part of functions. */
uint32_t go_table_func(struct go_table *t, uint64_t index);

/*
 * Returns the rest of the part of values, from a list's offset on. It is empty at offset 0, which
 * stands for no list.
 */
struct go_part go_table_values(struct go_table *t, uint32_t at);

/*
 * A list of values by code: pairs of LEB128 numbers, the change of the value, and the bytes of code
 * that have the new value.
 */
struct go_values {
	struct bytes bytes;
	int32_t value;
	uint64_t end;	/* of the code that has it, from the start of the function */
	bool is_bad;
};

/*
 * Opens a list, which must end within the bytes of the part. An empty part stands for a list
 * without values.
 */
void go_values_init(struct go_values *v, struct go_part list);

/* Steps to the next value. Returns false at the end, and sets is_bad if the list is damaged. */
bool go_values_next(struct go_values *v);

#endif /* COLLECTOR_GO_TABLE_H */
