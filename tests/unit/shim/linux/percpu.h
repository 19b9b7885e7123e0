/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_PERCPU_H
#define SHIM_PERCPU_H

#include <linux/spinlock.h>
#include <stdlib.h>

#define PCPU_MIN_UNIT_SIZE	(32U << 10)

static inline void *__alloc_percpu_gfp(size_t size, size_t align, unsigned int gfp)
{
	(void)align;
	(void)gfp;
	return calloc(1, size);
}

#define alloc_percpu(type)	__alloc_percpu_gfp(sizeof(type), 8, 0)

/* There is one CPU, which stays the same while interrupts are off. */
#define this_cpu_ptr(pointer)	(shim_irqs_are_off ? (pointer) : (abort(), (pointer)))
#define alloc_percpu_gfp(type, gfp)	((type *)__alloc_percpu_gfp(sizeof(type), 8, gfp))
#define free_percpu		free

#endif
