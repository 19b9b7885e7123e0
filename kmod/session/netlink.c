// SPDX-License-Identifier: GPL-2.0
#include "session/netlink.h"

#include <linux/capability.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/pid_namespace.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "session/audit.h"
#include "base/compat.h"
#include "session/session_list.h"

/*
 * A socket that asked for announcements. It is removed when the socket closes in any way. It holds
 * a reference to the module until then.
 */
struct listener {
	struct list_head node;
	struct sock *sk;	/* a reference */
	u32 portid;
	bool stacks;
};

static LIST_HEAD(listeners);
static DEFINE_MUTEX(listeners_lock);	/* guards the list */

static struct genl_family family;

/*
 * The reports have numbers of the initial pid namespace. Processes in another one must not see
 * them.
 */
static int check_namespace(void)
{
	return task_active_pid_ns(current) == &init_pid_ns ? 0 : -EPERM;
}

/* Session dump */

/* Checks the process that begins the dump: another process may read the rest. */
static int start_dump(struct netlink_callback *cb)
{
	return check_namespace();
}

static int put_class(struct sk_buff *skb, const struct pprof_ring_head *head, u32 class)
{
	struct nlattr *nest = nla_nest_start(skb, PPROF_A_CLASS);

	if (!nest || nla_put_u32(skb, PPROF_A_CLASS_ID, class) ||
	    nla_put_u64_64bit(skb, PPROF_A_PRODUCED, READ_ONCE(head->produced[class]),
			      PPROF_A_PAD) ||
	    nla_put(skb, PPROF_A_LOST, PPROF_NR_LOST * sizeof(u64), head->lost[class]) ||
	    nla_put(skb, PPROF_A_END_REASONS, PPROF_NR_END_REASONS * sizeof(u64),
		    head->end_reasons[class]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* True for sources that run or ran, and for process events: a lost event makes symbols wrong. */
static bool is_of_interest(const struct pprof_session *session, const struct pprof_ring *ring,
			   u32 class)
{
	return class == PPROF_CLASS_EVENT || (READ_ONCE(session->running) & BIT(class)) ||
	       READ_ONCE(ring->head_page->produced[class]);
}

static int put_ring(struct sk_buff *skb, const struct pprof_session *session, u32 cpu)
{
	const struct pprof_ring *ring = &session->sink.rings[cpu].ring;
	struct nlattr *nest = nla_nest_start(skb, PPROF_A_CPU);
	u32 class;

	if (!nest || nla_put_u32(skb, PPROF_A_CPU_ID, cpu) ||
	    nla_put_u64_64bit(skb, PPROF_A_PENDING, pprof_ring_pending(ring), PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_TICK_NS, READ_ONCE(ring->head_page->period_ns),
			      PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_WALL_TICK_NS,
			      READ_ONCE(ring->head_page->wall_period_ns), PPROF_A_PAD))
		return -EMSGSIZE;
	for (class = 0; class < PPROF_NR_CLASSES; class++)
		if (is_of_interest(session, ring, class) &&
		    put_class(skb, ring->head_page, class))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_settings(struct sk_buff *skb, const struct pprof_session *session, bool set_up)
{
	if (nla_put_u32(skb, PPROF_A_SESSION_ID, session->id) ||
	    nla_put_u32(skb, PPROF_A_FLAGS, set_up ? session->flags : 0) ||
	    nla_put_u32(skb, PPROF_A_PID, session->owner_pid) ||
	    nla_put_u32(skb, PPROF_A_UID, session->owner_uid) ||
	    nla_put_string(skb, PPROF_A_COMM, session->owner_comm) ||
	    nla_put_u32(skb, PPROF_A_TARGETS, atomic_read(&session->target.nr)) ||
	    nla_put_u64_64bit(skb, PPROF_A_SOURCES, READ_ONCE(session->running), PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_PERIOD_NS, READ_ONCE(session->period_ns),
			      PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_WALL_PERIOD_NS, READ_ONCE(session->wall_period_ns),
			      PPROF_A_PAD) ||
	    nla_put_u32(skb, PPROF_A_RING_BYTES, set_up ? session->ring_bytes : 0))
		return -EMSGSIZE;
	return 0;
}

/* @cpu is nr_cpu_ids for a session before SETUP. */
static int put_message(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct pprof_session *session, u32 cpu)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
				   NLM_F_MULTI, PPROF_CMD_SESSION_GET);

	if (!header)
		return -EMSGSIZE;
	if (put_settings(skb, session, cpu < nr_cpu_ids) ||
	    (cpu < nr_cpu_ids && put_ring(skb, session, cpu))) {
		genlmsg_cancel(skb, header);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, header);
	return 0;
}

static int put_session(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct pprof_session *session)
{
	u32 cpu = cb->args[1] == session->id ? cb->args[2] : 0;
	int err;

	if (!smp_load_acquire(&session->set_up))	/* pairs with setup_locked() */
		return put_message(skb, cb, session, nr_cpu_ids);
	cb->args[1] = session->id;
	for (cpu = cpumask_next((int)cpu - 1, cpu_possible_mask); cpu < nr_cpu_ids;
	     cpu = cpumask_next(cpu, cpu_possible_mask)) {
		cb->args[2] = cpu;
		err = put_message(skb, cb, session, cpu);
		if (err)
			return err;
	}
	return 0;
}

/*
 * If a message is full, the dump goes on in another one. args[0] is the last session that is done,
 * args[1] the one that is not, and args[2] its next CPU.
 *
 * No session is locked: its owner may hold its lock for long, and all of generic netlink waits for
 * a dump. The list's lock keeps the sessions.
 */
static int dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct pprof_session *session;
	int err = 0;

	pprof_sessions_lock();
	while (!err && (session = pprof_sessions_next(cb->args[0]))) {
		err = put_session(skb, cb, session);
		if (!err)
			cb->args[0] = session->id;
	}
	pprof_sessions_unlock();
	return skb->len ? skb->len : err;
}

/* Announcements */

static int put_stack(struct sk_buff *skb, const struct pprof_audit_record *record)
{
	const struct pprof_sample *sample = &record->sample;

	if (nla_put_u32(skb, PPROF_A_END_REASON, sample->end_reason) ||
	    nla_put(skb, PPROF_A_FRAMES, sample->nr_frames * sizeof(u64), sample->frames))
		return -EMSGSIZE;
	return 0;
}

static int put_creation(struct sk_buff *skb, const struct pprof_audit_record *record)
{
	const struct pprof_sample *sample = &record->sample;

	if (nla_put_u64_64bit(skb, PPROF_A_SEQ, record->seq, PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_TIME_NS, sample->ev.time_ns, PPROF_A_PAD) ||
	    nla_put_u64_64bit(skb, PPROF_A_EXEC_ID, sample->ev.exec_id, PPROF_A_PAD) ||
	    nla_put_u32(skb, PPROF_A_PID, sample->ev.pid) ||
	    nla_put_u32(skb, PPROF_A_TID, sample->ev.tid) ||
	    nla_put_u32(skb, PPROF_A_UID, record->uid) ||
	    nla_put_u32(skb, PPROF_A_NEW_TID, sample->arg) ||
	    nla_put_string(skb, PPROF_A_COMM, (const char *)sample->comm))
		return -EMSGSIZE;
	return 0;
}

static struct sk_buff *make_announcement(const struct pprof_audit_record *record, bool stacks)
{
	struct sk_buff *skb = genlmsg_new(256 + record->rec.size, GFP_KERNEL);
	void *header;

	if (!skb)
		return NULL;
	header = genlmsg_put(skb, 0, 0, &family, 0, PPROF_CMD_THREAD);
	if (!header || put_creation(skb, record) ||
	    (stacks && record->has_stack && put_stack(skb, record))) {
		nlmsg_free(skb);
		return NULL;
	}
	genlmsg_end(skb, header);
	return skb;
}

/*
 * Sends to each listener, and not to a multicast group. Any process may join a group by its number
 * before the module gets that number. Only newer kernels can filter a multicast. If a message
 * cannot be sent, it is lost: the next number shows it.
 *
 * A closing socket gives up its port before the notifier is called. Another socket may then take
 * the port. A moment later the closing socket is marked as dead. Only in that moment may a message
 * go to the other socket. Before 6.6 only a multicast would exclude that.
 */
static void report(const struct pprof_audit_record *record)
{
	struct listener *listener;
	struct sk_buff *skb;

	mutex_lock(&listeners_lock);
	list_for_each_entry(listener, &listeners, node) {
		skb = make_announcement(record, listener->stacks);
		if (skb && sock_flag(listener->sk, SOCK_DEAD))
			nlmsg_free(skb);
		else if (skb)
			genlmsg_unicast(&init_net, skb, listener->portid);
	}
	mutex_unlock(&listeners_lock);
}

static struct listener *find_listener(u32 portid)
{
	struct listener *listener;

	list_for_each_entry(listener, &listeners, node)
		if (listener->portid == portid)
			return listener;
	return NULL;
}

static int enlist(struct listener *listener)
{
	int err = 0;

	mutex_lock(&listeners_lock);
	if (find_listener(listener->portid))
		err = -EBUSY;
	else
		list_add(&listener->node, &listeners);
	mutex_unlock(&listeners_lock);
	return err;
}

static struct listener *delist(u32 portid)
{
	struct listener *listener;

	mutex_lock(&listeners_lock);
	listener = find_listener(portid);
	if (listener)
		list_del(&listener->node);
	mutex_unlock(&listeners_lock);
	return listener;
}

/*
 * Locks: the caller does not hold listeners_lock, as the work item that this may wait for takes it.
 */
static void drop_listener(struct listener *listener)
{
	pprof_audit_put(listener->stacks);
	sock_put(listener->sk);
	kfree(listener);
}

static int add_listener(struct sock *sk, u32 portid, bool stacks)
{
	struct listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	int err;

	if (!listener)
		return -ENOMEM;
	listener->portid = portid;
	listener->stacks = stacks;
	err = pprof_audit_get(stacks);
	if (err) {
		kfree(listener);
		return err;
	}
	sock_hold(sk);
	listener->sk = sk;
	err = enlist(listener);
	if (err)
		drop_listener(listener);
	return err;
}

/*
 * Lockdown forbids it, as it forbids /dev/pprof. A listener holds a reference to the module. The
 * reference is taken last. So a process that sees it knows that no announcement is missed from then
 * on. Before that the module stays, too: unregistering the family waits for this function.
 */
static int listen(struct sk_buff *skb, struct genl_info *info)
{
	int err = security_locked_down(LOCKDOWN_PERF);

	if (!err)
		err = check_namespace();
	if (err)
		return err;
	if (!perfmon_capable())
		return -EPERM;
	err = add_listener(NETLINK_CB(skb).sk, info->snd_portid, info->attrs[PPROF_A_STACKS]);
	if (err)
		return err;
	if (try_module_get(THIS_MODULE))
		return 0;
	drop_listener(delist(info->snd_portid));	/* the module is being unloaded */
	return -ENODEV;
}

/* Always sends a reply, with or without NLM_F_ACK. */
static int flush(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *answer = genlmsg_new(nla_total_size_64bit(sizeof(u64)), GFP_KERNEL);
	void *header;

	if (!answer)
		return -ENOMEM;
	header = genlmsg_put_reply(answer, info, &family, 0, PPROF_CMD_FLUSH);
	if (!header ||
	    nla_put_u64_64bit(answer, PPROF_A_SEQ, pprof_audit_flush(), PPROF_A_PAD)) {
		nlmsg_free(answer);
		return -EMSGSIZE;
	}
	genlmsg_end(answer, header);
	return genlmsg_reply(answer, info);
}

static int socket_closes(struct notifier_block *block, unsigned long event, void *data)
{
	const struct netlink_notify *notify = data;
	struct listener *listener;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC ||
	    !net_eq(notify->net, &init_net))
		return NOTIFY_DONE;
	listener = delist(notify->portid);
	if (listener) {
		drop_listener(listener);
		/* Unregistering the notifier waits for this function */
		module_put(THIS_MODULE);
	}
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = socket_closes };

/* The family */

static const struct nla_policy policy[PPROF_A_MAX + 1] = {
	[PPROF_A_STACKS] = { .type = NLA_FLAG },
};

static const struct genl_ops ops[] = {
	{
		.cmd	= PPROF_CMD_SESSION_GET,
		.flags	= GENL_ADMIN_PERM,
		.start	= start_dump,
		.dumpit	= dump_sessions,
	},
	{
		.cmd	= PPROF_CMD_LISTEN,
		.flags	= GENL_ADMIN_PERM,
		.doit	= listen,
	},
	{
		.cmd	= PPROF_CMD_FLUSH,
		.flags	= GENL_ADMIN_PERM,
		.doit	= flush,
	},
};

static struct genl_family family __ro_after_init = {
	.name		= PPROF_GENL_NAME,
	.version	= PPROF_GENL_VERSION,
	.maxattr	= PPROF_A_MAX,
	.policy		= policy,
	.module		= THIS_MODULE,
	.ops		= ops,
	.n_ops		= ARRAY_SIZE(ops),
	PPROF_RESV_START_OP(PPROF_CMD_FLUSH + 1)
};

int pprof_netlink_init(void)
{
	int err;

	pprof_audit_init(report);
	err = netlink_register_notifier(&notifier);
	if (err)
		return err;
	err = genl_register_family(&family);
	if (err)
		netlink_unregister_notifier(&notifier);
	return err;
}

/*
 * A listener can be left only if the module fails to load after this part. Each holds a reference
 * to the module.
 */
void pprof_netlink_exit(void)
{
	struct listener *listener, *next;

	genl_unregister_family(&family);
	netlink_unregister_notifier(&notifier);
	list_for_each_entry_safe(listener, next, &listeners, node)
		drop_listener(delist(listener->portid));
}
