/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SPINLOCK_H
#define SHIM_SPINLOCK_H

#include <linux/types.h>
#include <stdlib.h>

struct shim_spinlock {
	bool held;
};

#define raw_spinlock_t	struct shim_spinlock

extern bool shim_irqs_are_off;

#define DEFINE_RAW_SPINLOCK(name)	raw_spinlock_t name
#define raw_spin_lock_init(lock)	((lock)->held = false)
#define local_irq_save(flags)		((flags) = shim_irqs_are_off, shim_irqs_are_off = true)
#define local_irq_restore(flags)	(shim_irqs_are_off = (flags))
#define local_irq_disable()		((void)(shim_irqs_are_off = true))
#define local_irq_enable()		((void)(shim_irqs_are_off = false))

static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	if (lock->held || !shim_irqs_are_off)
		abort();
	lock->held = true;
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	lock->held = false;
}

#define raw_spin_lock_irqsave(lock, flags)	(local_irq_save(flags), raw_spin_lock(lock))
#define raw_spin_unlock_irqrestore(lock, flags)	(raw_spin_unlock(lock), local_irq_restore(flags))

static inline void raw_spin_lock_irq(raw_spinlock_t *lock)
{
	shim_irqs_are_off = true;
	raw_spin_lock(lock);
}

static inline void raw_spin_unlock_irq(raw_spinlock_t *lock)
{
	raw_spin_unlock(lock);
	shim_irqs_are_off = false;
}

#endif
