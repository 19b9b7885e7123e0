/* SPDX-License-Identifier: GPL-2.0 */
#include <errno.h>
#include <stdlib.h>

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	1
#define __GFP_ZERO		2
#define __GFP_NOWARN		4

void *__vmalloc(unsigned long size, unsigned int gfp);

#define vfree	free
