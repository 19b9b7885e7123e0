/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_TIMEKEEPING_H
#define SHIM_TIMEKEEPING_H

#include <linux/types.h>

#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

u64 ktime_get_mono_fast_ns(void);
u64 ktime_get_ns(void);

#endif
