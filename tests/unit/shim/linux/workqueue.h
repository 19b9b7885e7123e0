/* SPDX-License-Identifier: GPL-2.0 */
/* What is to be done later is done at once: nobody else is there. */
#include <stdlib.h>

struct work_struct {
	int unused;
};

struct rcu_work {
	struct work_struct work;
	void (*function)(struct work_struct *work);
};

struct workqueue_struct {
	int unused;
};

#define WQ_UNBOUND	0

#define alloc_workqueue(name, flags, nr)	((void)(name), (void)(flags), (void)(nr), \
						 calloc(1, sizeof(struct workqueue_struct)))
#define destroy_workqueue(queue)		free(queue)
#define INIT_RCU_WORK(rcu_work, what)		((rcu_work)->function = (what))
#define to_rcu_work(at)				container_of(at, struct rcu_work, work)
#define queue_rcu_work(queue, rcu_work)		((void)(queue), \
						 (rcu_work)->function(&(rcu_work)->work))
#define rcu_barrier()				((void)0)
