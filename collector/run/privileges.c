// SPDX-License-Identifier: GPL-2.0
#include "run/privileges.h"

#include <err.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/capabilities.h"
#include "base/write_folders.h"
#include "process/syscall_filter.h"

#define BIT		CAPABILITIES_BIT

#define WRITE_ANYWHERE	(BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER))
#define ALWAYS_KEPT	(BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | \
			 BIT(CAP_CHECKPOINT_RESTORE) | WRITE_ANYWHERE | BIT(CAP_KILL))

/*
 * A service or container limits the system calls of this process. Such a filter may kill a process
 * for a call that it does not know: SystemCallFilter=@system-service of systemd 252 does so for
 * those of Landlock.
 */
static bool has_foreign_filter;

static uint64_t choose(uint64_t had, uint64_t more)
{
	const uint64_t parts = BIT(CAP_PERFMON) | BIT(CAP_CHECKPOINT_RESTORE);
	uint64_t kept = ALWAYS_KEPT | more;

	if ((had & parts) != parts)	/* CAP_SYS_ADMIN stands for both */
		kept |= BIT(CAP_SYS_ADMIN);
	return kept;
}

int privileges_drop(uint64_t more)
{
	uint64_t had;
	int err = capabilities_get(&had);

	if (!err)
		err = capabilities_keep(choose(had, more));
	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err;
}

/* Returns: err, after it printed the cause. A kernel that lacks the feature is no error. */
static int check(int err, const char *call)
{
	if (!err || err == -EOPNOTSUPP)
		return 0;
	warnx("cannot give up rights: %s: allow this service or container %s", strerror(-err),
	      call);
	return err;
}

static void find_foreign_filter(void)
{
	has_foreign_filter = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

int privileges_seal(const struct privileges_seal *s)
{
	uint64_t dropped = BIT(CAP_SYSLOG) | (s->program ? 0 : BIT(CAP_KILL)) |
			   (s->writes_files || s->asks_servers ? 0 : WRITE_ANYWHERE);
	int err = check(capabilities_keep(~dropped), "capset()");

	if (err)
		return err;
	find_foreign_filter();
	return check(syscall_filter_collector(s->program, s->asks_servers), "seccomp()");
}

static int limit_writes(const int *folders, size_t nr)
{
	if (has_foreign_filter)
		return 0;
	return check(write_folders_only(folders, nr), "landlock_restrict_self()");
}

int privileges_end_profile(const int *folders, size_t nr)
{
	const uint64_t kept = BIT(CAP_DAC_READ_SEARCH) | WRITE_ANYWHERE | BIT(CAP_KILL);
	int err = check(capabilities_keep(kept), "capset()");

	return err || !folders ? err : limit_writes(folders, nr);
}

int privileges_seal_sender(bool reads_files, const int *folders, size_t nr)
{
	int err = check(capabilities_keep(reads_files ? BIT(CAP_DAC_READ_SEARCH) : 0), "capset()");

	find_foreign_filter();
	if (!err)
		err = limit_writes(folders, nr);
	if (!err)
		err = check(syscall_filter_collector(0, true), "seccomp()");
	return err;
}

int privileges_seal_server(void)
{
	const struct privileges_seal seal = { 0 };
	int err = check(capabilities_keep(0), "capset()");

	if (!err)
		err = privileges_seal(&seal);
	if (err || has_foreign_filter)
		return err;
	return check(write_folders_only(NULL, 0), "landlock_restrict_self()");
}
