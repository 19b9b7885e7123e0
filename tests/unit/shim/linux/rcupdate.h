/* SPDX-License-Identifier: GPL-2.0 */
/* No reader is left when a test frees anything. */
#ifndef SHIM_RCUPDATE_H
#define SHIM_RCUPDATE_H

#include <asm/barrier.h>
#include <linux/compiler.h>

#define rcu_read_lock()			((void)0)
#define rcu_read_unlock()		((void)0)
#define synchronize_rcu()		((void)0)
#define kvfree_rcu(p, head)		((void)offsetof(typeof(*(p)), head), free(p))
#define rcu_dereference(p)		READ_ONCE(p)
#define rcu_dereference_check(p, held)	((void)(held), READ_ONCE(p))
#define rcu_dereference_sched(p)	READ_ONCE(p)

#define rcu_dereference_protected(p, held)	((void)(held), (p))
#define rcu_assign_pointer(p, value)	WRITE_ONCE(p, value)
#define RCU_INIT_POINTER(p, value)	WRITE_ONCE(p, value)

#define lockdep_is_held(lock)		((void)(lock), 1)

struct rcu_head {
	void (*func)(struct rcu_head *head);
};

/* The test defines these. */
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
void rcu_barrier(void);

#endif
