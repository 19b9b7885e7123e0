// SPDX-License-Identifier: GPL-2.0
#include "truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "memory.h"

/* Offsets in the kernel's struct rt_sigframe. It begins at the rsp of the handler. */
#define FRAME_UCONTEXT		8	/* after the return address of the handler */
#define UCONTEXT_STACK		16	/* stack_t: ss_sp, ss_flags, ss_size */
#define UCONTEXT_STACK_SIZE	32
#define UCONTEXT_RSP		160
#define UCONTEXT_RIP		168

/* What an entry of the stack is. */
enum where {
	STORED,		/* a return address in memory */
	IN_REGISTER,	/* a return address that was popped, to jump to it or to push it again */
	INTERRUPTED,	/* a PC that a signal interrupted */
	LEFT,		/* no frame: the entries before it are of a stack that was left at slot */
};

#define MIN_SWITCH	512	/* bytes between stacks */
#define MAX_RETURN	256	/* bytes from where a stack was left to where it runs on */
#define NR_PARKED	1024

struct entry {
	/* The address of the return address; of the ucontext if INTERRUPTED. It ends above that. */
	uint64_t slot;
	uint64_t address;
	uint64_t rbp_slot;	/* address where the function has saved rbp; 0: it has not */
	uint64_t rbp;
	/* If INTERRUPTED, and the handler is on the stack of sigaltstack(): that stack. Else 0. */
	uint64_t stack;
	uint64_t stack_end;
	enum where where;
	bool is_outermost;	/* if LEFT: the entries before it are no callers */
};

struct truth {
	struct entry *entries;	/* the outermost first */
	size_t nr;
	size_t room;
	bool moving;
	bool partial;
};

/* Coroutines of all threads that were left. Any thread may continue them. */
static struct {
	uint64_t sp;
	struct truth *truth;
} parked[NR_PARKED];

static bool follows_switches;

void truth_follow_switches(void)
{
	follows_switches = true;
}

bool truth_is_partial(const struct truth *t)
{
	return t->partial;
}

static void *or_die(void *mem)
{
	if (mem)
		return mem;
	perror("single-step");
	exit(2);
}

struct truth *truth_new(void)
{
	return or_die(calloc(1, sizeof(struct truth)));
}

static struct entry *push(struct truth *t)
{
	t->entries = or_die(array_grow(t->entries, &t->room, t->nr + 1, sizeof(*t->entries)));
	return &t->entries[t->nr++];
}

struct truth *truth_copy(const struct truth *t)
{
	struct truth *copy = truth_new();

	for (size_t i = 0; i < t->nr; i++)
		*push(copy) = t->entries[i];
	copy->partial = t->partial;
	return copy;
}

void truth_free(struct truth *t)
{
	if (!t)
		return;
	free(t->entries);
	free(t);
}

void truth_reset(struct truth *t)
{
	t->nr = 0;
	t->moving = false;
	t->partial = false;
}

static struct entry *top(struct truth *t)
{
	return t->nr ? &t->entries[t->nr - 1] : NULL;
}

static bool holds(uint64_t at, uint64_t value)
{
	uint64_t word;

	return memory_word(at, &word) && word == value;
}

static bool is_on(uint64_t sp, const struct entry *e)
{
	return sp >= e->stack && sp <= e->stack_end;
}

/*
 * The stack of signals may be above or below that of the interrupted code. So this comes before the
 * comparison of addresses in leave_frames().
 */
static void leave_signal_stacks(struct truth *t, uint64_t sp)
{
	for (size_t i = 0; i < t->nr; i++) {
		if (t->entries[i].stack && !is_on(sp, &t->entries[i])) {
			t->nr = i;
			return;
		}
	}
}

/* While the return address is in a register, rsp is one word above its slot. */
static bool is_left(const struct entry *e, uint64_t sp)
{
	if (e->where == LEFT)
		return false;
	return sp > e->slot + (e->where == IN_REGISTER ? 8 : 0);
}

static void leave_frames(struct truth *t, uint64_t sp)
{
	leave_signal_stacks(t, sp);
	while (t->nr && is_left(top(t), sp))
		t->nr--;
}

/* vfork() pops its return address, so that its child cannot overwrite it. */
static void note_pop(struct truth *t, uint64_t sp)
{
	if (t->nr && top(t)->where == STORED && top(t)->slot == sp)
		top(t)->where = IN_REGISTER;
}

static void end_register(struct truth *t, const struct truth_regs *after, bool jumped)
{
	struct entry *e = top(t);

	if (!e || e->where != IN_REGISTER)
		return;
	if (jumped)
		t->nr--;
	else if (after->sp == e->slot && holds(e->slot, e->address))
		e->where = STORED;
}

static void note_restore(struct truth *t, uint64_t sp)
{
	struct entry *e = top(t);

	if (e && e->rbp_slot && sp > e->rbp_slot)
		e->rbp_slot = 0;
}

static void note_push_rbp(struct truth *t, uint64_t sp)
{
	struct entry *e = top(t);

	if (e && e->where == STORED && !e->rbp_slot && memory_word(sp, &e->rbp))
		e->rbp_slot = sp;
}

static void note_call(struct truth *t, uint64_t sp)
{
	uint64_t address;

	if (memory_word(sp, &address))
		*push(t) = (struct entry){ .slot = sp, .address = address, .where = STORED };
}

static struct entry *last_left(struct truth *t)
{
	for (size_t i = t->nr; i > 0; i--)
		if (t->entries[i - 1].where == LEFT)
			return &t->entries[i - 1];
	return NULL;
}

/* Keeps the frames of the stack that was left last. */
static void park(struct truth *t)
{
	static size_t next;
	const struct entry *left = last_left(t);

	if (!left)
		return;
	truth_free(parked[next].truth);
	t->nr = left - t->entries;
	parked[next].sp = left->slot;
	parked[next].truth = truth_copy(t);
	next = (next + 1) % NR_PARKED;
}

static bool is_near(uint64_t sp, uint64_t left_at)
{
	return sp - left_at < MAX_RETURN;
}

/*
 * Takes the frames of a coroutine that goes on. A stack that was given to a new coroutine has other
 * words.
 */
static bool unpark(struct truth *t, uint64_t sp)
{
	for (size_t i = 0; i < NR_PARKED; i++) {
		struct truth *p = parked[i].truth;

		if (!p || !is_near(sp, parked[i].sp))
			continue;
		parked[i].truth = NULL;
		if (truth_is_intact(p)) {
			free(t->entries);
			*t = *p;
			free(p);
			return true;
		}
		truth_free(p);
	}
	return false;
}

static void switch_stacks(struct truth *t, uint64_t from, uint64_t to)
{
	struct entry *left = last_left(t);

	if (left && is_near(to, left->slot)) {
		t->nr = left - t->entries;
	} else if (left) {
		park(t);
		if (!unpark(t, to)) {
			t->nr = 0;
			t->partial = true;
		}
	} else if (!unpark(t, to)) {
		*push(t) = (struct entry){ .slot = from, .where = LEFT };
	}
	leave_frames(t, to);
}

/* After a switch, a far jump leads to code that the code before the switch did not call. */
static void note_resume(struct truth *t, const struct truth_regs *before,
			const struct truth_regs *after)
{
	if (t->nr && top(t)->where == LEFT && after->sp == before->sp &&
	    after->pc - before->pc + MIN_SWITCH > 2 * MIN_SWITCH) {
		t->nr = 0;
		t->partial = true;
	}
}

/* Code that sets rbp to 0 right after a switch says that no caller is left. */
static void note_start(struct truth *t, const struct truth_regs *before,
		       const struct truth_regs *after)
{
	if (t->nr && top(t)->where == LEFT && before->fp && !after->fp)
		top(t)->is_outermost = true;
}

void truth_step(struct truth *t, enum insn kind, const struct truth_regs *before,
		const struct truth_regs *after)
{
	bool jumped = after->pc - before->pc > INSN_MAX_BYTES;
	size_t nr = t->nr;

	if (follows_switches && kind == INSN_LOAD_SP &&
	    after->sp - before->sp + MIN_SWITCH > 2 * MIN_SWITCH) {
		switch_stacks(t, before->sp, after->sp);
		return;
	}
	note_resume(t, before, after);
	note_start(t, before, after);
	if (kind == INSN_POP && after->sp == before->sp + 8)
		note_pop(t, before->sp);
	leave_frames(t, after->sp);
	t->moving = !jumped && (t->moving || t->nr < nr);
	/* Neither call nor ret: sigsetjmp() of musl calls setjmp() meanwhile. */
	end_register(t, after, jumped && after->sp == before->sp);
	note_restore(t, after->sp);
	if (kind == INSN_CALL && after->sp == before->sp - 8)
		note_call(t, after->sp);
	if (kind == INSN_PUSH_RBP && after->sp == before->sp - 8)
		note_push_rbp(t, after->sp);
}

/* Sets the stack of sigaltstack(), if the handler runs on it. */
static void find_stack(struct entry *e, uint64_t sp)
{
	uint64_t start, size, ucontext = e->slot;

	if (!memory_word(ucontext + UCONTEXT_STACK, &start) ||
	    !memory_word(ucontext + UCONTEXT_STACK_SIZE, &size))
		return;
	e->stack = start;
	e->stack_end = start + size;
	if (!size || !is_on(sp, e))
		e->stack = 0;
}

bool truth_signal(struct truth *t, const struct truth_regs *before,
		  const struct truth_regs *after)
{
	uint64_t ucontext = after->sp + FRAME_UCONTEXT, sp;
	struct entry e = { .slot = ucontext, .where = INTERRUPTED };

	if (after->sp % 16 != 8 || !memory_word(ucontext + UCONTEXT_RSP, &sp) ||
	    sp != before->sp || !memory_word(ucontext + UCONTEXT_RIP, &e.address))
		return false;
	find_stack(&e, after->sp);
	*push(t) = e;
	note_call(t, after->sp);
	return true;
}

/* A frame that a signal interrupted, and that which returns from its handler: see uapi/pprof.h. */
static void mark_interrupted(uint64_t *frames, size_t i, bool was_interrupted)
{
	frames[i]++;
	if (i > 1 && !was_interrupted)
		frames[i - 1]++;
}

size_t truth_frames(const struct truth *t, uint64_t pc, uint64_t *frames, size_t max)
{
	bool is_interrupted = false, was_interrupted;
	size_t nr = 1;

	frames[0] = pc;
	for (size_t i = t->nr; i > 0; i--) {
		if (t->entries[i - 1].is_outermost)
			break;
		if (t->entries[i - 1].where == LEFT)
			continue;
		was_interrupted = is_interrupted;
		is_interrupted = t->entries[i - 1].where == INTERRUPTED;
		if (nr < max)
			frames[nr] = t->entries[i - 1].address;
		if (nr < max && is_interrupted)
			mark_interrupted(frames, nr, was_interrupted);
		nr++;
	}
	return nr;
}

bool truth_is_moving(const struct truth *t)
{
	return t->moving;
}

bool truth_is_intact(const struct truth *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct entry *e = &t->entries[i];

		if (e->where == STORED && !holds(e->slot, e->address))
			return false;
		if (e->rbp_slot && !holds(e->rbp_slot, e->rbp))
			return false;
	}
	return true;
}
