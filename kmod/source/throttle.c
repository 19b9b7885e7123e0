// SPDX-License-Identifier: GPL-2.0
#include "source/throttle.h"

#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/timex.h>

static unsigned int overload_percent = 25;

static int set_percent(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 1, 100);
}

static const struct kernel_param_ops percent_ops = {
	.set = set_percent,
	.get = param_get_uint,
};

module_param_cb(overload_percent, &percent_ops, &overload_percent, 0644);
MODULE_PARM_DESC(overload_percent, "The share of a CPU above which rates halve (1 to 100; 25)");

/*
 * One for the module, not for each session: for the CPU it makes no difference whose ticks they
 * are.
 */
static DEFINE_PER_CPU(struct pprof_throttle, overloads);

bool pprof_throttle_tick(u64 begin, u64 period_ns)
{
	return pprof_throttle_note(this_cpu_ptr(&overloads), begin, get_cycles(),
				   READ_ONCE(overload_percent), period_ns);
}
