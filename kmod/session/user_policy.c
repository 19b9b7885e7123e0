// SPDX-License-Identifier: GPL-2.0
#include "session/user_policy.h"

#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/mount.h>

#include "base/compat.h"

/* From 3 on no user may use perf: Debian's kernels and Ubuntu's have this value. */
#define MAX_PARANOID	2

static int users = -1;
module_param(users, int, 0644);
MODULE_PARM_DESC(users, "1: users may profile, 0: not, -1: as kernel.perf_event_paranoid says (-1)");

static struct vfsmount *proc;
static struct file *paranoid;	/* NULL: this kernel has no such sysctl */

int pprof_user_policy_init(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct file *file;

	if (!type)
		return -ENODEV;
	proc = kern_mount(type);
	if (IS_ERR(proc))
		return PTR_ERR(proc);
	file = file_open_root_mnt(proc, "sys/kernel/perf_event_paranoid", O_RDONLY, 0);
	paranoid = IS_ERR(file) ? NULL : file;
	return 0;
}

void pprof_user_policy_exit(void)
{
	if (paranoid)
		fput(paranoid);
	kern_unmount(proc);
}

/* A sysctl that cannot be read, as by an LSM of the caller, allows nothing. */
static int read_paranoid(void)
{
	char text[16] = "";
	loff_t pos = 0;
	int value;

	if (!paranoid)
		return MAX_PARANOID;
	if (kernel_read(paranoid, text, sizeof(text) - 1, &pos) <= 0 || kstrtoint(text, 10, &value))
		return INT_MAX;
	return value;
}

bool pprof_user_policy_allows(void)
{
	int setting = READ_ONCE(users);

	return setting < 0 ? read_paranoid() <= MAX_PARANOID : setting;
}
