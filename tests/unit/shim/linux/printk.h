/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_PRINTK_H
#define SHIM_PRINTK_H

#include <stdio.h>

/* The last message of the code under test. The test defines it. */
extern char shim_log[256];

#define pr_err(format, ...)	snprintf(shim_log, sizeof(shim_log), pr_fmt(format), ##__VA_ARGS__)

#endif
