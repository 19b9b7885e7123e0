/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_PAGE_TYPES_H
#define SHIM_PAGE_TYPES_H

#define __START_KERNEL_map	0xffffffff80000000UL
#define KERNEL_IMAGE_SIZE	(1UL << 30)

#endif
