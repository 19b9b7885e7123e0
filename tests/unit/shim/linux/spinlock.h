/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/mutex.h>

#define DEFINE_RAW_SPINLOCK(name)			DEFINE_MUTEX(name)
#define raw_spin_lock_irqsave(lock, flags)		((flags) = 0, mutex_lock(lock))
#define raw_spin_unlock_irqrestore(lock, flags)		((void)(flags), mutex_unlock(lock))
