// SPDX-License-Identifier: GPL-2.0
#include "base/capabilities.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int capabilities_get(uint64_t *effective)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	*effective = (uint64_t)data[1].effective << 32 | data[0].effective;
	return 0;
}

/* libcap is not used: loading the library takes longer than these system calls. */
int capabilities_keep(uint64_t kept)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	uint64_t had = 0;
	int err = capabilities_get(&had);

	if (err)
		return err;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted = (had & kept) >> (32 * i);
		data[i].effective = data[i].permitted;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}
