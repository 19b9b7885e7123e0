// SPDX-License-Identifier: GPL-2.0
#include "doctor.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "complain.h"
#include "dev.h"
#include "finding.h"
#include "host.h"
#include "inspect.h"
#include "netlink.h"

#define DEBUG_DIR	"/usr/lib/debug"

/* A session that is not started places no hook. */
static struct dev *check_device(struct findings *f)
{
	struct dev *d = dev_open();
	char text[256];

	if (d) {
		finding_print(f, FINDING_OK, "device", "/dev/pprof opens, and is of our version");
	} else if (errno == ENOENT) {
		finding_print(f, FINDING_PROBLEM, "device",
			      "there is no /dev/pprof: run 'udevadm trigger --sysname-match=pprof' as "
			      "root, or start the container with '--device /dev/pprof'");
	} else {
		complain_open_text(-errno, text, sizeof(text));
		finding_print(f, FINDING_PROBLEM, "device", "%s", text);
	}
	return d;
}

/* Only the first network namespace has the module's family; which one that is, nothing tells. */
static bool lacks_netlink(void)
{
	struct netlink *n = netlink_open();
	bool lacks = !n && errno == ENOENT;

	netlink_close(n);
	return lacks;
}

int doctor_run(pid_t pid, FILE *out)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct findings f = { .out = out };
	struct inspect inspect = { .pid = pid, .debug_dir = DEBUG_DIR, .debug_urls = urls };
	struct host host = { .root = "", .debug_urls = urls };
	struct utsname uts;
	int err = 0;

	if (uname(&uts))
		return -errno;
	host.release = uts.release;
	host.machine = uts.machine;
	host.lacks_netlink = host_has_module(&host) && lacks_netlink();
	host_check(&host, &f);
	if (host_has_module(&host))
		inspect.dev = check_device(&f);
	if (pid)
		err = inspect_run(&inspect, &f);
	dev_close(inspect.dev);
	if (err)
		finding_print(&f, FINDING_PROBLEM, "process",
			      "not all of its files were looked at: %s", strerror(-err));
	return f.nr_problems ? -EINVAL : 0;
}
