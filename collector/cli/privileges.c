// SPDX-License-Identifier: GPL-2.0
#include "cli/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability)	(UINT64_C(1) << (capability))

#define ALWAYS_KEPT (BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | \
		     BIT(CAP_CHECKPOINT_RESTORE) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | \
		     BIT(CAP_KILL))

static uint64_t choose(uint64_t had, bool keep_net_admin)
{
	const uint64_t parts = BIT(CAP_PERFMON) | BIT(CAP_CHECKPOINT_RESTORE);
	uint64_t kept = ALWAYS_KEPT;

	if ((had & parts) != parts)	/* CAP_SYS_ADMIN stands for both */
		kept |= BIT(CAP_SYS_ADMIN);
	if (keep_net_admin)
		kept |= BIT(CAP_NET_ADMIN);
	return had & kept;
}

/* libcap is rejected: loading the library takes longer than these system calls. */
int privileges_drop(bool keep_net_admin)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint64_t kept;

	if (syscall(SYS_capget, &header, data))
		return -errno;
	kept = choose((uint64_t)data[1].effective << 32 | data[0].effective, keep_net_admin);
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted = kept >> (32 * i);
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return 0;
}
