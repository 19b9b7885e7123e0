/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_POLL_H
#define SHIM_POLL_H

#include <linux/types.h>

struct file;

struct shim_poll_table {
	int unused;
};

#define poll_table	struct shim_poll_table

#endif
