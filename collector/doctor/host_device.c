// SPDX-License-Identifier: GPL-2.0
#include "doctor/host_device.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/error_text.h"
#include "device/user_policy.h"
#include "doctor/host_kernel.h"

/*
 * devtmpfs makes the node once, when the module is loaded. udev does not make it, but sets its
 * mode, by a rule of the administrator if there is one. So with udev the advised mknod makes a node
 * of mode 600, and udev then sets the final mode.
 */
static void advise_node(const struct host *h, struct findings *f)
{
	unsigned int major = 0, minor = 0;
	bool has_udev = host_files_exist(h, "/run/udev/control");
	char number[32];

	if (host_files_read(h, "/sys/class/misc/pprof/dev", number, sizeof(number)) > 0)
		sscanf(number, "%u:%u", &major, &minor);
	if (host_kernel_is_container(h))
		finding_print(f, FINDING_PROBLEM, "device",
			      "there is no /dev/pprof: start the container with '--device /dev/pprof'");
	else if (!major)
		finding_print(f, FINDING_PROBLEM, "device",
			      "there is no /dev/pprof: unload the module, and load it again");
	else
		finding_print(f, FINDING_PROBLEM, "device",
			      "there is no /dev/pprof: run 'mknod -m %s /dev/pprof c %u %u%s' as root",
			      has_udev ? "600" : "666", major, minor,
			      has_udev ? " && udevadm trigger --sysname-match=pprof" : "");
}

static void advise_rights(const struct host *h, struct findings *f)
{
	const struct passwd *user = getpwuid(getuid());
	const struct group *group = NULL;
	char path[PATH_MAX];
	struct stat st;

	host_files_path(h, path, "/dev/pprof");
	if (user_policy_refused(path)) {
		finding_print(f, FINDING_PROBLEM, "device",
			      "users may not profile: run 'echo 1 >/sys/module/pprof/parameters/users' "
			      "as root, or lower kernel.perf_event_paranoid to 2");
		return;
	}
	if (!stat(path, &st) && st.st_gid && (st.st_mode & 0060) == 0060)
		group = getgrgid(st.st_gid);
	if (group && user)
		finding_print(f, FINDING_PROBLEM, "device",
			      "only the group %s may open /dev/pprof: run 'usermod -aG %s %s' as root, "
			      "and log in again", group->gr_name, group->gr_name, user->pw_name);
	else
		finding_print(f, FINDING_PROBLEM, "device",
			      "only root may open /dev/pprof, maybe by a rule of udev: run 'chmod 666 "
			      "/dev/pprof' as root");
}

void host_device_explain(const struct host *h, int err, struct findings *f)
{
	char text[256];

	if (err == -ENOENT) {
		advise_node(h, f);
	} else if (err == -EACCES) {
		advise_rights(h, f);
	} else {
		device_error_open(err, text, sizeof(text));
		finding_print(f, FINDING_PROBLEM, "device", "%s", text);
	}
}
