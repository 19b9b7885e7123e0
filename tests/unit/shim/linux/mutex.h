/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_MUTEX_H
#define SHIM_MUTEX_H

#include <stdlib.h>

struct mutex {
	int held;
};

#define DEFINE_MUTEX(name)	struct mutex name
#define __MUTEX_INITIALIZER(name)	{ .held = 0 * sizeof(name) }
#define mutex_init(mutex)	((mutex)->held = 0)

/* The number of mutexes that the code under test holds. */
extern int shim_nr_held;

static inline void mutex_lock(struct mutex *mutex)
{
	if (mutex->held++)
		abort();
	shim_nr_held++;
}

/* Never interrupted: no task is killed here. */
static inline int mutex_lock_killable(struct mutex *mutex)
{
	mutex_lock(mutex);
	return 0;
}

static inline void mutex_unlock(struct mutex *mutex)
{
	if (--mutex->held)
		abort();
	shim_nr_held--;
}

#endif
