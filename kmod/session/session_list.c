// SPDX-License-Identifier: GPL-2.0
#include "session/session_list.h"

#include <linux/mutex.h>

#include "base/perfmon.h"

struct pprof_sessions pprof_sessions = {
	.lock = __MUTEX_INITIALIZER(pprof_sessions.lock),
	.sessions = LIST_HEAD_INIT(pprof_sessions.sessions),
};

void pprof_sessions_lock(void)
{
	mutex_lock(&pprof_sessions.lock);
}

void pprof_sessions_unlock(void)
{
	mutex_unlock(&pprof_sessions.lock);
}

struct pprof_session *pprof_sessions_next(u64 id)
{
	struct pprof_session *session;

	list_for_each_entry(session, &pprof_sessions.sessions, node)
		if (session->id > id && !session->hidden)
			return session;
	return NULL;
}

u64 pprof_sessions_cost(const struct pprof_quota *quota)
{
	struct pprof_session *session;
	u64 cost = 0;

	list_for_each_entry(session, &pprof_sessions.sessions, node)
		if (session->quota == quota)
			cost += atomic64_read(&session->session_tables.cost);
	return cost;
}

static bool is_room_for(const struct pprof_session *new)
{
	struct pprof_session *session;
	u32 nr_of_user = 0;

	if (pprof_perfmon_noaudit())
		return pprof_sessions.nr < PPROF_MAX_SESSIONS;
	list_for_each_entry(session, &pprof_sessions.sessions, node)
		nr_of_user += session->quota == new->quota;
	return pprof_sessions.nr < PPROF_MAX_UNPRIVILEGED_SESSIONS &&
	       nr_of_user < PPROF_MAX_USER_SESSIONS;
}

/* Compares the 32 bits that netlink reports. */
static bool is_listed_already(u32 id)
{
	struct pprof_session *session;

	list_for_each_entry(session, &pprof_sessions.sessions, node)
		if ((u32)session->id == id)
			return true;
	return false;
}

static u64 new_id(void)
{
	do
		pprof_sessions.last_id++;
	while (!(u32)pprof_sessions.last_id || is_listed_already(pprof_sessions.last_id));
	return pprof_sessions.last_id;
}

int pprof_sessions_add(struct pprof_session *session)
{
	int err = -EMFILE;

	pprof_sessions_lock();
	if (is_room_for(session)) {
		pprof_sessions.nr++;
		session->id = new_id();
		list_add_tail(&session->node, &pprof_sessions.sessions);
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
	pprof_sessions.nr--;
	pprof_sessions_unlock();
}
