// SPDX-License-Identifier: GPL-2.0
#include "session/session_list.h"

#include <linux/capability.h>
#include <linux/mutex.h>

/*
 * Each running session costs a call at every context switch, and memory that cannot be swapped. So
 * there are bounds: on all sessions, of which the last places need CAP_PERFMON, and on those of a
 * user without it.
 */
#define MAX_SESSIONS		64
#define MAX_OTHERS_SESSIONS	48
#define MAX_USER_SESSIONS	4

static LIST_HEAD(sessions);	/* by rising id */
static u32 nr_sessions;
static u64 last_id;	/* with 32 bits it would wrap around within hours, by opens alone */
static DEFINE_MUTEX(sessions_lock);	/* guards the three variables above */

void pprof_sessions_lock(void)
{
	mutex_lock(&sessions_lock);
}

void pprof_sessions_unlock(void)
{
	mutex_unlock(&sessions_lock);
}

struct pprof_session *pprof_sessions_next(u64 id)
{
	struct pprof_session *session;

	list_for_each_entry(session, &sessions, node)
		if (session->id > id && !session->hidden)
			return session;
	return NULL;
}

u64 pprof_sessions_cost(u32 uid)
{
	struct pprof_session *session;
	u64 cost = 0;

	list_for_each_entry(session, &sessions, node)
		if (session->owner_uid == uid)
			cost += atomic64_read(&session->session_tables.cost);
	return cost;
}

static bool is_room_for(const struct pprof_session *new)
{
	struct pprof_session *session;
	u32 nr_of_user = 0;

	if (perfmon_capable())
		return nr_sessions < MAX_SESSIONS;
	list_for_each_entry(session, &sessions, node)
		nr_of_user += session->owner_uid == new->owner_uid;
	return nr_sessions < MAX_OTHERS_SESSIONS && nr_of_user < MAX_USER_SESSIONS;
}

/* Compares the 32 bits that netlink reports. */
static bool is_listed_already(u32 id)
{
	struct pprof_session *session;

	list_for_each_entry(session, &sessions, node)
		if ((u32)session->id == id)
			return true;
	return false;
}

static u64 new_id(void)
{
	do
		last_id++;
	while (!(u32)last_id || is_listed_already(last_id));
	return last_id;
}

int pprof_sessions_add(struct pprof_session *session)
{
	int err = -EMFILE;

	pprof_sessions_lock();
	if (is_room_for(session)) {
		nr_sessions++;
		session->id = new_id();
		list_add_tail(&session->node, &sessions);
		err = 0;
	}
	pprof_sessions_unlock();
	return err;
}

void pprof_sessions_hide(struct pprof_session *session)
{
	pprof_sessions_lock();
	session->hidden = true;
	pprof_sessions_unlock();
}

void pprof_sessions_remove(struct pprof_session *session)
{
	pprof_sessions_lock();
	list_del(&session->node);
	nr_sessions--;
	pprof_sessions_unlock();
}
