/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MUTEX_H
#define SHIM_MUTEX_H

#include <stdlib.h>

struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name
#define mutex_init(mutex)	((mutex)->held = 0)

static inline void mutex_lock(struct mutex *mutex)
{
	if (mutex->held++)
		abort();
}

static inline void mutex_unlock(struct mutex *mutex)
{
	if (--mutex->held)
		abort();
}

#endif
