/* SPDX-License-Identifier: GPL-2.0 */
#include_next <linux/limits.h>
#include <stdint.h>

#define S16_MAX	INT16_MAX
#ifndef INT_MAX
#define INT_MAX	INT32_MAX
#endif
