// SPDX-License-Identifier: GPL-2.0
#include "unwind/process_ranges.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/uaccess.h>

bool pprof_tls_address_is_valid(const struct pprof_tls_address *tls)
{
	bool is_dtv = tls->kind == PPROF_TLS_DTV_GLIBC || tls->kind == PPROF_TLS_DTV_MUSL;

	if (tls->kind == PPROF_TLS_NONE)
		return !tls->module && !tls->offset;
	if (tls->kind >= PPROF_NR_TLS || tls->offset % 8)
		return false;
	if (is_dtv)
		return tls->module && tls->module <= PPROF_MAX_TLS_MODULE && tls->offset >= 0 &&
		       tls->offset < PPROF_MAX_TLS_OFFSET;
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
