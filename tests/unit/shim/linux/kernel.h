/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#include <linux/align.h>
#include <linux/container_of.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/printk.h>
#include <linux/string.h>

#define DIV_ROUND_UP(x, to)	(((x) + (to) - 1) / (to))
#define ARRAY_SIZE(array)	((int)(sizeof(array) / sizeof(*(array))))

#endif
