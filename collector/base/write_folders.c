// SPDX-License-Identifier: GPL-2.0
#include "base/write_folders.h"

#include <errno.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The headers of Debian 12 lack these two. */
#define FS_TRUNCATE	(UINT64_C(1) << 14)	/* since version 3 of Landlock */
#define FS_IOCTL_DEV	(UINT64_C(1) << 15)	/* since version 5 */

/* All rights of version 1, except those to read. */
#define FS_WRITES							\
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |	\
	 LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |	\
	 LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |	\
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |	\
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |	\
	 LANDLOCK_ACCESS_FS_MAKE_SYM)

/* The rights in each folder of the list: enough for a temporary file that is renamed. */
#define FOLDER_RIGHTS							\
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |	\
	 LANDLOCK_ACCESS_FS_REMOVE_FILE)

/* Rights that the kernel does not know would make the call fail. */
static uint64_t rights_of_version(int version)
{
	return FS_WRITES | (version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0) |
	       (version >= 3 ? FS_TRUNCATE : 0) | (version >= 5 ? FS_IOCTL_DEV : 0);
}

static int add_folders(int rules, const int *folders, size_t nr)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = FOLDER_RIGHTS };

	for (size_t i = 0; i < nr; i++) {
		rule.parent_fd = folders[i];
		if (folders[i] >= 0 && syscall(SYS_landlock_add_rule, rules,
					       LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
			return -errno;
	}
	return 0;
}

int write_folders_only(const int *folders, size_t nr)
{
	int version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			      LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { .handled_access_fs = rights_of_version(version) };
	int rules, err;

	if (version < 1)
		return -EOPNOTSUPP;
	rules = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (rules < 0)
		return -errno;
	err = add_folders(rules, folders, nr);
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		     syscall(SYS_landlock_restrict_self, rules, 0)))
		err = -errno;
	close(rules);
	return err;
}
