// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/record.c kmod/ring/ring.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/*
 * What a sample contains, and what a session without the right to read memory must not see. The
 * walks, the labels and the process are played by this file; the ring is the module's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/pid.h>
#include <linux/sched/exec_state.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include <linux/user_namespace.h>

#include "kmod/client/thread_labels.h"
#include "kmod/record/record.h"
#include "kmod/unwind/frame_pointer.h"
#include "kmod/unwind/unwind.h"

#define RING_BYTES	PPROF_MIN_RING_BYTES
#define NR_FRAMES	3
#define NR_KERNEL	2
#define MAX_KERNEL	4
#define KERNEL_IP	0xffffffff81000000ULL
#define TID		101
#define TGID		100
#define EXEC_PAGES	7

struct pid_namespace init_pid_ns;
struct task_struct *current;
bool shim_irqs_are_off = true;
u32 pprof_thread_labels_nr;

static struct pid_namespace below = { .level = 1 };
static struct user_namespace owner_ns, other_ns;
static struct task_exec_state exec_state;
static struct mm_struct mm;
static struct pid process;
static struct task_struct task;
static struct pt_regs user_regs;
static struct pprof_target target;
static struct pprof_ring_pages pages;
static struct pprof_ring_head head;
static struct pprof_ring_tail tail;
static struct pprof_sent_labels sent;
static struct pprof_sink sink;
static _Alignas(8) u8 data[RING_BYTES];
static int nr_walks, nr_kernel_walks, nr_wakeups;
static u32 nr_kernel;

static const u8 text[16] = "key\0value";	/* padded with NULs */

#define TEXT_BYTES	10

static struct pprof_label_set *labels;
static bool has_labels;

u64 ktime_get_mono_fast_ns(void)
{
	return 5000;
}

struct pt_regs *task_pt_regs(const struct task_struct *of)
{
	assert_ptr_equal(of, &task);
	return &user_regs;
}

const struct pprof_label_set *pprof_thread_labels_find(const struct task_struct *of)
{
	return has_labels ? labels : NULL;
}

static void walk(struct pprof_stack *stack, const struct pprof_regs *regs)
{
	assert_true(stack->max >= NR_FRAMES);
	assert_int_equal(regs->ip, user_regs.ip);
	nr_walks++;
	stack->nr = NR_FRAMES;
	stack->end_reason = PPROF_END_COMPLETE;
	for (int i = 0; i < NR_FRAMES; i++)
		stack->frames[i] = regs->ip + i;
}

void pprof_unwind_fp(struct pprof_stack *stack, const struct pprof_regs *regs)
{
	walk(stack, regs);
}

void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_process_ranges *ranges, struct pprof_rule_cache *cache,
		  struct pprof_known_stack *known)
{
	walk(stack, regs);
	stack->flags = PPROF_SAMPLE_GUESS;
	known->nr_walked = NR_FRAMES;
	stack->nr_shared = min_t(u32, known->nr_sent, NR_FRAMES - 1);
	stack->nr -= stack->nr_shared;
}

u32 pprof_kernel_stack_here(u64 *frames, u32 max)
{
	assert_int_equal(max, MAX_KERNEL);
	nr_kernel_walks++;
	for (u32 i = 0; i < nr_kernel; i++)
		frames[i] = KERNEL_IP + i;
	return nr_kernel;
}

u32 pprof_kernel_stack_of(struct task_struct *of, u64 *frames, u32 max)
{
	assert_ptr_equal(of, &task);
	return pprof_kernel_stack_here(frames, max);
}

static void wake(struct irq_work *work)
{
	nr_wakeups++;
}

static int begin_all(void **state)
{
	labels = calloc(1, sizeof(*labels) + sizeof(text));
	labels->id = 77;
	labels->bytes = TEXT_BYTES;
	memcpy(labels->text, text, sizeof(text));
	return 0;
}

static int end_all(void **state)
{
	free(labels);
	return 0;
}

static int begin(void **state)
{
	exec_state = (struct task_exec_state) { TASK_DUMPABLE_OWNER, &owner_ns };
	mm.exec_vm = EXEC_PAGES;
	task = (struct task_struct) {
		.pid = TID, .tgid = TGID, .tgid_below = 5, .process = &process, .mm = &mm,
		.active_mm = &mm, .exec_state = &exec_state, .group_leader = &task,
		.start_time = 100, .self_exec_id = 9, .comm = "name",
	};
	current = &task;
	user_regs = (struct pt_regs) { .ip = 0x401000, .cs = SHIM_USER_CS, .orig_ax = -1 };
	head = (struct pprof_ring_head) { 0 };
	tail = (struct pprof_ring_tail) { 0 };
	sent = (struct pprof_sent_labels) { { 0 } };
	pprof_ring_init(&pages.ring, &head, &tail, data, RING_BYTES, 0);
	target = (struct pprof_target) { .ns = &init_pid_ns };
	sink = (struct pprof_sink) {
		.rings = &pages, .sent_labels = &sent, .target = &target, .max_frames = 8,
		.sees_calls = true,
		.wakeup.irq.func = wake,
	};
	pprof_thread_labels_nr = 0;
	has_labels = false;
	nr_walks = 0;
	nr_kernel_walks = 0;
	nr_kernel = NR_KERNEL;
	nr_wakeups = 0;
	return 0;
}

static const struct pprof_sample_info info = {
	.time_ns = 1234, .weight = 2, .arg = 7, .value = 3, .source = PPROF_SOURCE_BLOCK,
};

/* The record at the end of the ring that the last call wrote. */
static const struct pprof_sample *take(const struct pprof_sample_info *of)
{
	u64 at = head.head;

	assert_true(pprof_record_sample(&sink, of));
	return (const struct pprof_sample *)(data + at);
}

/* Fails if a field is not filled, or is that of another one. */
static void test_a_sample(void **state)
{
	const struct pprof_sample *sample = take(&info);

	assert_int_equal(sample->ev.rec.type, PPROF_REC_SAMPLE);
	assert_int_equal(sample->ev.rec.size, sizeof(*sample) + NR_FRAMES * sizeof(u64));
	assert_int_equal(sample->ev.time_ns, 1234);
	assert_int_equal(sample->ev.pid, TGID);
	assert_int_equal(sample->ev.tid, TID);
	assert_int_equal(sample->ev.exec_id, 109);
	assert_int_equal(sample->weight, 2);
	assert_int_equal(sample->arg, 7);
	assert_int_equal(sample->value, 3);
	assert_int_equal(sample->source, PPROF_SOURCE_BLOCK);
	assert_int_equal(sample->end_reason, PPROF_END_COMPLETE);
	assert_int_equal(sample->nr_frames, NR_FRAMES);
	assert_int_equal(sample->nr_kernel, 0);
	assert_int_equal(nr_kernel_walks, 0);
	assert_int_equal(sample->flags, 0);
	assert_string_equal((const char *)sample->comm, "name");
	assert_int_equal(sample->frames[2], 0x401002);
	assert_int_equal(head.produced[PPROF_SOURCE_BLOCK], 2);
	assert_int_equal(head.end_reasons[PPROF_SOURCE_BLOCK][PPROF_END_COMPLETE], 2);
	assert_int_equal(head.head, sample->ev.rec.size);
}

/* Fails if the last byte of the name is not set: a rename may tear it. */
static void test_a_name_ends(void **state)
{
	memset(task.comm, 'x', sizeof(task.comm));
	assert_int_equal(strlen((const char *)take(&info)->comm), PPROF_COMM_LEN - 1);
}

/* Fails if numbers of the initial namespace reach a session in another one. */
static void test_numbers_are_those_of_the_namespace(void **state)
{
	target.ns = &below;
	assert_int_equal(take(&info)->ev.pid, 5);
}

static void assert_hidden(const struct pprof_sample *sample)
{
	assert_int_equal(sample->nr_frames, 0);
	assert_int_equal(sample->end_reason, PPROF_END_NO_USER);
	assert_int_equal(sample->arg, PPROF_NO_SYSCALL);
	assert_int_equal(sample->flags, 0);
	assert_int_equal(sample->ev.rec.size, sizeof(*sample));
	assert_int_equal(nr_walks, 0);
}

/* Fails if the walk, the system call or the labels do not ask for the right to read. */
static void test_an_undumpable_program_is_hidden(void **state)
{
	exec_state.dumpable = 0;
	pprof_thread_labels_nr = 1;
	has_labels = true;
	assert_hidden(take(&info));
}

/* Fails if another namespace than the one that was traced is enough, or if none is. */
static void test_who_may_read_an_undumpable_program(void **state)
{
	exec_state.dumpable = 0;
	sink.traced = &other_ns;
	assert_hidden(take(&info));
	sink.traced = &owner_ns;
	assert_int_equal(take(&info)->nr_frames, NR_FRAMES);
	sink.traced = NULL;
	sink.trusted = true;
	assert_int_equal(take(&info)->nr_frames, NR_FRAMES);
	assert_int_equal(nr_walks, 2);
}

/* Fails if a source is not in hide_call(), or if it also hides what is no system call. */
static void test_what_is_hidden(void **state)
{
	static const u16 calls[] = { PPROF_SOURCE_WALL, PPROF_SOURCE_BLOCK, PPROF_SOURCE_GROWTH,
				     PPROF_SOURCE_THREAD };
	static const u16 others[] = { PPROF_SOURCE_CPU, PPROF_SOURCE_THREADCREATE,
				      PPROF_SOURCE_MUTEX, PPROF_SOURCE_HEAP };
	struct pprof_sample_info of = info;

	exec_state.dumpable = 0;
	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		of.source = calls[i];
		of.arg = 7;
		assert_int_equal(take(&of)->arg, PPROF_NO_SYSCALL);
		of.arg = PPROF_THREAD_STOPPED;
		assert_int_equal(take(&of)->arg, PPROF_THREAD_STOPPED);
		of.arg = PPROF_THREAD_RUNNING;
		assert_int_equal(take(&of)->arg, PPROF_THREAD_RUNNING);
	}
	of.arg = 7;
	for (u32 i = 0; i < ARRAY_SIZE(others); i++) {
		of.source = others[i];
		assert_int_equal(take(&of)->arg, 7);
	}
}

/* The right to stacks alone: Yama lets a debugger attach to children only. */
static void test_stacks_without_system_calls(void **state)
{
	const struct pprof_sample *sample;

	sink.sees_calls = false;
	sample = take(&info);
	assert_int_equal(sample->arg, PPROF_NO_SYSCALL);
	assert_int_equal(sample->nr_frames, NR_FRAMES);
}

/* Fails if a process with the exec id of the target is taken for it, or if an exec is missed. */
static void test_the_only_process(void **state)
{
	struct pid other;

	assert_true(pprof_record_is_followed(&sink, &task));
	sink.only_process = &process;
	sink.only_exec_id = pprof_exec_id(&task);
	assert_true(pprof_record_is_followed(&sink, &task));
	task.process = &other;
	assert_false(pprof_record_is_followed(&sink, &task));
	task.process = &process;
	task.self_exec_id++;
	assert_false(pprof_record_is_followed(&sink, &task));
}

/* Fails if registers are read where they are not those of the program. */
static void test_tasks_without_user_registers(void **state)
{
	static struct mm_struct other;

	task.flags = PF_IO_WORKER;
	assert_hidden(take(&info));
	task.flags = PF_USER_WORKER;
	assert_hidden(take(&info));
	task.flags = 0;
	task.active_mm = &other;
	assert_hidden(take(&info));
	task.active_mm = &mm;
	task.in_execve = true;
	assert_hidden(take(&info));
	task.in_execve = false;
	task.mm = NULL;
	assert_hidden(take(&info));
}

/* Fails if the leader of a reaped thread is used. */
static void test_a_dead_thread_is_not_counted(void **state)
{
	task.process = NULL;
	assert_false(pprof_record_sample(&sink, &info));
	assert_int_equal(head.produced[PPROF_SOURCE_BLOCK], 0);
	assert_int_equal(head.head, 0);
}

/* Fails if a sample without room is not counted, or if the reader sleeps on below its watermark. */
static void test_a_full_ring(void **state)
{
	u64 nr = 0;

	while (pprof_record_sample(&sink, &info))
		nr++;
	assert_true(nr > 100);
	assert_int_equal(head.produced[PPROF_SOURCE_BLOCK], 2 * (nr + 1));
	assert_int_equal(head.lost[PPROF_SOURCE_BLOCK][PPROF_LOST_FULL], 2);
	assert_true(pprof_ring_is_due(&pages.ring));
	assert_int_equal(nr_wakeups, 1);	/* at the watermark */
}

/* Fails if a ring that is below its watermark stays asleep when a record finds no room. */
static void test_a_large_record_wakes_the_reader(void **state)
{
	take(&info);
	assert_false(pprof_ring_is_due(&pages.ring));
	assert_null(pprof_record_event(&sink, &task, PPROF_REC_MMAP, RING_BYTES));
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], 1);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_FULL], 1);
	assert_true(pprof_ring_is_due(&pages.ring));
	assert_int_equal(nr_wakeups, 1);
}

/* Fails if frees and events share a class, or if a loss has no reason. */
static void test_classes(void **state)
{
	struct pprof_free *record;

	record = pprof_record_event(&sink, &task, PPROF_REC_FREE, sizeof(*record));
	assert_non_null(record);
	assert_int_equal(record->ev.rec.type, PPROF_REC_FREE);
	assert_int_equal(record->ev.rec.size, sizeof(*record));
	assert_int_equal(record->ev.time_ns, 5000);
	assert_int_equal(head.head, 0);	/* not before it is committed */
	pprof_record_commit(&sink, record);
	assert_int_equal(head.head, sizeof(*record));
	assert_int_equal(head.produced[PPROF_CLASS_FREE], 1);
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], 0);
	pprof_record_lost(&sink, PPROF_SOURCE_WALL, 4, PPROF_LOST_QUEUE);
	assert_int_equal(head.produced[PPROF_SOURCE_WALL], 4);
	assert_int_equal(head.lost[PPROF_SOURCE_WALL][PPROF_LOST_QUEUE], 4);
}

static const struct pprof_sample_labels *labels_of(const struct pprof_sample *sample)
{
	assert_true(sample->flags & PPROF_SAMPLE_LABELS);
	return (const struct pprof_sample_labels *)&sample->frames[sample->nr_frames];
}

/* Fails if the text does not come, comes each time, or is not in the size of the record. */
static void test_labels(void **state)
{
	const struct pprof_sample *sample;
	u32 plain = sizeof(*sample) + NR_FRAMES * sizeof(u64);

	pprof_thread_labels_nr = 1;
	has_labels = true;
	sample = take(&info);
	assert_int_equal(labels_of(sample)->set, 77);
	assert_int_equal(labels_of(sample)->bytes, TEXT_BYTES);
	assert_memory_equal(labels_of(sample)->text, text, sizeof(text));
	assert_int_equal(sample->ev.rec.size, plain + sizeof(struct pprof_sample_labels) + 16);
	sample = take(&info);
	assert_int_equal(labels_of(sample)->set, 77);
	assert_int_equal(labels_of(sample)->bytes, 0);
	assert_int_equal(sample->ev.rec.size, plain + sizeof(struct pprof_sample_labels));
	has_labels = false;
	assert_int_equal(take(&info)->flags, 0);
}

/* Fails if a set is noted as sent with a sample that the caller gives up. */
static void test_a_sample_that_is_given_up(void **state)
{
	const struct pprof_regs regs = { .ip = user_regs.ip };
	struct pprof_sample *sample;

	pprof_thread_labels_nr = 1;
	has_labels = true;
	for (int i = 0; i < 2; i++) {
		sample = pprof_record_reserve(&sink);
		pprof_record_fill_task(&sink, sample, &task, &regs, &info);
		assert_int_equal(labels_of(sample)->bytes, TEXT_BYTES);
	}
	assert_int_equal(head.produced[PPROF_SOURCE_BLOCK], 0);
	pprof_record_emit(&sink, sample);
	assert_int_equal(head.produced[PPROF_SOURCE_BLOCK], 2);
	assert_int_equal(labels_of(take(&info))->bytes, 0);
}

/* Fails if code that was mapped after the ranges is not marked, or if a known one is. */
static void test_stale_ranges(void **state)
{
	static struct pprof_session_tables_slot slots[PPROF_SESSION_TABLES_SLOTS];
	static struct pprof_rule_cache cache;
	static struct pprof_known_stacks known_stacks;
	struct pprof_process_ranges ranges = { .exec_pages = EXEC_PAGES };
	struct pprof_session_tables tables = {
		.slots = slots, .caches = &cache, .known = &known_stacks,
	};

	sink.session_tables = &tables;
	assert_int_equal(take(&info)->flags, PPROF_SAMPLE_GUESS);	/* it has no ranges */
	slots[TGID * PPROF_SESSION_TABLES_BUCKET] = (struct pprof_session_tables_slot) {
		.tgid = TGID, .process = &ranges,
	};
	assert_int_equal(take(&info)->flags, PPROF_SAMPLE_GUESS);
	mm.exec_vm++;
	assert_int_equal(take(&info)->flags, PPROF_SAMPLE_GUESS | PPROF_SAMPLE_STALE);
}

static void assert_shared(const struct pprof_sample *sample, u32 nr)
{
	assert_int_equal(sample->nr_shared, nr);
	assert_int_equal(sample->nr_frames, NR_FRAMES - nr);
	assert_int_equal(sample->ev.rec.size,
			 sizeof(*sample) + sample->nr_frames * sizeof(*sample->frames));
}

/*
 * Fails if frames count as sent that are in no earlier sample of the thread, or that a sample since
 * then does not have.
 */
static void test_shared_frames(void **state)
{
	static struct pprof_rule_cache cache;
	static struct pprof_known_stacks known_stacks;
	static struct pprof_session_tables_slot slots[PPROF_SESSION_TABLES_SLOTS];
	struct pprof_session_tables tables = {
		.slots = slots, .caches = &cache, .known = &known_stacks,
	};
	const struct pprof_regs regs = { .ip = user_regs.ip };

	sink.session_tables = &tables;
	assert_shared(take(&info), 0);
	assert_shared(take(&info), 0);
	sink.shares_frames = true;
	assert_shared(take(&info), 0);
	assert_shared(take(&info), NR_FRAMES - 1);
	task.pid++;
	assert_shared(take(&info), 0);
	task.pid += PPROF_SHARED_STACKS;
	assert_shared(take(&info), NR_FRAMES - 1);
	task.pid--;
	pprof_record_fill_task(&sink, pprof_record_reserve(&sink), &task, &regs, &info);
	task.flags = PF_IO_WORKER;
	assert_int_equal(take(&info)->nr_frames, 0);
	task.flags = 0;
	assert_shared(take(&info), 0);
}

static void assert_kernel_frames(const struct pprof_sample *sample)
{
	assert_int_equal(sample->nr_kernel, NR_KERNEL);
	assert_int_equal(sample->nr_frames, NR_KERNEL + NR_FRAMES);
	assert_true(sample->frames[0] == KERNEL_IP && sample->frames[1] == KERNEL_IP + 1);
	assert_int_equal(sample->frames[NR_KERNEL], user_regs.ip);
	assert_int_equal(sample->frames[NR_KERNEL + NR_FRAMES - 1], user_regs.ip + NR_FRAMES - 1);
}

/* Fails if a source lacks kernel frames, or has some that mean nothing. */
static void test_sources_with_kernel_frames(void **state)
{
	static const u16 with[] = { PPROF_SOURCE_CPU, PPROF_SOURCE_THREADCREATE, PPROF_SOURCE_WALL,
				    PPROF_SOURCE_BLOCK, PPROF_SOURCE_GROWTH };
	static const u16 without[] = { PPROF_SOURCE_MUTEX, PPROF_SOURCE_HEAP };
	struct pprof_sample_info of = info;

	sink.max_kernel = MAX_KERNEL;
	for (u32 i = 0; i < ARRAY_SIZE(with); i++) {
		of.source = with[i];
		assert_kernel_frames(take(&of));
	}
	for (u32 i = 0; i < ARRAY_SIZE(without); i++) {
		of.source = without[i];
		assert_int_equal(take(&of)->nr_kernel, 0);
	}
	assert_int_equal(nr_kernel_walks, ARRAY_SIZE(with));
}

/* Fails if the labels are not behind all frames. */
static void test_kernel_frames_and_labels(void **state)
{
	const struct pprof_sample *sample;

	sink.max_kernel = MAX_KERNEL;
	pprof_thread_labels_nr = 1;
	has_labels = true;
	sample = take(&info);
	assert_kernel_frames(sample);
	assert_int_equal(labels_of(sample)->set, 77);
	assert_int_equal(sample->ev.rec.size,
			 sizeof(*sample) + (NR_KERNEL + NR_FRAMES) * sizeof(u64) +
			 sizeof(struct pprof_sample_labels) + 16);
}

/* An exiting thread has no user stack, but the kernel's says what it does. */
static void test_kernel_frames_without_a_user(void **state)
{
	const struct pprof_sample *sample;

	sink.max_kernel = MAX_KERNEL;
	task.mm = NULL;
	sample = take(&info);
	assert_int_equal(sample->nr_kernel, NR_KERNEL);
	assert_int_equal(sample->nr_frames, NR_KERNEL);
	assert_int_equal(sample->end_reason, PPROF_END_NO_USER);
}

/* Fails if the frames are those of this moment, or if a session without them gets some. */
static void test_kernel_frames_of_another_moment(void **state)
{
	const struct pprof_kernel_stack kernel = { 1, { KERNEL_IP + 9 } };
	const struct pprof_sample *sample = (const struct pprof_sample *)data;

	assert_true(pprof_record_sample_from(&sink, &info, &kernel));
	assert_int_equal(sample->nr_kernel, 0);
	sink.max_kernel = MAX_KERNEL;
	sample = (const struct pprof_sample *)(data + head.head);
	assert_true(pprof_record_sample_from(&sink, &info, &kernel));
	assert_int_equal(sample->nr_kernel, 1);
	assert_true(sample->frames[0] == KERNEL_IP + 9);
	assert_int_equal(sample->nr_frames, 1 + NR_FRAMES);
	assert_int_equal(nr_kernel_walks, 0);
}

/* Fails if a snapshot gets kernel frames: nothing shows them. */
static void test_kernel_frames_of_another_task(void **state)
{
	const struct pprof_regs regs = { .ip = user_regs.ip };
	struct pprof_sample_info of = info;
	struct pprof_sample *sample;

	sink.max_kernel = MAX_KERNEL;
	of.source = PPROF_SOURCE_WALL;
	sample = pprof_record_reserve(&sink);
	pprof_record_fill_task(&sink, sample, &task, &regs, &of);
	assert_kernel_frames(sample);
	of.source = PPROF_SOURCE_THREAD;
	pprof_record_fill_task(&sink, sample, &task, &regs, &of);
	assert_int_equal(sample->nr_kernel, 0);
}

/* ASan fails if there is no room for them: then a record is written over the end of the ring. */
static void test_kernel_frames_have_room(void **state)
{
	sink.max_kernel = MAX_KERNEL;
	sink.max_frames = NR_FRAMES;
	nr_kernel = MAX_KERNEL;
	for (int i = 0; i < 1000; i++) {
		tail.tail = head.head;
		assert_true(pprof_record_sample(&sink, &info));
	}
}

/* The record of current's thread, which is played by this file; 0: none is valid. */
static u32 context_bytes;
static int nr_context_reads;

bool pprof_thread_context_read(const struct pprof_tls_address *tls, struct pprof_sample_context *to)
{
	assert_int_equal(tls->offset, -8);
	nr_context_reads++;
	*to = (struct pprof_sample_context) { .bytes = context_bytes };
	memset(to->data, 0x5a, context_bytes);
	return context_bytes;
}

static const struct pprof_sample_context *context_of(const struct pprof_sample *sample,
						     size_t label_bytes)
{
	return (const void *)&sample->frames[sample->nr_frames] + label_bytes;
}

/* Fails if a context is read where it must not be, or is not behind the frames and the labels. */
static void test_contexts(void **state)
{
	static struct pprof_session_tables_slot slots[PPROF_SESSION_TABLES_SLOTS];
	static struct pprof_rule_cache cache;
	static struct pprof_known_stacks known_stacks;
	struct pprof_process_ranges ranges = {
		.exec_pages = EXEC_PAGES, .context = { PPROF_TLS_STATIC, 0, 0, -8 },
	};
	struct pprof_session_tables tables = {
		.slots = slots, .caches = &cache, .known = &known_stacks,
	};
	const size_t with_labels = sizeof(struct pprof_sample_labels) + 16;
	const struct pprof_sample *sample;

	slots[TGID * PPROF_SESSION_TABLES_BUCKET] = (struct pprof_session_tables_slot) {
		.tgid = TGID, .process = &ranges,
	};
	sink.session_tables = &tables;
	context_bytes = 29;
	assert_int_equal(take(&info)->flags, PPROF_SAMPLE_GUESS);
	assert_int_equal(nr_context_reads, 0);

	sink.context_room = PPROF_THREAD_CONTEXT_ROOM;
	sample = take(&info);
	assert_int_equal(sample->flags, PPROF_SAMPLE_GUESS | PPROF_SAMPLE_CONTEXT);
	assert_int_equal(context_of(sample, 0)->bytes, 29);
	assert_int_equal(sample->ev.rec.size,
			 sizeof(*sample) + NR_FRAMES * 8 +
			 sizeof(struct pprof_sample_context) + 32);

	pprof_thread_labels_nr = 1;
	has_labels = true;
	sample = take(&info);
	assert_int_equal(sample->flags, PPROF_SAMPLE_GUESS | PPROF_SAMPLE_LABELS |
					PPROF_SAMPLE_CONTEXT);
	assert_int_equal(context_of(sample, with_labels)->bytes, 29);
	assert_int_equal(context_of(sample, with_labels)->data[0], 0x5a);

	nr_context_reads = 0;
	pprof_thread_labels_nr = 0;
	context_bytes = 0;
	assert_int_equal(take(&info)->flags, PPROF_SAMPLE_GUESS);
	assert_int_equal(nr_context_reads, 1);
	ranges.context.kind = PPROF_TLS_NONE;
	take(&info);
	exec_state.dumpable = 0;
	ranges.context.kind = PPROF_TLS_STATIC;
	take(&info);
	exec_state.dumpable = TASK_DUMPABLE_OWNER;
	slots[TGID * PPROF_SESSION_TABLES_BUCKET].tgid = 0;
	take(&info);
	assert_int_equal(nr_context_reads, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_sample, begin),
		cmocka_unit_test_setup(test_a_name_ends, begin),
		cmocka_unit_test_setup(test_numbers_are_those_of_the_namespace, begin),
		cmocka_unit_test_setup(test_an_undumpable_program_is_hidden, begin),
		cmocka_unit_test_setup(test_who_may_read_an_undumpable_program, begin),
		cmocka_unit_test_setup(test_stacks_without_system_calls, begin),
		cmocka_unit_test_setup(test_the_only_process, begin),
		cmocka_unit_test_setup(test_what_is_hidden, begin),
		cmocka_unit_test_setup(test_tasks_without_user_registers, begin),
		cmocka_unit_test_setup(test_a_dead_thread_is_not_counted, begin),
		cmocka_unit_test_setup(test_a_full_ring, begin),
		cmocka_unit_test_setup(test_a_large_record_wakes_the_reader, begin),
		cmocka_unit_test_setup(test_classes, begin),
		cmocka_unit_test_setup(test_labels, begin),
		cmocka_unit_test_setup(test_a_sample_that_is_given_up, begin),
		cmocka_unit_test_setup(test_stale_ranges, begin),
		cmocka_unit_test_setup(test_shared_frames, begin),
		cmocka_unit_test_setup(test_sources_with_kernel_frames, begin),
		cmocka_unit_test_setup(test_kernel_frames_and_labels, begin),
		cmocka_unit_test_setup(test_kernel_frames_without_a_user, begin),
		cmocka_unit_test_setup(test_kernel_frames_of_another_moment, begin),
		cmocka_unit_test_setup(test_kernel_frames_of_another_task, begin),
		cmocka_unit_test_setup(test_kernel_frames_have_room, begin),
		cmocka_unit_test_setup(test_contexts, begin),
	};

	return cmocka_run_group_tests(tests, begin_all, end_all);
}
