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
void shim_xa_unlocked(struct xarray *xa);	/* another CPU may take the lock */

#define xa_init_flags(xa, flags)	((void)(flags), (xa)->head = NULL)
#define xa_destroy(xa)			((void)(xa))
#define xa_lock(xa)			((void)(xa))
#define xa_unlock(xa)			shim_xa_unlocked(xa)

/* Returns the entry of the first number from *number on, or NULL. The test defines it. */
void *shim_xa_next(struct xarray *xa, unsigned long *number);

#define xa_for_each(xa, number, entry)						\
	for ((number) = 0, (entry) = shim_xa_next(xa, &(number)); (entry);	\
	     (number)++, (entry) = shim_xa_next(xa, &(number)))

#endif
