/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_CRED_H
#define SHIM_CRED_H

#include <linux/types.h>
#include <linux/user_namespace.h>

kuid_t current_uid(void);
struct user_namespace *current_user_ns(void);

#define uid_eq(a, b)	((a).val == (b).val)

#endif
