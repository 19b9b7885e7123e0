/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ATOMIC_H
#define SHIM_ATOMIC_H

struct shim_atomic {
	int counter;
};

#define atomic_t		struct shim_atomic
#define atomic_inc(v)		((v)->counter += 1)
#define atomic_dec(v)		((v)->counter -= 1)
#define atomic_inc_return(v)	((v)->counter += 1)
#define atomic_read(v)		((v)->counter)

struct shim_atomic64 {
	long counter;
};

#define atomic64_t			struct shim_atomic64
#define atomic64_read(v)		((v)->counter)
#define atomic64_set(v, nr)		((v)->counter = (nr))
#define atomic64_add_return(nr, v)	((v)->counter += (nr))
#define atomic64_sub(nr, v)		((v)->counter -= (nr))

#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)

#endif
