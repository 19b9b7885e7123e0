/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MM_H
#define SHIM_MM_H

#include <linux/slab.h>
#include <linux/types.h>

#define PAGE_SIZE	4096UL

struct page {
	u8 bytes[PAGE_SIZE];
};

#define page_address(page)	((void *)(page)->bytes)

#endif
