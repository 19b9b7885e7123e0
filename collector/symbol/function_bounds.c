// SPDX-License-Identifier: GPL-2.0
#include "symbol/function_bounds.h"

#include <errno.h>
#include <stdlib.h>

#include "elf/code_segments.h"
#include "unwind/fde_index.h"

static uint64_t vaddr_of(const struct code_segments *t, uint64_t offset)
{
	for (unsigned int i = 0; i < t->nr; i++)
		if (offset - t->segments[i].offset < t->segments[i].bytes)
			return offset - t->segments[i].offset + t->segments[i].vaddr;
	return 0;
}

/* Bounds are sorted. One that is out of order, in an overlap of FDEs, is left out. */
static void append(struct function_bounds *b, uint64_t vaddr)
{
	if (!b->nr || vaddr > b->v[b->nr - 1])
		b->v[b->nr++] = vaddr;
}

static int append_fdes(struct function_bounds *b, const struct code_segments *t,
		       const struct fdes *f)
{
	b->v = reallocarray(NULL, 2 * f->nr + 1, sizeof(*b->v));
	if (!b->v)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++) {
		const struct fde *fde = &f->v[f->order[i].index];
		uint64_t start = vaddr_of(t, fde->offset);

		append(b, start);
		append(b, start + fde->bytes);
	}
	return 0;
}

int function_bounds_read(struct function_bounds *b, const void *image, size_t bytes)
{
	struct code_segments t;
	struct fdes f;
	int err;

	*b = (struct function_bounds){ 0 };
	if (code_segments_init(&t, image, bytes))
		return 0;
	err = fdes_init(&f, &t);
	if (!err)
		err = append_fdes(b, &t, &f);
	fdes_fini(&f);
	code_segments_fini(&t);
	return err == -ENOMEM ? err : 0;
}

void function_bounds_fini(struct function_bounds *b)
{
	free(b->v);
	*b = (struct function_bounds){ 0 };
}

/* Returns how many bounds are at addr or below. */
static size_t nr_up_to(const struct function_bounds *b, uint64_t addr)
{
	size_t low = 0, high = b->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (b->v[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool function_bounds_any(const struct function_bounds *b, uint64_t from, uint64_t to)
{
	return nr_up_to(b, from) != nr_up_to(b, to);
}
