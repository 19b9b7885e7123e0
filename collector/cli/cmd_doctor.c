// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_doctor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "device/device.h"
#include "device/netlink.h"
#include "doctor/finding.h"
#include "doctor/host.h"
#include "doctor/host_device.h"
#include "doctor/host_kernel.h"
#include "doctor/process.h"
#include "run/privileges.h"

#define DEBUG_DIR	"/usr/lib/debug"

/*
 * Opens the device, or prints why that fails. It costs no program anything: a session has hooks
 * only after its setup.
 */
static struct device *check_device(const struct host *h, struct findings *f)
{
	struct device *d = device_open();

	if (d)
		finding_print(f, FINDING_OK, "device", "/dev/pprof opens, and its version fits");
	else
		host_device_explain(h, -errno, f);
	return d;
}

/*
 * Only the first network namespace has the netlink family of the module. No file of /proc shows
 * whether this one is the first, so it is tried.
 */
static bool lacks_netlink(void)
{
	struct netlink *n = netlink_open();
	bool lacks = !n && errno == ENOENT;

	netlink_close(n);
	return lacks;
}

/*
 * Call this after the checks of the host, which run dpkg and apt: no program can be started later.
 * Returns: 0, or a negative errno.
 */
static int check_process(const struct process_check *c, struct findings *f)
{
	int err = privileges_seal(&(struct privileges_seal){ 0 });

	return err ? err : process_check(c, f);
}

int cmd_doctor_run(pid_t pid, FILE *out)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct findings f = { .out = out };
	struct process_check check = { .pid = pid, .debug_dir = DEBUG_DIR, .debug_urls = urls };
	struct host host = { .root = "", .debug_urls = urls };
	struct utsname uts;
	int err = 0;

	if (uname(&uts))
		return -errno;
	host.release = uts.release;
	host.machine = uts.machine;
	host.lacks_netlink = host_kernel_has_module(&host) && lacks_netlink();
	host_check(&host, &f);
	if (host_kernel_has_module(&host))
		check.dev = check_device(&host, &f);
	if (pid)
		err = check_process(&check, &f);
	device_close(check.dev);
	if (err)
		finding_print(&f, FINDING_PROBLEM, "process",
			      "not all of its files were checked: %s: run doctor again",
			      strerror(-err));
	return f.nr_problems ? -EINVAL : 0;
}
