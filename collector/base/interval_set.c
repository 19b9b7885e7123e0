// SPDX-License-Identifier: GPL-2.0
#include "base/interval_set.h"

#include <errno.h>
#include <stdlib.h>

/* Limit of the ranges around an address that interval_set_narrow() looks at. */
#define MAX_AROUND	64

void interval_set_fini(struct interval_set *s)
{
	free(s->v);
	*s = (struct interval_set){ 0 };
}

static int grow(struct interval_set *s)
{
	size_t cap = s->cap ? s->cap + s->cap / 2 : 16;
	struct interval *v = reallocarray(s->v, cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	s->v = v;
	s->cap = cap;
	return 0;
}

int interval_set_add(struct interval_set *s, uint64_t start, uint64_t end, uint32_t id)
{
	uint64_t nr_bytes = end - start;
	int err;

	if (start >= end)
		return 0;
	if (s->nr == s->cap) {
		err = grow(s);
		if (err)
			return err;
	}
	if (nr_bytes > UINT32_MAX)
		nr_bytes = UINT32_MAX;
	s->v[s->nr++] = (struct interval){ .start = start, .nr_bytes = nr_bytes, .id = id };
	return 0;
}

static int compare(const void *va, const void *vb)
{
	const struct interval *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->nr_bytes != b->nr_bytes)
		return a->nr_bytes > b->nr_bytes ? -1 : 1;
	return a->id > b->id ? -1 : a->id < b->id;
}

void interval_set_sort(struct interval_set *s)
{
	if (s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), compare);
}

void interval_set_index(struct interval_set *s)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < s->nr; i++) {
		uint64_t end = s->v[i].start + s->v[i].nr_bytes;

		if (end > reach)
			reach = end;
		s->v[i].reach = reach;
	}
}

/* Returns how many ranges start at addr or below. */
static size_t nr_started(const struct interval_set *s, uint64_t addr)
{
	size_t lo = 0, hi = s->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The walk ends at the first range whose reach is not beyond addr. Ranges are usually disjoint, and
 * then this is one step.
 */
const struct interval *interval_set_find(const struct interval_set *s, uint64_t addr,
					 const struct interval *prev)
{
	size_t i = prev ? (size_t)(prev - s->v) : nr_started(s, addr);

	while (i-- > 0 && s->v[i].reach > addr)
		if (addr - s->v[i].start < s->v[i].nr_bytes)
			return &s->v[i];
	return NULL;
}

/* The walk ends at a range whose reach is not in the span: all before it end even earlier. */
void interval_set_narrow(const struct interval_set *s, uint64_t addr, struct code_span *span)
{
	size_t next = nr_started(s, addr), i = next;

	if (next < s->nr)
		code_span_pass(span, addr, s->v[next].start, UINT64_MAX);
	while (i-- > 0 && (span->before > addr || s->v[i].reach > addr - span->before)) {
		if (next - i > MAX_AROUND) {
			*span = CODE_SPAN_ONE_BYTE;
			return;
		}
		code_span_pass(span, addr, s->v[i].start, s->v[i].start + s->v[i].nr_bytes);
	}
}
