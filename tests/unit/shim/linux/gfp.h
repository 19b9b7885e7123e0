/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_GFP_H
#define SHIM_GFP_H

#include <linux/mm.h>

/* The test defines these. */
struct page *alloc_page(unsigned int gfp);
void __free_page(struct page *page);

#endif
