/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_USER_NAMESPACE_H
#define SHIM_USER_NAMESPACE_H

#include <linux/types.h>

struct shim_uid {
	u32 val;
};

#define kuid_t	struct shim_uid

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
};

extern struct user_namespace init_user_ns;

#define from_kuid(ns, uid)	((void)(ns), (uid).val)

#endif
