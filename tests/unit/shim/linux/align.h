/* SPDX-License-Identifier: GPL-2.0 */
#define ALIGN(x, to)	(((x) + (to) - 1) & ~((to) - 1))
