/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CRED_H
#define SHIM_CRED_H

#include <linux/types.h>

struct shim_uid {
	u32 val;
};

#define kuid_t	struct shim_uid

kuid_t current_uid(void);

#define uid_eq(a, b)	((a).val == (b).val)

#endif
