/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/types.h>

bool perfmon_capable(void);
