/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_XARRAY_H
#define SHIM_XARRAY_H

#include <linux/types.h>

struct xarray {
	void *head;
};

struct xa_limit {
	u32 max, min;
};

#define XA_LIMIT(from, to)	((struct xa_limit) { .min = (from), .max = (to) })
#define XA_FLAGS_ALLOC1		0

/* The test defines these. */
int xa_alloc(struct xarray *xa, u32 *number, void *entry, struct xa_limit limit, unsigned int gfp);
void *xa_load(struct xarray *xa, unsigned long number);
void *xa_erase(struct xarray *xa, unsigned long number);

#define xa_init_flags(xa, flags)	((xa)->head = NULL)
#define xa_destroy(xa)			((void)(xa))
#define xa_lock(xa)			((void)(xa))
#define xa_unlock(xa)			((void)(xa))

/* The test uses numbers up to this one. */
#define SHIM_XA_MAX	16

#define xa_for_each(xa, number, entry)				\
	for ((number) = 1; (number) < SHIM_XA_MAX; (number)++)	\
		if (((entry) = xa_load(xa, number)))

#endif
