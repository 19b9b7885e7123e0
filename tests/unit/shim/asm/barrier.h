/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_BARRIER_H
#define SHIM_BARRIER_H

/* As strong as user space can have them, which is what TSan understands. */
#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
/* Pairs with a load-acquire, as the caller says. */
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)

/* TSan knows no fences. */
static inline void smp_mb(void)
{
	static int place;

	__atomic_fetch_add(&place, 0, __ATOMIC_SEQ_CST);
}

/* Pairs with a smp_wmb(), likewise. */
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
/* Pairs with a smp_rmb(). */
#define smp_wmb()			__atomic_thread_fence(__ATOMIC_RELEASE)

#endif
