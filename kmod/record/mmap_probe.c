// SPDX-License-Identifier: GPL-2.0
#undef pr_fmt
#define pr_fmt(fmt) "pprof: " fmt

#include "record/mmap_probe.h"

#include <linux/kprobes.h>
#include <linux/rcupdate.h>

#define PROBED "perf_event_mmap"

/* A disabled probe is not written into the function. So it can always be removed. */
int pprof_mmap_probe_check(void)
{
	struct kprobe probe = { .symbol_name = PROBED, .flags = KPROBE_FLAG_DISABLED };
	int err = register_kprobe(&probe);

	if (err)
		pr_err("this kernel has no function " PROBED
		       " that a kprobe can be in, which the module needs: error %d\n", err);
	else
		unregister_kprobe(&probe);
	return err;
}

/*
 * register_kprobe() of kernel 7.3 also returns 0 if it lacked memory to write the probe into the
 * function, and dropped it (__register_kprobe()). enable_kprobe() fails for a probe that the kernel
 * does not know. It does nothing to a probe that is enabled.
 */
int pprof_mmap_probe_add(struct kprobe *probe)
{
	int err;

	probe->symbol_name = PROBED;
	err = register_kprobe(probe);
	if (err)
		return err;
	return enable_kprobe(probe) ? -ENOMEM : 0;
}

/*
 * The kernel may lack memory to remove a probe: the closing process may even be killed for that.
 * Then the kernel keeps the probe in its lists, and sets its address to NULL. Its handler must not
 * be called any more, whatever other probes are at the address.
 */
bool pprof_mmap_probe_del(struct kprobe *probe)
{
	unregister_kprobe(probe);
	if (probe->addr)
		return true;
	/*
	 * With another probe at the address the kernel reads pre_handler twice: to test it, and to
	 * call it (aggr_pre_handler()). It calls no handler of a disabled probe.
	 */
	probe->flags |= KPROBE_FLAG_DISABLED;
	synchronize_rcu();
	WRITE_ONCE(probe->pre_handler, NULL);
	synchronize_rcu();
	return false;
}
