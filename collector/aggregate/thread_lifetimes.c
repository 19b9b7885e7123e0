// SPDX-License-Identifier: GPL-2.0
#include "aggregate/thread_lifetimes.h"

#include <stdbool.h>

#include "base/array.h"

#define FIRST_SLOTS	256	/* a power of two */
#define FIRST_ROOM	1024	/* a shorter list is not compacted */

enum state {
	SETTLED,	/* it ended and is counted; the entry serves the next thread of the tid */
	ALIVE,
	ENDED,		/* its end was read, and not its creation */
};

/* The last known thread of a tid. */
struct lifetime {
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;	/* of the creation, or of the end */
	size_t stack;		/* id of the stack that created it */
	bool moved;		/* stack is an id of lifetimes_move() */
	enum state state;
};

int lifetimes_init(struct thread_lifetimes *l, struct stack_values *raw, struct stack_values *moved)
{
	*l = (struct thread_lifetimes){ .raw = raw, .moved = moved };
	return hash_index_init(&l->by_tid, FIRST_SLOTS);
}

void lifetimes_fini(struct thread_lifetimes *l)
{
	hash_index_fini(&l->by_tid);
	free(l->list);
	free(l->ends);
}

static struct lifetime *find(const struct thread_lifetimes *l, uint32_t tid)
{
	size_t i = hash_index_first(&l->by_tid, hash_index_hash_tid(tid));

	for (; l->by_tid.slot[i].id1; i = hash_index_next(&l->by_tid, i))
		if (l->list[l->by_tid.slot[i].id1 - 1].tid == tid)
			return &l->list[l->by_tid.slot[i].id1 - 1];
	return NULL;
}

/* Removes settled entries. The index has room, since it had room for all entries. */
static void compact(struct thread_lifetimes *l)
{
	size_t nr = 0;

	hash_index_clear(&l->by_tid, l->by_tid.mask + 1);
	for (size_t i = 0; i < l->nr; i++) {
		if (l->list[i].state == SETTLED)
			continue;
		l->list[nr] = l->list[i];
		hash_index_put(&l->by_tid, hash_index_hash_tid(l->list[nr].tid), nr + 1);
		nr++;
	}
	l->nr = nr;
	l->nr_used = nr;
}

static void settle(struct thread_lifetimes *l, struct lifetime *thread)
{
	thread->state = SETTLED;
	l->nr_used--;
}

/* Finds the entry of a tid, or adds one. Returns NULL without memory. */
static struct lifetime *get(struct thread_lifetimes *l, uint32_t tid)
{
	struct lifetime *thread = find(l, tid), *list;

	if (thread)
		return thread;
	if (l->nr >= FIRST_ROOM && l->nr_used < l->nr / 2)
		compact(l);
	list = array_grow(l->list, &l->room, l->nr + 1, sizeof(*list));
	if (!list)
		return NULL;
	l->list = list;
	if (hash_index_reserve(&l->by_tid, l->nr + 1))
		return NULL;
	thread = &list[l->nr++];
	*thread = (struct lifetime){ .tid = tid };
	hash_index_put(&l->by_tid, hash_index_hash_tid(tid), l->nr);
	return thread;
}

static void set(struct thread_lifetimes *l, struct lifetime *thread, enum state state,
		uint32_t pid, uint64_t time_ns)
{
	l->nr_used += thread->state == SETTLED;
	thread->state = state;
	thread->pid = pid;
	thread->time_ns = time_ns;
}

/* Counts the end of a thread for the stack that created it. */
static int end(struct thread_lifetimes *l, struct lifetime *thread, uint64_t lived_ns)
{
	const double add[LIFETIMES_NR] = { [LIFETIMES_LIVE] = -1, [LIFETIMES_NS] = lived_ns };

	settle(l, thread);
	return stack_values_add(thread->moved ? l->moved : l->raw, thread->stack, add);
}

/*
 * If an earlier thread of this tid still counts as alive, it has ended, and the record of its end
 * is lost. Its lifetime is not known, so 0 ns are added.
 */
int lifetimes_begin(struct thread_lifetimes *l, const struct pprof_sample *sample, size_t id)
{
	struct lifetime *thread = get(l, sample->arg);
	uint64_t time_ns = sample->ev.time_ns;
	int err = 0;

	if (!thread)
		return -ENOMEM;
	if (thread->state == ALIVE)
		err = end(l, thread, 0);
	thread->stack = id;
	thread->moved = false;
	if (thread->state == ENDED && thread->time_ns >= time_ns)
		return end(l, thread, thread->time_ns - time_ns);
	set(l, thread, ALIVE, sample->ev.pid, time_ns);
	return err;
}

int lifetimes_note(struct thread_lifetimes *l, const struct pprof_event *ev)
{
	struct pprof_event *ends;

	if (ev->rec.type != PPROF_REC_THREAD_END && ev->rec.type != PPROF_REC_EXIT &&
	    ev->rec.type != PPROF_REC_EXEC && ev->rec.type != PPROF_REC_DROP)
		return 0;
	ends = array_grow(l->ends, &l->ends_room, l->nr_ends + 1, sizeof(*ends));
	if (!ends)
		return -ENOMEM;
	l->ends = ends;
	ends[l->nr_ends++] = *ev;
	return 0;
}

static int end_thread(struct thread_lifetimes *l, const struct pprof_event *ev)
{
	struct lifetime *thread = get(l, ev->tid);

	if (!thread)
		return -ENOMEM;
	if (thread->state == ALIVE)
		return ev->time_ns < thread->time_ns ?
			       0 :
			       end(l, thread, ev->time_ns - thread->time_ns);
	set(l, thread, ENDED, ev->pid, ev->time_ns);
	return 0;
}

/*
 * Ends all threads of a process. At an exec most of them have records of their own. But the thread
 * that executes has none: it goes on with the pid as its tid.
 */
static int end_process(struct thread_lifetimes *l, const struct pprof_event *ev)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->nr; i++) {
		struct lifetime *thread = &l->list[i];

		if (thread->state == ALIVE && thread->pid == ev->pid &&
		    thread->time_ns <= ev->time_ns)
			err = end(l, thread, ev->time_ns - thread->time_ns);
	}
	return err;
}

int lifetimes_settle(struct thread_lifetimes *l)
{
	int err = 0;

	for (size_t i = 0; !err && i < l->nr_ends; i++) {
		const struct pprof_event *ev = &l->ends[i];

		if (ev->rec.type == PPROF_REC_THREAD_END || ev->rec.type == PPROF_REC_EXIT)
			err = end_thread(l, ev);
		if (!err && ev->rec.type != PPROF_REC_THREAD_END)
			err = end_process(l, ev);
	}
	l->nr_ends = 0;
	return err;
}

void lifetimes_move(struct thread_lifetimes *l, const int64_t *ids)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct lifetime *thread = &l->list[i];

		if (thread->state != ALIVE || thread->moved)
			continue;
		thread->stack = ids[thread->stack];
		thread->moved = true;
	}
}
