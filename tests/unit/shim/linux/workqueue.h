/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_WORKQUEUE_H
#define SHIM_WORKQUEUE_H

#include <linux/types.h>
#include <stdlib.h>

struct work_struct {
	void (*func)(struct work_struct *work);
};

#define __WORK_INITIALIZER(name, function)	{ .func = sizeof(name) ? (function) : NULL }
#define INIT_WORK(work, function)	((work)->func = (function))

extern struct workqueue_struct *system_dfl_wq;

/* The queued work. It runs in flush_work(), which the test or the code under test calls. */
extern struct work_struct *shim_queued;
#define queue_work(queue, work)		((void)sizeof(queue), (void)(shim_queued = (work)))
#define flush_work(work)		((work)->func(work))

/* The test defines it. */
void shim_cancel_work(struct work_struct *work);
#define cancel_work_sync(work)		shim_cancel_work(work)

struct delayed_work {
	struct work_struct work;
	bool shim_queued;
	unsigned long shim_delay;
};

#define INIT_DELAYED_WORK(delayed, function)	((delayed)->work.func = (function))

/* The work item that was queued last. The test defines it, and runs it with shim_run(). */
extern struct delayed_work *shim_delayed;

static inline void mod_delayed_work(struct workqueue_struct *queue, struct delayed_work *delayed,
				    unsigned long delay)
{
	(void)queue;
	delayed->shim_queued = true;
	delayed->shim_delay = delay;
	shim_delayed = delayed;
}

/* A work item that is queued already keeps its delay. */
static inline void queue_delayed_work(struct workqueue_struct *queue, struct delayed_work *delayed,
				      unsigned long delay)
{
	if (!delayed->shim_queued)
		mod_delayed_work(queue, delayed, delay);
}

static inline void shim_run(struct delayed_work *delayed)
{
	delayed->shim_queued = false;
	delayed->work.func(&delayed->work);
}

static inline void flush_delayed_work(struct delayed_work *delayed)
{
	if (delayed->shim_queued)
		shim_run(delayed);
}

static inline void cancel_delayed_work_sync(struct delayed_work *delayed)
{
	delayed->shim_queued = false;
	shim_delayed = NULL;
}

struct rcu_work {
	struct work_struct work;
};

struct workqueue_struct {
	int unused;
};

#define WQ_UNBOUND	0

#define alloc_workqueue(name, flags, nr)	((void)(name), (void)(flags), (void)(nr), \
						 calloc(1, sizeof(struct workqueue_struct)))
#define destroy_workqueue(queue)		free(queue)
#define INIT_RCU_WORK(rcu_work, what)		((rcu_work)->work.func = (what))
#define to_rcu_work(at)				container_of(at, struct rcu_work, work)

/* There is no RCU reader, so the work runs at once. */
#define queue_rcu_work(queue, rcu_work)		((void)(queue), \
						 (rcu_work)->work.func(&(rcu_work)->work))

#endif
