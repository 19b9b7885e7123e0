// SPDX-License-Identifier: GPL-2.0
#undef pr_fmt
#define pr_fmt(fmt) "pprof: " fmt

#include <linux/module.h>
#include <linux/utsname.h>

#include "base/access.h"
#include "arch/regs.h"
#include "heap/uprobes.h"
#include "base/compat.h"
#include "session/dev.h"
#include "base/tracepoints.h"
#include "base/kernel_versions.h"
#include "base/user_quota.h"
#include "client/thread_labels.h"
#include "record/mmap_probe.h"
#include "session/kept_hooks.h"
#include "session/netlink.h"
#include "session/user_policy.h"
#include "unwind/kernel_rules.h"
#include "source/source.h"

/*
 * Sessions use the first parts. The last two, netlink and the device, let user space in. The exit
 * takes them away in the opposite order, the device first: when it is gone, no session is left.
 */
static int __init init_pprof(void)
{
	int err;

	if (!pprof_arch_is_supported()) {
		pr_err(PPROF_ARCH_UNSUPPORTED "\n");
		return -EOPNOTSUPP;
	}
	err = pprof_tracepoints_init();
	if (err)
		return err;
	err = pprof_mmap_probe_check();
	if (err)
		return err;
	err = pprof_access_init();
	if (err)
		return err;
	err = pprof_uprobes_init();
	if (err)
		return err;
	err = pprof_kernel_rules_init();
	if (err)
		goto uprobes;
	err = pprof_src_cpu_init();
	if (err)
		goto kernel_rules;
	err = pprof_user_policy_init();
	if (err)
		goto src_cpu;
	err = pprof_netlink_init();
	if (err)
		goto user_policy;
	err = pprof_dev_init();
	if (err)
		goto netlink;
	if (!pprof_is_tested_here())
		pr_notice("not tested on this kernel, %s, but on " PPROF_TESTED_KERNELS "\n",
			  init_utsname()->release);
	return 0;
netlink:
	pprof_netlink_exit();
user_policy:
	pprof_user_policy_exit();
src_cpu:
	pprof_src_cpu_exit();
kernel_rules:
	pprof_kernel_rules_exit();
uprobes:
	pprof_uprobes_exit();
	return err;
}

static void __exit exit_pprof(void)
{
	pprof_dev_exit();
	pprof_kept_hooks_exit();
	pprof_thread_labels_exit();
	pprof_quota_exit();
	pprof_netlink_exit();
	pprof_user_policy_exit();
	pprof_src_cpu_exit();
	pprof_kernel_rules_exit();
	pprof_uprobes_exit();
}

module_init(init_pprof);
module_exit(exit_pprof);

MODULE_DESCRIPTION("Samples user stacks into per-CPU buffers");
MODULE_AUTHOR("The pprof developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(__stringify(PPROF_VERSION));
MODULE_INFO(abi, __stringify(PPROF_ABI_MAJOR) "." __stringify(PPROF_ABI_MINOR));
