// SPDX-License-Identifier: GPL-2.0
// sources: kmod/record/mmap_events.c kmod/record/mmap_probe.c
// sources: kmod/record/record.c kmod/record/target.c kmod/ring/ring.c
// include: -Itests/unit/shim -include kmod/base/compat.h -Wno-unused-parameter -Wno-sign-compare
/*
 * The test calls the kprobe on perf_event_mmap() with mappings, runs the work item at chosen times,
 * and reads the records. The queue, the ring and the counters are those of the module. The test has
 * a clock of its own: time passes while the work item finds a path, and while the module sleeps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <linux/container_of.h>
#include <linux/file.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/sched/exec_state.h>
#include <linux/sizes.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include "kmod/base/cooldown.h"
#include "kmod/client/thread_labels.h"
#include "kmod/record/mmap_events.h"
#include "kmod/record/mmap_probe.h"
#include "kmod/unwind/frame_pointer.h"
#include "kmod/unwind/kernel_stack.h"
#include "kmod/unwind/unwind.h"

#define TGID		100
#define QUEUE		512	/* NR_ENTRIES of mmap_events.c */
#define RING_BYTES	(256U << 10)
#define MS		((u64)NSEC_PER_MSEC)
#define FIRST_NS	(100 * MS)

struct user_namespace {
	int unused;
};

struct pid_namespace init_pid_ns;
struct task_struct *current;
bool shim_irqs_are_off;
u32 pprof_thread_labels_nr;
struct workqueue_struct *system_dfl_wq;
struct delayed_work *shim_delayed;
char shim_log[256];

static struct user_namespace owner_ns;
static struct task_exec_state exec_state;
static struct mm_struct mm;
static struct pid process;
static struct task_struct task;
static struct pprof_target target;
static struct pprof_ring_pages pages;
static struct pprof_ring_head head;
static struct pprof_ring_tail tail;
static struct pprof_sink sink;
static struct pprof_mmap_events *mmap_events;
static _Alignas(8) u8 data[RING_BYTES];

static struct super_block disk = { .s_dev = 8 << 20 | 1 }, layer = { .s_dev = 9 << 20 | 2 };
static struct inode inode = { .i_ino = 77, .i_sb = &disk };
static struct inode inode_of_layer = { .i_ino = 78, .i_sb = &layer };
static struct file file;
static struct kprobe *probe;
static int register_error, enable_error, nr_wakeups;
static bool cannot_remove;
static u64 now_ns, path_ns, slept_ns;
static bool path_fails;
static void (*while_asleep)(void);
static u64 read_to;	/* the records before it were read */

void *__vmalloc(unsigned long size, unsigned int gfp)
{
	return calloc(1, size);
}

u64 ktime_get_ns(void)
{
	return now_ns;
}

u64 ktime_get_mono_fast_ns(void)
{
	return now_ns;
}

long schedule_timeout_uninterruptible(long timeout)
{
	slept_ns += timeout * MS;
	now_ns += timeout * MS;
	if (while_asleep)
		while_asleep();
	return 0;
}

/* On PREEMPT_RT it may sleep. The path is at the end of the buffer. */
char *d_path(const struct path *path, char *buffer, int bytes)
{
	char *to = buffer + bytes - strlen(path->shim_name) - 1;

	assert_false(shim_irqs_are_off);
	assert_int_equal(bytes, PATH_MAX);
	now_ns += path_ns;
	return path_fails ? ERR_PTR(-ENAMETOOLONG) : strcpy(to, path->shim_name);
}

int register_kprobe(struct kprobe *of)
{
	assert_string_equal(of->symbol_name, "perf_event_mmap");
	if (register_error)
		return register_error;
	of->addr = &file;
	probe = of;
	return 0;
}

int enable_kprobe(struct kprobe *of)
{
	return enable_error;
}

/* The kernel keeps a probe that it cannot remove, and clears its address. */
void unregister_kprobe(struct kprobe *of)
{
	if (cannot_remove)
		of->addr = NULL;
	else
		probe = NULL;
}

struct pt_regs *task_pt_regs(const struct task_struct *of)
{
	return NULL;
}

bool pprof_thread_context_read(const struct pprof_tls_address *tls, struct pprof_sample_context *to)
{
	return false;
}

const struct pprof_label_set *pprof_thread_labels_find(const struct task_struct *of)
{
	return NULL;
}

/* The ranges that the hook has bound, and the identity of the file. */
static struct pprof_process_range bound;
static struct pprof_file_identity bound_id;
static bool bound_has_id, bound_is_counted;
static int nr_bound, nr_dropped;
static u64 bound_exec_id;
static bool leaves;	/* the process is no target any more when its range is there */

void pprof_session_tables_map(struct pprof_session_tables *tables, pid_t tgid, u64 exec_id,
			      const struct pprof_process_range *range,
			      const struct pprof_file_identity *id, bool is_counted)
{
	assert_true(shim_irqs_are_off);
	assert_int_equal(tgid, TGID);
	bound = *range;
	bound_has_id = id;
	bound_is_counted = is_counted;
	if (id)
		bound_id = *id;
	bound_exec_id = exec_id;
	nr_bound++;
	if (leaves)
		pprof_target_remove(&target, TGID);
}

void pprof_session_tables_drop(struct pprof_session_tables *tables, pid_t tgid, u64 exec_id)
{
	assert_int_equal(tgid, TGID);
	assert_int_equal(exec_id, 0);
	nr_dropped++;
}

void pprof_file_identity_get(struct pprof_file_identity *id, const struct inode *of)
{
	*id = (struct pprof_file_identity) { .ino = of->i_ino };
}

void pprof_unwind_fp(struct pprof_stack *stack, const struct pprof_regs *regs)
{
}

void pprof_unwind(struct pprof_stack *stack, const struct pprof_regs *regs,
		  const struct pprof_process_ranges *ranges, struct pprof_rule_cache *cache,
		  struct pprof_known_stack *known)
{
}

u32 pprof_kernel_stack_here(u64 *frames, u32 max)
{
	return 0;
}

u32 pprof_kernel_stack_of(struct task_struct *of, u64 *frames, u32 max)
{
	return 0;
}

static void wake(struct irq_work *work)
{
	nr_wakeups++;
}

static int begin(void **state)
{
	exec_state = (struct task_exec_state) { TASK_DUMPABLE_OWNER, &owner_ns };
	task = (struct task_struct) {
		.pid = TGID + 1, .tgid = TGID, .process = &process, .mm = &mm, .active_mm = &mm,
		.exec_state = &exec_state, .group_leader = &task,
		.start_time = 100, .self_exec_id = 9,
	};
	current = &task;
	file = (struct file) {
		.f_path = { "/layer/lib.so" }, .shim_user_path = { "/lib.so" },
		.f_inode = &inode_of_layer, .shim_user_inode = &inode, .shim_refs = 1,
	};
	head = (struct pprof_ring_head) { 0 };
	tail = (struct pprof_ring_tail) { 0 };
	pprof_ring_init(&pages.ring, &head, &tail, data, RING_BYTES, 0);
	memset(data, 0xff, sizeof(data));
	sink = (struct pprof_sink) { .rings = &pages, .target = &target, .wakeup.irq.func = wake };
	register_error = 0;
	enable_error = 0;
	cannot_remove = false;
	path_fails = false;
	now_ns = FIRST_NS;
	path_ns = 0;
	slept_ns = 0;
	while_asleep = NULL;
	read_to = 0;
	nr_wakeups = 0;
	shim_log[0] = 0;
	shim_irqs_are_off = false;
	shim_delayed = NULL;
	assert_int_equal(pprof_target_init(&target, &init_pid_ns, false, false), 0);
	pprof_target_add(&target, TGID);
	assert_int_equal(pprof_mmap_events_new(&sink, &mmap_events), 0);
	return 0;
}

/* Fails if a test leaves a reference to the file, or interrupts off. */
static int end(void **state)
{
	pprof_mmap_events_free(mmap_events);
	assert_null(probe);
	assert_int_equal(file.shim_refs, 1);
	assert_false(shim_irqs_are_off);
	pprof_target_fini(&target);
	return 0;
}

static void map_vma(struct vm_area_struct *vma)
{
	struct pt_regs regs = { .di = (unsigned long)vma };

	assert_int_equal(probe->pre_handler(probe, &regs), 0);
}

/* Maps a page of the file at page @nr, with another offset for each. */
static void map_file(u64 nr)
{
	struct vm_area_struct vma = {
		.vm_start = nr * PAGE_SIZE, .vm_end = (nr + 1) * PAGE_SIZE, .vm_flags = VM_EXEC,
		.vm_pgoff = nr + 3, .vm_file = &file,
	};

	map_vma(&vma);
}

static const char *vdso_name(struct vm_area_struct *vma)
{
	assert_int_equal(vma->vm_start, 4 * PAGE_SIZE);
	return "[vdso]";
}

static const char *high_vdso_name(struct vm_area_struct *vma)
{
	return "[vdso]";
}

static const char *no_name(struct vm_area_struct *vma)
{
	return NULL;
}

static void map_memory(u64 nr, const struct vm_operations_struct *ops)
{
	struct vm_area_struct vma = {
		.vm_start = nr * PAGE_SIZE, .vm_end = (nr + 1) * PAGE_SIZE, .vm_flags = VM_EXEC,
		.vm_pgoff = nr + 3, .vm_ops = ops,
	};

	map_vma(&vma);
}

/* Runs the work item once if it is due. Returns: false if it is not. */
static bool run_work(void)
{
	if (!shim_delayed || !shim_delayed->shim_queued || shim_delayed->shim_delay)
		return false;
	shim_run(shim_delayed);
	return true;
}

/* Lets the delay of the work item pass. */
static void wait_for_work(void)
{
	assert_true(shim_delayed->shim_queued);
	now_ns += shim_delayed->shim_delay * MS;
	shim_delayed->shim_delay = 0;
}

/* Returns: the next record, or NULL. The tail stays: the ring has room for all of a test. */
static const struct pprof_mmap *next_record(void)
{
	const struct pprof_mmap *record = (const void *)(data + read_to);

	if (read_to == head.head)
		return NULL;
	assert_int_equal(record->ev.rec.type, PPROF_REC_MMAP);
	read_to += record->ev.rec.size;
	return record;
}

static void assert_pages(u64 first, u64 nr)
{
	const struct pprof_mmap *record;

	for (u64 i = 0; i < nr; i++) {
		record = next_record();
		assert_non_null(record);
		assert_int_equal(record->start, (first + i) * PAGE_SIZE);
	}
	assert_null(next_record());
}

static void assert_none(void)
{
	assert_false(run_work());
	assert_int_equal(head.head, 0);
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], 0);
	assert_int_equal(file.shim_refs, 1);
}

/*
 * Fails if a file on overlayfs does not have the inode of its layer, if anonymous memory is taken
 * for the vdso, or if writable memory counts as code.
 */
static void test_binding(void **state)
{
	const struct vm_operations_struct vdso = { .name = vdso_name };
	const struct vm_operations_struct high_vdso = { .name = high_vdso_name };
	struct vm_area_struct jit = { .vm_start = PAGE_SIZE, .vm_end = 2 * PAGE_SIZE,
				      .vm_flags = VM_EXEC | VM_WRITE };
	struct pprof_session_tables tables = { 0 };

	nr_bound = 0;
	nr_dropped = 0;
	map_file(5);
	assert_int_equal(nr_bound, 0);
	sink.session_tables = &tables;
	map_file(5);
	assert_int_equal(nr_bound, 1);
	assert_int_equal(bound.start, 5 * PAGE_SIZE);
	assert_int_equal(bound.end, 6 * PAGE_SIZE);
	assert_int_equal(bound.bias, -3 * PAGE_SIZE);
	assert_int_equal(bound_exec_id, 109);
	assert_true(bound_has_id && bound_id.ino == inode_of_layer.i_ino);
	map_memory(7, NULL);
	assert_true(!bound_has_id && bound.bias == 7 * PAGE_SIZE && bound_is_counted);
	map_vma(&jit);
	assert_true(!bound_has_id && !bound_is_counted);
	map_memory(4, &vdso);
	assert_true(bound_has_id && bound_id.ino == 0);
	map_memory(SZ_4G / PAGE_SIZE, &high_vdso);
	assert_true(bound_has_id && bound_id.ino == 1 && bound_id.dev == 0);
	assert_int_equal(nr_dropped, 0);
	leaves = true;
	map_file(6);
	leaves = false;
	assert_int_equal(nr_bound, 6);
	assert_int_equal(nr_dropped, 1);
	map_file(7);
	assert_int_equal(nr_bound, 6);
	run_work();
	sink.session_tables = NULL;
}

/*
 * Fails if a field is not filled, if the file is that of a layer of overlayfs, if the time is that
 * of the work item, or if bytes of the ring stay behind the name.
 */
static void test_a_mapping_of_a_file(void **state)
{
	const struct pprof_mmap *record;

	map_file(5);
	assert_int_equal(file.shim_refs, 2);
	assert_int_equal(head.head, 0);
	now_ns += MS;
	task.tgid = 1;
	assert_true(run_work());
	record = next_record();
	assert_int_equal(record->ev.time_ns, FIRST_NS);
	assert_int_equal(record->ev.pid, TGID);
	assert_int_equal(record->ev.tid, TGID + 1);
	assert_int_equal(record->ev.exec_id, 109);
	assert_int_equal(record->start, 5 * PAGE_SIZE);
	assert_int_equal(record->end, 6 * PAGE_SIZE);
	assert_int_equal(record->offset, 8 * PAGE_SIZE);
	assert_int_equal(record->ino, 77);
	assert_int_equal(record->dev_major, 8);
	assert_int_equal(record->dev_minor, 1);
	assert_memory_equal(record->name, "/lib.so", 8);
	assert_int_equal(record->ev.rec.size, sizeof(*record) + 8);
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], 1);
	assert_int_equal(file.shim_refs, 1);
	assert_false(run_work());
}

/* Fails if a name that fills its last word has no NUL, or if the padding is not cleared. */
static void test_lengths_of_names(void **state)
{
	const struct pprof_mmap *record;

	file.shim_user_path.shim_name = "/lib/c.s";
	map_file(1);
	run_work();
	record = next_record();
	assert_int_equal(record->ev.rec.size, sizeof(*record) + 16);
	assert_memory_equal(record->name, "/lib/c.s\0\0\0\0\0\0\0", 16);
}

/* Fails if a mapping is reported without its file, or with an old path in its place. */
static void test_a_path_that_cannot_be_found(void **state)
{
	path_fails = true;
	map_file(1);
	run_work();
	assert_string_equal((char *)next_record()->name, "");
}

/* Fails if memory without a file has fields of a file, or a name that is NULL. */
static void test_memory_without_a_file(void **state)
{
	static const struct vm_operations_struct vdso = { .name = vdso_name };
	static const struct vm_operations_struct nameless = { .name = no_name }, none = { 0 };
	const struct vm_operations_struct *const without[] = { NULL, &none, &nameless };
	const struct pprof_mmap *record;

	map_memory(4, &vdso);
	for (int i = 0; i < ARRAY_SIZE(without); i++)
		map_memory(5, without[i]);
	run_work();
	record = next_record();
	assert_string_equal((char *)record->name, "[vdso]");
	assert_int_equal(record->offset | record->ino | record->dev_major | record->dev_minor, 0);
	for (int i = 0; i < ARRAY_SIZE(without); i++)
		assert_string_equal((char *)next_record()->name, "");
	assert_null(next_record());
}

/* Fails if the queue changes the order, also of mappings with and without a file. */
static void test_the_order(void **state)
{
	for (u64 i = 0; i < 100; i++) {
		if (i % 3)
			map_file(i);
		else
			map_memory(i, NULL);
	}
	run_work();
	assert_pages(0, 100);
}

/* Fails if the order is lost, or an entry used twice, where the queue begins again. */
static void test_the_queue_goes_round(void **state)
{
	for (u64 round = 0; round < 5; round++) {
		for (u64 i = 0; i < 300; i++)
			map_file(round * 300 + i);
		run_work();
		assert_pages(round * 300, 300);
	}
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 0);
}

/*
 * Fails if an entry is overwritten, if a loss is not counted or has another reason, if the file of
 * a lost mapping is kept, or if no mapping comes after a loss.
 */
static void test_an_overflow(void **state)
{
	for (u64 i = 0; i < QUEUE + 2; i++)
		map_file(i);
	assert_int_equal(file.shim_refs, 1 + QUEUE);
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], 2);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 2);
	map_memory(1, NULL);
	assert_int_equal(file.shim_refs, 1 + QUEUE);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 3);
	run_work();
	assert_pages(0, QUEUE);
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], QUEUE + 3);
	map_file(600);
	assert_true(run_work());
	assert_pages(600, 1);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 3);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_FULL], 0);
}

/* Fails if one run of the work item goes on for ever, or if the last entries wait for a kick. */
static void test_a_run_is_bounded(void **state)
{
	for (u64 i = 0; i < QUEUE; i++)
		map_file(i);
	assert_true(run_work());
	assert_pages(0, QUEUE);
	assert_true(run_work());	/* the first run did not see that the queue is empty */
	assert_false(run_work());
	map_file(QUEUE);
	assert_true(run_work());
	assert_pages(QUEUE, 1);
}

/* Fails if a record that finds no room is not counted, or if its file is kept. */
static void test_a_full_ring(void **state)
{
	const u64 nr = 200;

	pprof_ring_init(&pages.ring, &head, &tail, data, 4096, 0);
	for (u64 i = 0; i < nr; i++)
		map_file(i);
	run_work();
	assert_int_equal(head.produced[PPROF_CLASS_EVENT], nr);
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_FULL],
			 nr - head.head / (sizeof(struct pprof_mmap) + 8));
	assert_int_equal(head.lost[PPROF_CLASS_EVENT][PPROF_LOST_QUEUE], 0);
	assert_int_equal(file.shim_refs, 1);
}

/* Fails if data is reported, or memory of a process that is no target. */
static void test_other_mappings(void **state)
{
	struct vm_area_struct writable = { .vm_flags = ~VM_EXEC, .vm_file = &file };

	map_vma(&writable);
	assert_none();
	task.tgid = TGID + 7;
	map_file(1);
	assert_none();
}

/* Fails if a process is reported that may turn out to be the wrong one. */
static void test_an_unchecked_target(void **state)
{
	pprof_target_remove(&target, TGID);
	assert_true(pprof_target_add_unchecked(&target, TGID));
	map_file(1);
	assert_none();
	pprof_target_end_check(&target);
	map_file(1);
	assert_true(run_work());
}

/* Fails if a session without rights sees the files of a program that it may not read. */
static void test_an_undumpable_program(void **state)
{
	exec_state.dumpable = 0;
	map_file(1);
	assert_none();
	sink.traced = &owner_ns;
	map_file(2);
	run_work();
	assert_pages(2, 1);
	sink.traced = NULL;
	sink.trusted = true;
	map_file(3);
	run_work();
	assert_pages(3, 1);
}

/* Fails if the right to read the namespace also shows a setuid program that is being executed. */
static void test_an_exec_of_an_undumpable_program(void **state)
{
	exec_state.dumpable = 0;
	sink.traced = &owner_ns;
	task.in_execve = true;
	map_file(1);
	assert_none();
	sink.trusted = true;
	map_file(2);
	run_work();
	assert_pages(2, 1);
	sink.trusted = false;
	exec_state.dumpable = TASK_DUMPABLE_OWNER;
	map_file(3);
	run_work();
	assert_pages(3, 1);
}

/* Fails if a reader that must send a table sleeps, or if one without tables is woken each time. */
static void test_the_reader_is_woken(void **state)
{
	struct pprof_session_tables tables = { 0 };

	map_file(1);
	run_work();
	assert_int_equal(nr_wakeups, 0);
	assert_false(pprof_ring_is_due(&pages.ring));
	sink.session_tables = &tables;
	map_file(2);
	assert_int_equal(nr_wakeups, 0);
	run_work();
	assert_int_equal(nr_wakeups, 1);
	assert_true(pprof_ring_is_due(&pages.ring));
}

/* Fails if a user without rights gets more than half of a CPU, or is never served again. */
static void test_a_cooldown(void **state)
{
	path_ns = 6 * MS;
	map_file(1);
	run_work();
	assert_pages(1, 1);
	map_file(2);
	assert_true(run_work());
	assert_pages(0, 0);
	assert_in_range(shim_delayed->shim_delay, 6, 7);
	map_file(3);	/* a kick does not end it */
	assert_false(run_work());
	wait_for_work();
	assert_true(run_work());
	assert_pages(2, 2);
}

/* Fails if short work has a cooldown, or if the debts of several runs are not added. */
static void test_debts_are_added(void **state)
{
	path_ns = 3 * MS;
	map_file(1);
	run_work();
	map_file(2);
	run_work();
	assert_pages(1, 2);
	map_file(3);
	run_work();
	assert_pages(0, 0);
	assert_in_range(shim_delayed->shim_delay, 6, 7);
}

/* Fails if passing time does not reduce a debt. */
static void test_time_reduces_a_debt(void **state)
{
	path_ns = 4 * MS;
	for (u64 i = 1; i < 50; i++) {
		map_file(i);
		run_work();
		assert_pages(i, 1);
		now_ns += 4 * MS;
	}
}

/* Fails if CAP_PERFMON does not spare the owner a cooldown. */
static void test_a_trusted_session_has_no_cooldown(void **state)
{
	sink.trusted = true;
	path_ns = 20 * MS;
	for (u64 i = 1; i < 10; i++) {
		map_file(i);
		run_work();
		assert_pages(i, 1);
	}
}

/* Fails if a work item that waited long for a CPU has a cooldown of that length. */
static void test_the_longest_cooldown(void **state)
{
	path_ns = 3600 * (u64)NSEC_PER_SEC;
	map_file(1);
	run_work();
	assert_pages(1, 1);
	map_file(2);
	run_work();
	assert_int_equal(shim_delayed->shim_delay, PPROF_MAX_COOLDOWN_NS / MS + 1);
}

/* Fails if a flush leaves entries, or ends the cooldown of a user without rights early. */
static void test_a_flush(void **state)
{
	map_file(1);
	pprof_mmap_events_flush(mmap_events);
	assert_pages(1, 1);
	assert_int_equal(slept_ns, 0);
	path_ns = 6 * MS;
	map_file(2);
	run_work();
	map_file(3);
	pprof_mmap_events_flush(mmap_events);
	assert_pages(2, 2);
	assert_in_range(slept_ns, 6 * MS, 7 * MS);
}

static void work_more(void)
{
	map_file(4);
	assert_true(run_work());
	map_file(5);
}

/* Fails if a flush leaves entries since another cooldown began while it slept. */
static void test_a_flush_in_a_second_cooldown(void **state)
{
	path_ns = 6 * MS;
	map_file(3);
	run_work();
	while_asleep = work_more;
	pprof_mmap_events_flush(mmap_events);
	while_asleep = NULL;
	assert_pages(3, 3);
	map_file(6);
	assert_true(run_work());
	assert_pages(0, 0);	/* the next work item has a cooldown again */
}

/* Fails if the end loses the queued mappings, or leaves a work item. */
static void test_free_flushes(void **state)
{
	map_file(1);
	map_file(2);
	pprof_mmap_events_free(mmap_events);
	mmap_events = NULL;
	assert_null(shim_delayed);
	assert_pages(1, 2);
}

/* Fails if a handler stays in a probe that the kernel keeps, or if that probe is freed. */
static void test_a_probe_that_cannot_be_removed(void **state)
{
	map_file(1);
	cannot_remove = true;
	pprof_mmap_events_free(mmap_events);
	assert_null(probe->pre_handler);
	assert_true(probe->flags & KPROBE_FLAG_DISABLED);
	assert_pages(1, 1);
	free(mmap_events);
	mmap_events = NULL;
	probe = NULL;
}

/* Fails if an error is hidden, if a probe is in no function, or if memory is kept. */
static void test_a_probe_that_cannot_be_set(void **state)
{
	struct pprof_mmap_events *other = NULL;
	struct kprobe *first = probe;

	register_error = -EINVAL;
	assert_int_equal(pprof_mmap_events_new(&sink, &other), -EINVAL);
	register_error = 0;
	enable_error = -EINVAL;
	assert_int_equal(pprof_mmap_events_new(&sink, &other), -ENOMEM);
	assert_null(other);
	probe = first;
}

/* Fails if the check leaves a probe, says no cause, or refuses a kernel that has the function. */
static void test_the_check(void **state)
{
	struct kprobe *first = probe;

	assert_int_equal(pprof_mmap_probe_check(), 0);
	assert_null(probe);
	assert_string_equal(shim_log, "");
	register_error = -ENOENT;
	assert_int_equal(pprof_mmap_probe_check(), -ENOENT);
	assert_string_equal(shim_log, "pprof: this kernel has no function perf_event_mmap that a "
				      "kprobe can be in, which the module needs: error -2\n");
	probe = first;
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_mapping_of_a_file),
		TEST(test_binding),
		TEST(test_lengths_of_names),
		TEST(test_a_path_that_cannot_be_found),
		TEST(test_memory_without_a_file),
		TEST(test_the_order),
		TEST(test_the_queue_goes_round),
		TEST(test_an_overflow),
		TEST(test_a_run_is_bounded),
		TEST(test_a_full_ring),
		TEST(test_other_mappings),
		TEST(test_an_unchecked_target),
		TEST(test_an_undumpable_program),
		TEST(test_an_exec_of_an_undumpable_program),
		TEST(test_the_reader_is_woken),
		TEST(test_a_cooldown),
		TEST(test_debts_are_added),
		TEST(test_time_reduces_a_debt),
		TEST(test_a_trusted_session_has_no_cooldown),
		TEST(test_the_longest_cooldown),
		TEST(test_a_flush),
		TEST(test_a_flush_in_a_second_cooldown),
		TEST(test_free_flushes),
		TEST(test_a_probe_that_cannot_be_removed),
		TEST(test_a_probe_that_cannot_be_set),
		TEST(test_the_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
