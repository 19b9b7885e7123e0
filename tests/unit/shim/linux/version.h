/* SPDX-License-Identifier: GPL-2.0 */
/* The Makefile gives the version of the kernel: the newest one, to which compat.h adds nothing. */
#ifndef SHIM_VERSION_H
#define SHIM_VERSION_H

#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + ((c) > 255 ? 255 : (c)))

#endif
