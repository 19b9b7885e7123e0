// SPDX-License-Identifier: GPL-2.0
#include "unwind/process_ranges.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/uaccess.h>

int pprof_space_add(struct pprof_space *space, const struct pprof_range *range,
		    const struct pprof_table *table)
{
	u64 floor = space->nr_ranges ? space->ranges[space->nr_ranges - 1].end : 0;

	if (range->start < floor || range->start >= range->end || range->end > TASK_SIZE_MAX ||
	    range->pad)
		return -EINVAL;
	space->ranges[space->nr_ranges++] = (struct pprof_space_range) {
		.start = range->start,
		.end = range->end,
		.bias = range->bias,
		.table = table,
	};
	if (is_power_of_2(space->nr_ranges))
		space->half = space->nr_ranges;
	return 0;
}

/*
 * Finds the last range that begins at or before the address, by halving. It has no branches, which
 * the CPU would predict wrongly. Steps are in bytes and hidden from gcc, which would keep each step
 * twice. That saves a third of the instructions.
 */
const struct pprof_space_range *pprof_space_find(const struct pprof_space *space, u64 address)
{
	const struct pprof_space_range *range = space->ranges, *other;
	u64 step = sizeof(*range) * space->half;

	if (!space->nr_ranges)
		return NULL;
	other = range + (space->nr_ranges - space->half);
	range = other->start <= address ? other : range;
	while (step > sizeof(*range)) {
		step /= 2;
		OPTIMIZER_HIDE_VAR(step);
		other = (const void *)range + step;
		range = other->start <= address ? other : range;
	}
	return pprof_space_range_has(range, address) ? range : NULL;
}
