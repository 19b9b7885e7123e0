/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_REFCOUNT_H
#define SHIM_REFCOUNT_H

#include <linux/types.h>

struct shim_refcount {
	int refs;
};

#define refcount_t				struct shim_refcount
#define refcount_set(refcount, nr)		((refcount)->refs = (nr))
#define refcount_inc(refcount)			((refcount)->refs++)
#define refcount_dec_and_test(refcount)		(!--(refcount)->refs)

#endif
