// SPDX-License-Identifier: GPL-2.0
#include "unwind/process_ranges.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <linux/uaccess.h>

bool pprof_tls_address_is_valid(const struct pprof_tls_address *tls)
{
	bool is_dtv = tls->kind == PPROF_TLS_DTV_GLIBC || tls->kind == PPROF_TLS_DTV_MUSL;

	if (tls->kind == PPROF_TLS_NONE)
		return !tls->module && !tls->format && !tls->offset;
	if (tls->kind >= PPROF_NR_TLS || tls->format >= PPROF_NR_CONTEXTS || tls->offset % 8)
		return false;
	if (is_dtv)
		return tls->module && tls->offset >= 0 && tls->offset < PPROF_MAX_TLS_OFFSET;
	return !tls->module && tls->offset < 0 && tls->offset >= -PPROF_MAX_TLS_OFFSET;
}

int pprof_process_ranges_add(struct pprof_process_ranges *process, const struct pprof_range *range,
			     const struct pprof_table *table)
{
	u64 floor = process->nr_ranges ? process->ranges[process->nr_ranges - 1].end : 0;

	if (range->start < floor || range->start >= range->end || range->end > TASK_SIZE_MAX ||
	    range->pad)
		return -EINVAL;
	process->ranges[process->nr_ranges++] = (struct pprof_process_range) {
		.start = range->start,
		.end = range->end,
		.bias = range->bias,
		.table = table,
	};
	if (is_power_of_2(process->nr_ranges))
		process->half = process->nr_ranges;
	return 0;
}

void pprof_process_ranges_set_nr(struct pprof_process_ranges *process, u32 nr)
{
	process->nr_ranges = nr;
	process->half = nr ? rounddown_pow_of_two(nr) : 0;
}

/*
 * Of the ranges that overlap @range, the first may keep a part before it, and the last a part after
 * it. They may be one range.
 */
bool pprof_range_list_cut(struct pprof_range_list *list, const struct pprof_process_range *range,
			  bool add)
{
	struct pprof_process_range parts[3];
	u32 first = 0, last, nr = 0;

	while (first < list->nr && list->ranges[first].end <= range->start)
		first++;
	for (last = first; last < list->nr && list->ranges[last].start < range->end; last++)
		;
	if (first < last && list->ranges[first].start < range->start) {
		parts[nr] = list->ranges[first];
		parts[nr++].end = range->start;
	}
	if (add)
		parts[nr++] = *range;
	if (first < last && list->ranges[last - 1].end > range->end) {
		parts[nr] = list->ranges[last - 1];
		parts[nr++].start = range->end;
	}
	if (list->nr - (last - first) + nr > list->room)
		return false;
	memmove(list->ranges + first + nr, list->ranges + last,
		(list->nr - last) * sizeof(*list->ranges));
	memcpy(list->ranges + first, parts, nr * sizeof(*parts));
	list->nr += nr - (last - first);
	return true;
}

bool pprof_range_list_has(const struct pprof_range_list *list,
			  const struct pprof_process_range *range)
{
	const struct pprof_process_range *at = list->ranges, *end = at + list->nr;

	for (; at < end; at++)
		if (at->start <= range->start && range->end <= at->end)
			return at->table == range->table &&
			       (!at->table || at->bias == range->bias);
	return false;
}

u64 pprof_range_list_bytes(const struct pprof_range_list *list)
{
	u64 bytes = 0;

	for (u32 i = 0; i < list->nr; i++)
		bytes += list->ranges[i].end - list->ranges[i].start;
	return bytes;
}

/*
 * Finds the last range that begins at or before the address, by halving. It has no branches, which
 * the CPU would predict wrongly. Steps are in bytes and hidden from gcc, which would keep each step
 * twice. That saves a third of the instructions.
 */
const struct pprof_process_range *
pprof_process_ranges_find(const struct pprof_process_ranges *process, u64 address)
{
	const struct pprof_process_range *range = process->ranges, *other;
	u64 step = sizeof(*range) * process->half;

	if (!process->nr_ranges)
		return NULL;
	other = range + (process->nr_ranges - process->half);
	range = other->start <= address ? other : range;
	while (step > sizeof(*range)) {
		step /= 2;
		OPTIMIZER_HIDE_VAR(step);
		other = (const void *)range + step;
		range = other->start <= address ? other : range;
	}
	return pprof_process_range_has(range, address) ? range : NULL;
}
