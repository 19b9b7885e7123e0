// SPDX-License-Identifier: GPL-2.0
#include "elf/go_table.h"

#include "elf/go_module.h"

/* Offsets of fields of struct pcHeader: the number of functions, and the offset of each part. */
#define NR_FUNCTIONS_AT	8
#define NAMES_AT	32
#define UNITS_AT	40
#define FILES_AT	48
#define VALUES_AT	56
#define FUNCTIONS_AT	64

/* An entry of the index of functions: two u32 offsets, of the code from text, and of its _func. */
#define INDEX_BYTES	8

/* The largest LEB128 number of 32 bits. */
#define NUMBER_BYTES	5

uint64_t go_table_number(struct go_table *t, const struct go_part *p, uint64_t at,
			 unsigned int nr)
{
	struct bytes b = { .at = p->at, .end = p->at + p->bytes };
	uint64_t value;

	bytes_take(&b, at);
	value = bytes_number(&b, nr);
	t->is_bad |= b.is_short;
	return value;
}

/*
 * Returns the part whose offset is at `at`. The header has no sizes: it may reach to the table's
 * end.
 */
static struct go_part part_at(struct go_table *t, const struct go_part *table, unsigned int at)
{
	uint64_t offset = go_table_number(t, table, at, 8);

	if (offset > table->bytes) {
		t->is_bad = true;
		offset = table->bytes;
	}
	return (struct go_part){ table->at + offset, table->bytes - offset };
}

void go_table_init(struct go_table *t, const struct go_module *m)
{
	const struct go_part table = { m->pclntab, m->pclntab_bytes };

	*t = (struct go_table){ 0 };
	t->names = part_at(t, &table, NAMES_AT);
	t->units = part_at(t, &table, UNITS_AT);
	t->files = part_at(t, &table, FILES_AT);
	t->values = part_at(t, &table, VALUES_AT);
	t->functions = part_at(t, &table, FUNCTIONS_AT);
	t->nr_functions = go_table_number(t, &table, NR_FUNCTIONS_AT, 8);
	if (t->nr_functions > t->functions.bytes / INDEX_BYTES)
		t->is_bad = true;
}

uint32_t go_table_start(struct go_table *t, uint64_t index)
{
	return go_table_u32(t, &t->functions, index * INDEX_BYTES);
}

uint32_t go_table_func(struct go_table *t, uint64_t index)
{
	return go_table_u32(t, &t->functions, index * INDEX_BYTES + 4);
}

struct go_part go_table_values(struct go_table *t, uint32_t at)
{
	const struct go_part *p = &t->values;

	if (at >= p->bytes)
		t->is_bad = true;
	if (!at || at >= p->bytes)
		return (struct go_part){ 0 };
	return (struct go_part){ p->at + at, p->bytes - at };
}

void go_values_init(struct go_values *v, struct go_part list)
{
	*v = (struct go_values){ .value = -1 };
	if (list.at)
		v->bytes = (struct bytes){ .at = list.at, .end = list.at + list.bytes };
}

/*
 * Takes a number of 32 bits. Longer ones are refused: a million functions of a hostile file may
 * share a list, and a number that goes on to the end of the file would be read for each of them.
 */
static uint32_t take_number(struct go_values *v)
{
	struct bytes b = v->bytes;
	uint64_t number;

	if (b.end - b.at > NUMBER_BYTES)
		b.end = b.at + NUMBER_BYTES;
	number = bytes_uleb(&b);
	v->is_bad |= b.is_short;
	v->bytes.at = b.at;
	return number;
}

/* A list ends with a change of 0. The first change may be 0, too. */
bool go_values_next(struct go_values *v)
{
	uint32_t change;

	if (!v->bytes.at)
		return false;
	change = take_number(v);
	if (!change && v->end)
		return false;
	v->value = (uint32_t)v->value + (change & 1 ? ~(change >> 1) : change >> 1);
	v->end += take_number(v);
	return !v->is_bad;
}
