/* SPDX-License-Identifier: GPL-2.0 */
extern unsigned long jiffies;	/* the test defines it */

#define time_before_eq(a, b)	((long)((a) - (b)) <= 0)
