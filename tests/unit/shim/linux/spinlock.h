/* SPDX-License-Identifier: GPL-2.0 */
/* Locks that complain where they are taken twice, or given back untaken. */
#ifndef SHIM_SPINLOCK_H
#define SHIM_SPINLOCK_H

#include <stdlib.h>

struct shim_lock {
	int taken;
};

#define raw_spinlock_t	struct shim_lock

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->taken = 0;
}

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	if (lock->taken++)
		abort();
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	if (--lock->taken)
		abort();
}

#define raw_spin_lock_irqsave(lock, flags)	((flags) = 0, raw_spin_lock(lock))
#define raw_spin_unlock_irqrestore(lock, flags)	((void)(flags), raw_spin_unlock(lock))

#endif
