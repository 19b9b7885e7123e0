/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BARRIER_H
#define SHIM_BARRIER_H

/* User space has these as atomics of the compiler, which TSan understands. */
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* Pairs with the load-acquire that the caller's comment names. */
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)

/* TSan does not understand fences, so this is an atomic operation on a common variable. */
static inline void smp_mb(void)
{
	static int place;

	__atomic_fetch_add(&place, 0, __ATOMIC_SEQ_CST);
}

/* Pairs with the smp_wmb() that the caller's comment names. */
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* Pairs with the smp_rmb() that the caller's comment names. */
#define smp_wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
