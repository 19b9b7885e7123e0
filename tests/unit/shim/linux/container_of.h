/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/list.h>

#define container_of(at, type, member)	shim_entry(at, type, member)
