/* SPDX-License-Identifier: GPL-2.0 */
extern unsigned long jiffies;	/* the test defines it */

#define nsecs_to_jiffies(ns)	((unsigned long)((ns) / 4000000))	/* HZ is 250 */
#define time_before_eq(a, b)	((long)((a) - (b)) <= 0)
