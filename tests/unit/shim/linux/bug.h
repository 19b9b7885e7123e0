/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BUG_H
#define SHIM_BUG_H

#include <linux/types.h>

/* The number of warnings. The test defines it. */
extern int shim_nr_warnings;

#define WARN_ON_ONCE(condition)	((condition) ? shim_nr_warnings++, true : false)

#endif
