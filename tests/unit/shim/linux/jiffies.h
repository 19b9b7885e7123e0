/* SPDX-License-Identifier: GPL-2.0 */
/* HZ is 1000. */
#define nsecs_to_jiffies(ns)	((unsigned long)((ns) / 1000000))

extern unsigned long jiffies;	/* the test defines it */

#define time_before_eq(a, b)	((long)((a) - (b)) <= 0)
