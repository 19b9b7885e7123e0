// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/device/end_reason.c collector/aggregate/aggregator.c
// sources: collector/device/ring.c collector/process/processes.c collector/procfs/procfs.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/procfs/maps.c
// sources: collector/aggregate/locations.c collector/aggregate/label_sets.c
// sources: collector/aggregate/named_code.c
// sources: collector/symbol/perf_map.c collector/base/tuple_map.c collector/symbol/kallsyms.c
// sources: collector/base/string_table.c collector/aggregate/profile_types.c
// sources: collector/device/wait_class.c collector/aggregate/stack_values.c
// sources: collector/aggregate/thread_lifetimes.c collector/device/thread_state.c
// sources: collector/process/address_space.c collector/device/sideband.c
// sources: collector/base/regular_file.c collector/aggregate/heap_objects.c
// sources: collector/device/sample_record.c collector/aggregate/truncation.c
// sources: collector/device/shared_frames.c
// sources: collector/procfs/live_thread.c collector/procfs/time_namespace.c
// sources: collector/aggregate/sample_labels.c collector/process/exec_image.c
// sources: collector/procfs/mapped_file.c
// sources: collector/aggregate/source_stacks.c collector/aggregate/stack_locator.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/thread_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
// sources: collector/aggregate/compaction.c
// libs: -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "device/end_reason.h"
#include "fail_alloc.h"
#include "fakering.h"
#include "fakesym.h"
#include "life.h"
#include "aggregate/thread_lifetimes.h"
#include "pprof/profile.h"
#include "aggregate/stack_values.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define NR_RINGS	3	/* the second is absent: its CPU does not exist */

static const struct process one = { 0x40000001, 100 }, two = { 0x40000002, 200 };

struct parts {
	struct mapped_files *files;
	struct processes *processes;
	struct label_sets *labels;
	struct locations *locations;
	struct aggregator *aggregator;
	struct fakering fakes[NR_RINGS];
	struct ring *rings[NR_RINGS];
	pid_t main_pid;
};

/* Shorter waits than 1,000 ns are sampled by their length, and one unlock in five. */
static const uint64_t periods[PPROF_NR_SOURCES] = {
	[PPROF_SOURCE_BLOCK] = 1000, [PPROF_SOURCE_MUTEX] = 5, [PPROF_SOURCE_GROWTH] = 65536,
	[PPROF_SOURCE_HEAP] = 1000,
};

/* The exec id of this process. If it is 0, device_exec_id() finds only the process one. */
static uint64_t own_exec_id;

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	*exec_id = pid == (pid_t)one.pid ? one.exec_id : pid == getpid() ? own_exec_id : 0;
	return *exec_id ? 0 : -ESRCH;
}

/* The last call of show(), and a count of all calls. */
static struct {
	int nr;
	struct pprof_sample sample;
	struct parts *parts;
	uint64_t labels;
	uint64_t leaf;
	uint32_t nr_locations;
	size_t past_bytes;	/* maximum of processes_past_bytes() */
} shown;

static void note_past_bytes(struct parts *p)
{
	size_t past_bytes = processes_past_bytes(p->processes);

	if (past_bytes > shown.past_bytes)
		shown.past_bytes = past_bytes;
}

static int show(void *ctx, const struct pprof_sample *sample, uint64_t labels,
		const uint64_t *locations, uint32_t nr)
{
	shown.labels = labels;
	note_past_bytes(ctx);
	shown.nr++;
	shown.sample = *sample;
	shown.parts = ctx;
	shown.leaf = locations[0];
	shown.nr_locations = nr;
	return 0;
}

static struct aggregator *new_aggregator(struct parts *p, size_t max_stacks)
{
	const struct aggregator_parts parts = {
		.processes = p->processes, .labels = p->labels, .locations = p->locations,
		.show = show, .show_ctx = p, .max_stacks = max_stacks, .periods = periods,
		.live = true,
		.heap = true, .pid = p->main_pid,
	};

	return aggregator_new(&parts);
}

static struct parts *new_parts(unsigned int labels, size_t max_stacks)
{
	struct parts *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	for (int cpu = 0; cpu < NR_RINGS; cpu++)
		fakering_init(&p->fakes[cpu]);
	p->rings[0] = &p->fakes[0].ring;
	p->rings[2] = &p->fakes[2].ring;
	p->files = mapped_files_new();
	p->processes = p->files ? processes_new(p->files, NULL) : NULL;
	p->labels = labels_new(labels);
	p->locations = p->files ? locations_new(p->files) : NULL;
	p->aggregator = new_aggregator(p, max_stacks);
	return p;
}

static void free_parts(struct parts *p)
{
	if (!p)
		return;
	aggregator_free(p->aggregator);
	locations_free(p->locations);
	labels_free(p->labels);
	processes_free(p->processes);
	mapped_files_free(p->files);
	free(p);
}

static int setup(void **state)
{
	*state = new_parts(0, 1000000);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	free_parts(*state);
	return 0;
}

static void *next_on(struct parts *p, int cpu)
{
	void *to = fakering_next(&p->fakes[cpu]);

	assert_non_null(to);
	return to;
}

static void push(struct parts *p, int cpu)
{
	fakering_push(&p->fakes[cpu]);
}

/* A process that executes /bin/app, with its code at 0x400000. */
static void start(struct parts *p, int cpu, uint64_t time_ns, struct process who)
{
	life_exec(next_on(p, cpu), time_ns, who, 1, "app");
	push(p, cpu);
	life_mmap(next_on(p, cpu), time_ns, who, 0x400000, 0x500000, 0, "/bin/app");
	push(p, cpu);
}

static void put_mmap(struct parts *p, int cpu, uint64_t time_ns, struct process who, uint64_t at,
		     const char *name)
{
	life_mmap(next_on(p, cpu), time_ns, who, at, at + 0x1000, 0, name);
	push(p, cpu);
}

#define PUT_SAMPLE(p, cpu, time_ns, who, ...) ({					\
	const uint64_t frames_[] = { __VA_ARGS__ };				\
	struct pprof_sample *sample_ = life_sample(next_on(p, cpu), time_ns, who, frames_, \
						   NR(frames_));		\
	push(p, cpu);								\
	sample_;								\
})

static void drain(struct parts *p)
{
	assert_int_equal(aggregator_drain(p->aggregator, p->rings, NR_RINGS), 0);
	for (int cpu = 0; cpu < NR_RINGS; cpu += 2)
		assert_int_equal(ring_tail(p->rings[cpu]), ring_head(p->rings[cpu]));
}

static void drain_and_flush(struct parts *p)
{
	drain(p);
	assert_int_equal(aggregator_flush(p->aggregator), 0);
}

/* Checks of a location stack. */

static const struct tuple *stack_at(struct parts *p, uint32_t source, size_t id)
{
	const struct tuple_map *stacks = aggregator_stacks(p->aggregator, source);

	assert_true(id < tuple_map_nr(stacks));
	return tuple_map_at(stacks, id);
}

static void assert_address(struct parts *p, const struct tuple *stack, uint32_t frame,
			   uint64_t want)
{
	assert_true(frame < stack->nr_frames);
	assert_int_equal(locations_at(p->locations, stack->frames[frame])->address, want);
}

static void assert_name(struct parts *p, const struct tuple *stack, uint32_t frame,
			const char *want)
{
	assert_true(frame < stack->nr_frames);
	assert_string_equal(locations_at(p->locations, stack->frames[frame])->lines[0].name, want);
}

static const struct aggregator_counts *cpu_counts(struct parts *p)
{
	return aggregator_counts(p->aggregator, PPROF_SOURCE_CPU);
}

static void test_nothing(void **state)
{
	struct parts *p = *state;

	drain_and_flush(p);
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 0);
	assert_int_equal(cpu_counts(p)->consumed, 0);
	aggregator_free(NULL);
}

static void test_samples_are_counted(void **state)
{
	struct parts *p = *state;
	const struct tuple *stack;

	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200, 0x400300);
	PUT_SAMPLE(p, 2, 11, one, 0x400100, 0x400200, 0x400300)->weight = 5;
	PUT_SAMPLE(p, 2, 12, one, 0x400100, 0x400200);
	drain(p);
	PUT_SAMPLE(p, 0, 13, one, 0x400100, 0x400200, 0x400300);
	drain_and_flush(p);
	PUT_SAMPLE(p, 0, 14, one, 0x400100, 0x400200, 0x400300);
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 2);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_THREADCREATE)),
			 0);
	stack = stack_at(p, PPROF_SOURCE_CPU, 0);
	assert_int_equal(stack->count, 8);
	assert_int_equal(stack->tag, 0);
	assert_int_equal(stack->nr_frames, 3);
	/* The leaf is unchanged. A return address becomes that of the call before it. */
	assert_address(p, stack, 0, 0x400100);
	assert_address(p, stack, 1, 0x4001ff);
	assert_address(p, stack, 2, 0x4002ff);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 1)->count, 1);
	assert_int_equal(cpu_counts(p)->consumed, 9);
}

/* Fails if frames are taken from another ring, or if the lack of them is not shown. */
static void test_shared_frames(void **state)
{
	struct parts *p = *state;
	const struct tuple *stack;

	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200, 0x400300);
	drain(p);
	PUT_SAMPLE(p, 0, 11, one, 0x400110)->nr_shared = 2;
	PUT_SAMPLE(p, 2, 12, one, 0x400120)->nr_shared = 2;
	drain_and_flush(p);
	stack = stack_at(p, PPROF_SOURCE_CPU, 1);
	assert_int_equal(stack->nr_frames, 3);
	assert_address(p, stack, 0, 0x400110);
	assert_address(p, stack, 1, 0x4001ff);
	assert_address(p, stack, 2, 0x4002ff);
	stack = stack_at(p, PPROF_SOURCE_CPU, 2);
	assert_address(p, stack, 0, 0x400120);
	assert_name(p, stack, 1, "[truncated: earlier sample lost]");
	assert_int_equal(cpu_counts(p)->truncated[PPROF_END_NOT_SHARED], 1);
	assert_int_equal(cpu_counts(p)->consumed, 3);
}

static void assert_not_shared(struct parts *p, uint64_t nr)
{
	PUT_SAMPLE(p, 0, 12, one, 0x400110)->nr_shared = 2;
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->truncated[PPROF_END_NOT_SHARED], nr);
}

/*
 * Fails if a sample gets frames from before a record that cannot be read. That may have been a
 * sample of the same thread, with other frames. The ring of another CPU is not affected.
 */
static void test_shared_frames_after_damage(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	PUT_SAMPLE(p, 2, 10, one, 0x400100, 0x400200, 0x400300);
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200, 0x400300);
	PUT_SAMPLE(p, 0, 11, one, 0x400100)->nr_frames = PPROF_MAX_FRAMES + 1;
	assert_not_shared(p, 1);
	PUT_SAMPLE(p, 0, 13, one, 0x400100, 0x400200, 0x400300);
	drain(p);
	PUT_SAMPLE(p, 0, 14, one, 0x400100, 0x400200)->ev.rec.size = 0;
	drain(p);
	assert_not_shared(p, 2);
	PUT_SAMPLE(p, 2, 15, one, 0x400120)->nr_shared = 2;
	PUT_SAMPLE(p, 0, 15, one, 0x400100, 0x400200, 0x400300);
	PUT_SAMPLE(p, 0, 16, one, 0x400130)->nr_shared = 2;
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->truncated[PPROF_END_NOT_SHARED], 2);
}

/* A thread is created in a system call, so the leaf is a return address. */
static void test_threadcreate(void **state)
{
	struct parts *p = *state;
	const struct tuple *stack;

	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200)->source = PPROF_SOURCE_THREADCREATE;
	drain_and_flush(p);
	stack = stack_at(p, PPROF_SOURCE_THREADCREATE, 0);
	assert_address(p, stack, 0, 0x4000ff);
	assert_address(p, stack, 1, 0x4001ff);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_THREADCREATE)->consumed, 1);
	assert_int_equal(cpu_counts(p)->consumed, 0);
}

/* A custom sample is in no ring. All its frames are return addresses, and it may have none. */
static void test_custom(void **state)
{
	struct parts *p = *state;
	struct pprof_sample *sample;
	const struct tuple *stack;

	start(p, 0, 1, one);
	drain(p);
	sample = PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200);
	sample->source = PPROF_SOURCE_CUSTOM;
	assert_int_equal(aggregator_take(p->aggregator, sample), 0);
	assert_int_equal(aggregator_take(p->aggregator, sample), 0);
	drain_and_flush(p);
	stack = stack_at(p, PPROF_SOURCE_CUSTOM, 0);
	assert_int_equal(stack->count, 3);	/* with the sample in the ring */
	assert_address(p, stack, 0, 0x4000ff);
	assert_address(p, stack, 1, 0x4001ff);
	sample->nr_frames = 0;
	assert_int_equal(aggregator_take(p->aggregator, sample), 0);
	assert_int_equal(aggregator_flush(p->aggregator), 0);
	assert_name(p, stack_at(p, PPROF_SOURCE_CUSTOM, 1), 0, "lostProfileEvent");
	sample->nr_frames = PPROF_MAX_FRAMES + 1;
	assert_int_equal(aggregator_take(p->aggregator, sample), 0);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_CUSTOM)->consumed, 4);
}

static void assert_values(struct parts *p, uint32_t source, size_t id, double first, double second)
{
	const double *values = stack_values_at(aggregator_values(p->aggregator, source), id);

	assert_true(values[0] == first);
	assert_true(values[1] == second);
}

static void put_wait(struct parts *p, uint64_t ns, uint64_t syscall)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200);

	sample->source = PPROF_SOURCE_BLOCK;
	sample->value = ns;
	sample->arg = syscall;
}

/*
 * A wait of a quarter of the rate stands for four waits, in count and time. The leaf of a page
 * fault is the address of the instruction, and no return address.
 */
static void test_block(void **state)
{
	struct parts *p = *state;
	const struct tuple *stack;
	struct profile_label set[LABELS_MAX];

	start(p, 0, 1, one);
	put_wait(p, 250, SYS_futex);
	put_wait(p, 5000, SYS_futex);
	drain_and_flush(p);
	put_wait(p, 5000, SYS_futex);
	put_wait(p, 0, SYS_futex);
	put_wait(p, 2000, PPROF_NO_SYSCALL);
	drain_and_flush(p);
	stack = stack_at(p, PPROF_SOURCE_BLOCK, 0);
	assert_address(p, stack, 0, 0x4000ff);
	assert_int_equal(stack->count, 4);
	assert_values(p, PPROF_SOURCE_BLOCK, 0, 4 + 1 + 1 + 1, 1000 + 5000 + 5000);
	assert_int_equal(labels_get(p->labels, stack->tag, set), 1);
	assert_string_equal(set[0].key, "class");
	assert_string_equal(set[0].str, "futex");
	stack = stack_at(p, PPROF_SOURCE_BLOCK, 1);
	assert_address(p, stack, 0, 0x400100);
	assert_values(p, PPROF_SOURCE_BLOCK, 1, 1, 2000);
	assert_int_equal(labels_get(p->labels, stack->tag, set), 1);
	assert_string_equal(set[0].str, "io");
}

/* Without a system call in the sample, 32-bit code and an unknown stack are no page fault. */
static void test_block_of_an_unknown_call(void **state)
{
	static const uint16_t ends[] = { PPROF_END_COMPAT, PPROF_END_NO_USER };
	struct pprof_sample *sample;
	struct parts *p = *state;
	struct profile_label set[LABELS_MAX];

	start(p, 0, 1, one);
	for (int i = 0; i < 2; i++) {
		sample = PUT_SAMPLE(p, 0, 10, one, 0x400100);
		sample->source = PPROF_SOURCE_BLOCK;
		sample->value = 5000;
		sample->arg = PPROF_NO_SYSCALL;
		sample->end_reason = ends[i];
	}
	drain_and_flush(p);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(labels_get(p->labels, stack_at(p, PPROF_SOURCE_BLOCK, i)->tag,
					    set), 1);
		assert_string_equal(set[0].str, "other");
	}
}

static void test_mutex(void **state)
{
	struct parts *p = *state;
	struct pprof_sample *sample;

	start(p, 0, 1, one);
	for (int i = 0; i < 2; i++) {
		sample = PUT_SAMPLE(p, 0, 10, one, 0x400100);
		sample->source = PPROF_SOURCE_MUTEX;
		sample->value = 300;
	}
	drain_and_flush(p);
	assert_address(p, stack_at(p, PPROF_SOURCE_MUTEX, 0), 0, 0x4000ff);
	assert_values(p, PPROF_SOURCE_MUTEX, 0, 10, 3000);
	assert_int_equal(stack_at(p, PPROF_SOURCE_MUTEX, 0)->tag, 0);
}

static void put_thread(struct parts *p, int cpu, uint64_t time_ns, uint32_t tid, uint64_t site)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, cpu, time_ns, one, site);

	sample->source = PPROF_SOURCE_THREADCREATE;
	sample->arg = tid;
}

static void put_thread_end(struct parts *p, int cpu, uint64_t time_ns, uint32_t tid)
{
	struct pprof_event *ev = next_on(p, cpu);

	life_end(ev, PPROF_REC_THREAD_END, time_ns, one);
	ev->tid = tid;
	push(p, cpu);
}

static void assert_threads(struct parts *p, size_t id, double nr, double live, double ns)
{
	const double *values =
		stack_values_at(aggregator_values(p->aggregator, PPROF_SOURCE_THREADCREATE), id);

	assert_true(values[LIFETIMES_THREADS] == nr);
	assert_true(values[LIFETIMES_LIVE] == live);
	assert_true(values[LIFETIMES_NS] == ns);
}

/* Ends are read before the creation, in one drain or two, and after a flush. */
static void test_lifetimes(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_thread(p, 0, 10, 7, 0x400100);
	put_thread(p, 0, 20, 8, 0x400100);
	put_thread_end(p, 0, 25, 7);
	put_thread_end(p, 2, 40, 9);
	drain(p);
	put_thread(p, 0, 30, 9, 0x400200);
	put_thread(p, 0, 31, 10, 0x400200);
	drain_and_flush(p);
	assert_threads(p, 0, 2, 1, 15);
	assert_threads(p, 1, 2, 1, 10);
	put_thread_end(p, 2, 50, 10);
	drain(p);
	assert_threads(p, 1, 2, 0, 10 + 19);
	life_end(next_on(p, 0), PPROF_REC_EXIT, 60, one);
	push(p, 0);
	drain_and_flush(p);
	assert_threads(p, 0, 2, 0, 15 + 40);
}

static void put_state(struct parts *p, uint64_t arg)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200);

	sample->source = PPROF_SOURCE_THREAD;
	sample->arg = arg;
}

static uint64_t shown_address(struct parts *p)
{
	return locations_at(p->locations, shown.leaf)->address;
}

/* A waiting thread has no CPU: the sample is from the CPU of the code that read its stack. */
static void test_cpu_of_a_thread(void **state)
{
	static const uint32_t sources[] = { PPROF_SOURCE_THREAD, PPROF_SOURCE_WALL };
	static const struct {
		uint64_t arg;
		bool has_cpu;
	} cases[] = {
		{ SYS_futex, false }, { PPROF_NO_SYSCALL, false }, { PPROF_THREAD_RUNNABLE, false },
		{ PPROF_THREAD_STOPPED, false }, { PPROF_THREAD_RUNNING, true },
	};
	struct parts *p = new_parts(LABELS_WANT_CPU, 1000);

	(void)state;
	start(p, 0, 1, one);
	for (size_t i = 0; i < 2 * NR(cases); i++) {
		struct profile_label set[LABELS_MAX];
		struct pprof_sample *sample = PUT_SAMPLE(p, 2, 10, one, 0x400100 + 16 * i);
		size_t nr;

		sample->source = sources[i % 2];
		sample->arg = cases[i / 2].arg;
		drain_and_flush(p);
		nr = labels_get(p->labels, stack_at(p, sources[i % 2], i / 2)->tag, set);
		assert_int_equal(nr && !strcmp(set[0].key, "cpu"), cases[i / 2].has_cpu);
		if (cases[i / 2].has_cpu)
			assert_string_equal(set[0].str, "2");
	}
	free_parts(p);
}

/* The leaf of a waiting thread is a return address, that of a running one is not. */
static void test_thread(void **state)
{
	struct parts *p = *state;
	const struct tuple *stack;
	struct profile_label set[LABELS_MAX];

	shown.nr = 0;
	start(p, 0, 1, one);
	put_state(p, SYS_futex);
	put_state(p, SYS_futex);
	drain_and_flush(p);
	assert_int_equal(shown.nr, 2);
	assert_int_equal(shown.sample.arg, SYS_futex);
	assert_ptr_equal(shown.parts, p);
	assert_int_equal(shown.nr_locations, 2);
	assert_int_equal(shown_address(p), 0x4000ff);
	put_state(p, PPROF_THREAD_RUNNING);
	drain_and_flush(p);
	assert_int_equal(shown.nr, 3);
	assert_int_equal(shown_address(p), 0x400100);
	stack = stack_at(p, PPROF_SOURCE_THREAD, 0);
	assert_int_equal(stack->count, 2);
	assert_address(p, stack, 0, 0x4000ff);
	assert_int_equal(labels_get(p->labels, stack->tag, set), 1);
	assert_string_equal(set[0].key, "state");
	assert_string_equal(set[0].str, "futex");
	stack = stack_at(p, PPROF_SOURCE_THREAD, 1);
	assert_address(p, stack, 0, 0x400100);
	assert_int_equal(labels_get(p->labels, stack->tag, set), 1);
	assert_string_equal(set[0].str, "running");
}

static void put_touch(struct parts *p, uint64_t weight, uint64_t bytes, uint64_t syscall)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, 0, 10, one, 0x400100);

	sample->source = PPROF_SOURCE_GROWTH;
	sample->weight = weight;
	sample->value = bytes;
	sample->arg = syscall;
}

/* A small page stands for several, a huge one has several samples; the last has no size. */
static void test_growth(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_touch(p, 1, 4096, PPROF_NO_SYSCALL);
	put_touch(p, 32, 2 << 20, PPROF_NO_SYSCALL);
	put_touch(p, 1, 0, SYS_read);
	drain_and_flush(p);
	assert_address(p, stack_at(p, PPROF_SOURCE_GROWTH, 0), 0, 0x400100);
	assert_values(p, PPROF_SOURCE_GROWTH, 0, 16 + 1, 65536 + (2 << 20));
	assert_address(p, stack_at(p, PPROF_SOURCE_GROWTH, 1), 0, 0x4000ff);
	assert_values(p, PPROF_SOURCE_GROWTH, 1, 0, 65536);
	assert_int_equal(cpu_counts(p)->consumed, 0);
}

static void put_object(struct parts *p, int cpu, uint64_t number, uint64_t bytes, uint64_t weight)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, cpu, 10, one, 0x400100);

	sample->source = PPROF_SOURCE_HEAP;
	sample->arg = number;
	sample->value = bytes;
	sample->weight = weight;
}

static void put_free_at(struct parts *p, int cpu, uint64_t time_ns, uint64_t number)
{
	life_free(next_on(p, cpu), time_ns, one, number);
	push(p, cpu);
}

static void put_free(struct parts *p, int cpu, uint64_t number)
{
	put_free_at(p, cpu, 20, number);
}

static void assert_in_use(struct parts *p, double heap_objects, double bytes)
{
	const double *values =
		stack_values_at(aggregator_values(p->aggregator, PPROF_SOURCE_HEAP), 0);

	assert_float_equal(values[2], heap_objects, 0.001);
	assert_float_equal(values[3], bytes, 0.001);
}

/* An object below the period of 1,000 bytes stands for several ones. */
static void test_heap(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_object(p, 0, 1, 100, 1);	/* stands for 10 */
	put_object(p, 0, 2, 500, 2);	/* stands for 4 */
	put_object(p, 0, 3, 1000, 1);
	put_object(p, 0, 4, 50000, 1);
	put_free(p, 0, 1);
	put_free(p, 0, 4);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	/* The sample is from the return of the allocator: the leaf is a return address. */
	assert_address(p, stack_at(p, PPROF_SOURCE_HEAP, 0), 0, 0x4000ff);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 10 + 4 + 2, 1000 + 2000 + 1000 + 50000);
	assert_in_use(p, 4 + 1, 2000 + 1000);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_HEAP)->consumed, 5);
	assert_int_equal(aggregator_nr_events(p->aggregator), 2);
}

/* A function that may throw is sampled at its entry, and its object is not followed. */
static void test_an_object_without_a_number(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_object(p, 0, 0, 1000, 1);
	put_object(p, 0, 0, 3000, 1);
	drain(p);
	assert_int_equal(aggregator_flush(p->aggregator), 0);
	assert_address(p, stack_at(p, PPROF_SOURCE_HEAP, 0), 0, 0x400100);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 2, 4000);
	assert_in_use(p, 0, 0);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_HEAP)->untracked, 2);
	/* An object without a slot in the table of the module is sampled at the return. */
	put_object(p, 0, PPROF_HEAP_UNTRACKED, 5000, 1);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_address(p, stack_at(p, PPROF_SOURCE_HEAP, 1), 0, 0x4000ff);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_HEAP)->untracked, 3);
}

static void test_objects_before_an_exec(void **state)
{
	struct process after = one;
	struct parts *p = *state;

	after.exec_id++;
	start(p, 0, 1, one);
	put_object(p, 0, 1, 1000, 1);
	life_exec(next_on(p, 0), 15, after, one.exec_id, "other");
	push(p, 0);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 1, 1000);
	assert_in_use(p, 0, 0);
}

/* The first ring is read before the last one, and a free may be a drain before its sample. */
static void test_a_free_before_its_sample(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_free(p, 0, 1);
	put_object(p, 2, 1, 1000, 1);
	put_free(p, 0, 2);
	put_object(p, 2, 3, 1000, 1);
	drain(p);
	put_object(p, 2, 2, 1000, 1);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 3, 3000);
	assert_in_use(p, 1, 1000);
}

/* A flush changes the ids of stacks: the objects get the new ids. */
static void test_a_free_after_a_flush(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_object(p, 0, 1, 1000, 1);
	put_object(p, 0, 2, 2000, 1);
	drain_and_flush(p);
	PUT_SAMPLE(p, 0, 11, one, 0x400900)->source = PPROF_SOURCE_HEAP;
	put_object(p, 0, 3, 4000, 1);
	put_free(p, 0, 1);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 3, 7000);
	assert_in_use(p, 2, 6000);
}

static void test_truncated_stacks_have_a_reason(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	for (uint32_t end = 1; end < PPROF_NR_END_REASONS; end++) {
		struct pprof_sample *sample = PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400200);

		sample->end_reason = end;
		sample->weight = end;
	}
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->truncated[PPROF_END_COMPLETE], 0);
	for (uint32_t end = 1; end < PPROF_NR_END_REASONS; end++) {
		const struct tuple *stack = stack_at(p, PPROF_SOURCE_CPU, end - 1);

		assert_int_equal(stack->nr_frames, 3);
		assert_name(p, stack, 2, end_reason_root(end));
		assert_int_equal(cpu_counts(p)->truncated[end], end);
		for (uint32_t other = 0; other < end; other++)
			assert_string_not_equal(end_reason_root(end), end_reason_root(other));
	}
	assert_string_equal(end_reason_root(PPROF_NR_END_REASONS), "[truncated: unknown reason]");
}

static void test_the_file_that_truncates_most(void **state)
{
	struct parts *p = *state;
	uint32_t worst;
	uint64_t count;

	start(p, 0, 1, one);
	put_mmap(p, 0, 2, one, 0x600000, "/lib/worse");
	put_mmap(p, 0, 2, one, 0x700000, "");
	PUT_SAMPLE(p, 0, 10, one, 0x400100)->weight = 100;
	PUT_SAMPLE(p, 0, 10, one, 0x600100, 0x400100)->end_reason = PPROF_END_NO_RULE;
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x600100)->end_reason = PPROF_END_NO_RULE;
	PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x600200)->end_reason = PPROF_END_FAULT;
	PUT_SAMPLE(p, 0, 10, one, 0x700100)->end_reason = PPROF_END_BAD_FRAME;
	PUT_SAMPLE(p, 0, 10, one, 0x700200)->end_reason = PPROF_END_BAD_FRAME;
	PUT_SAMPLE(p, 0, 10, one, 0x700300)->end_reason = PPROF_END_BAD_FRAME;
	PUT_SAMPLE(p, 0, 10, one, 0x900100)->end_reason = PPROF_END_NO_RANGE;
	assert_int_equal(aggregator_worst_file(p->aggregator, PPROF_SOURCE_CPU, &count),
			 MAPPED_FILES_NONE);
	drain_and_flush(p);
	worst = aggregator_worst_file(p->aggregator, PPROF_SOURCE_CPU, &count);
	assert_string_equal(mapped_files_path(p->files, worst), "/lib/worse");
	assert_int_equal(count, 2);
	assert_int_equal(aggregator_worst_file(p->aggregator, PPROF_SOURCE_THREADCREATE, &count),
			 MAPPED_FILES_NONE);
	assert_int_equal(count, 0);
}

static void test_flags_are_counted(void **state)
{
	struct pprof_sample *sample;
	struct parts *p = *state;

	start(p, 0, 1, one);
	sample = PUT_SAMPLE(p, 0, 10, one, 0x400100);
	sample->flags = PPROF_SAMPLE_GUESS;
	sample->weight = 3;
	sample = PUT_SAMPLE(p, 0, 10, one, 0x400100);
	sample->flags = PPROF_SAMPLE_GUESS | PPROF_SAMPLE_STALE;
	sample->weight = 5;
	PUT_SAMPLE(p, 0, 10, one, 0x400100)->flags = 1U << 15;
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->guessed, 8);
	assert_int_equal(cpu_counts(p)->stale, 5);
}

/* Process events of all rings are applied before samples, in the order of time. */
static void test_events_of_all_rings_are_in_order(void **state)
{
	const struct process child = { two.pid, two.exec_id + 1 };
	struct parts *p = *state;

	PUT_SAMPLE(p, 0, 60, child, 0x600000);
	life_exec(next_on(p, 0), 50, child, two.exec_id, "child");
	push(p, 0);
	put_mmap(p, 0, 51, child, 0x600000, "/bin/child");
	put_mmap(p, 0, 40, two, 0x700000, "/lib/of-two");
	PUT_SAMPLE(p, 0, 45, two, 0x400100, 0x700101);
	life_fork(next_on(p, 2), 30, one, two);
	push(p, 2);
	start(p, 2, 20, one);
	drain_and_flush(p);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, "[child]");
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 1), 0, "[app]");
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 1), 1, "[of-two]");
	assert_int_equal(aggregator_nr_events(p->aggregator), 6);
}

static void test_mappings_by_time(void **state)
{
	struct parts *p = *state;

	put_mmap(p, 0, 200, one, 0x700000, "/lib/new");
	put_mmap(p, 2, 100, one, 0x700000, "/lib/old");
	start(p, 2, 1, one);
	PUT_SAMPLE(p, 0, 250, one, 0x700100);
	PUT_SAMPLE(p, 2, 150, one, 0x700100);
	drain_and_flush(p);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, "[new]");
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 1), 0, "[old]");
}

static void assert_exe(struct parts *p, const char *path)
{
	int64_t exe = aggregator_exe_mapping(p->aggregator);

	assert_true(exe >= 0);
	assert_string_equal(mapped_files_path(p->files,
					      locations_mapping_at(p->locations, exe)->file), path);
}

/* The program of the pid wins, although a child with another program has a sample before. */
static void test_the_executable_of_the_pid(void **state)
{
	struct parts *p = *state;
	const struct process child = { two.pid, 300 };

	aggregator_free(p->aggregator);
	p->main_pid = one.pid;
	p->aggregator = new_aggregator(p, 1000);
	life_exec(next_on(p, 0), 1, child, 1, "child");
	push(p, 0);
	put_mmap(p, 0, 2, child, 0x500000, "/bin/child");
	PUT_SAMPLE(p, 0, 10, child, 0x500100);
	drain_and_flush(p);
	assert_exe(p, "/bin/child");
	start(p, 0, 11, one);
	PUT_SAMPLE(p, 0, 20, one, 0x400100);
	drain_and_flush(p);
	assert_exe(p, "/bin/app");
	PUT_SAMPLE(p, 0, 21, child, 0x500200);
	drain_and_flush(p);
	assert_exe(p, "/bin/app");
}

/* Numbers of epochs are reused, so raw stacks are flushed before that. */
static void test_many_processes(void **state)
{
	struct parts *p = *state;
	struct process who = one;

	for (uint32_t i = 0; i < 1000; i++) {
		who.pid++;
		start(p, 0, 10 * i, who);
		PUT_SAMPLE(p, 2, 10 * i + 5, who, 0x400000 + i % 3);
		life_end(next_on(p, 0), PPROF_REC_EXIT, 10 * i + 6, who);
		push(p, 0);
		if (i % 100 == 99)
			drain(p);
	}
	assert_true(processes_nr_dead(p->processes) <= 256);
	drain_and_flush(p);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 3);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 334);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 2)->count, 333);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 2), 0, "[app]");
}

static void assert_file(struct parts *p, const struct tuple *stack, const char *want)
{
	uint32_t file = locations_file(p->locations, stack->frames[0]);

	assert_string_equal(mapped_files_path(p->files, file), want);
}

/* Two stacks at one address, one in each file. */
static void assert_plugins(struct parts *p, uint64_t count)
{
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_THREAD)), 2);
	assert_file(p, stack_at(p, PPROF_SOURCE_THREAD, 0), "/lib/a");
	assert_file(p, stack_at(p, PPROF_SOURCE_THREAD, 1), "/lib/b");
	assert_int_equal(stack_at(p, PPROF_SOURCE_THREAD, 0)->count, count);
	assert_int_equal(stack_at(p, PPROF_SOURCE_THREAD, 1)->count, count);
}

static void put_plugin(struct parts *p, uint32_t i)
{
	put_mmap(p, 0, 10 + 2 * i, one, 0x10000000, i % 2 ? "/lib/b" : "/lib/a");
	PUT_SAMPLE(p, 2, 11 + 2 * i, one, 0x10000100)->source = PPROF_SOURCE_THREAD;
}

/*
 * Each replaced mapping costs a copy of 4,000 mappings: 500 of them in one drain would take 65 MB.
 * Each sample still gets the mapping of its time.
 */
static void test_many_remaps_among_many_mappings(void **state)
{
	struct parts *p = *state;

	for (uint32_t i = 0; i < 4000; i++) {
		put_mmap(p, 0, 2, one, 0x10000000 + i * 0x2000, "/lib/x");
		if (i % 500 == 499)
			drain(p);
	}
	shown.past_bytes = 0;
	for (uint32_t i = 0; i < 500; i++)
		put_plugin(p, i);
	drain(p);
	assert_in_range(shown.past_bytes, 1 << 20, 33 << 20);
	drain_and_flush(p);
	assert_int_equal(processes_past_bytes(p->processes), 0);
	assert_plugins(p, 250);
}

/* As in a run of hours: the memory of old epochs stays below a limit. */
static void test_many_drains_of_remaps(void **state)
{
	struct parts *p = *state;

	shown.past_bytes = 0;
	for (uint32_t i = 0; i < 100000; i++) {
		put_plugin(p, i);
		if (i % 500 != 499)
			continue;
		drain(p);
		assert_true(processes_past_bytes(p->processes) <= 32 << 20);
	}
	assert_true(shown.past_bytes > 16 << 20);
	drain_and_flush(p);
	assert_plugins(p, 50000);
}

/* More distinct raw stacks than the limit. Each comes twice, with many stacks between. */
static void test_many_stacks(void **state)
{
	struct parts *p = *state;
	const uint32_t nr = 40000;

	start(p, 0, 1, one);
	/* Events come first: the process has ended before its samples are read. */
	life_end(next_on(p, 2), PPROF_REC_EXIT, 2, one);
	push(p, 2);
	for (uint32_t i = 0; i < 2 * nr; i++) {
		PUT_SAMPLE(p, 2, 10, one, 0x400000 + i % nr, 0x400001);
		if (p->fakes[2].head.head - p->fakes[2].tail.tail > FAKERING_BYTES / 2)
			drain(p);
	}
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, i)->count, 2);
		assert_address(p, stack_at(p, PPROF_SOURCE_CPU, i), 0, 0x400000 + i);
	}
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, nr - 1), 0, "[app]");
}

static void test_max_stacks(void **state)
{
	struct parts *p = new_parts(0, 3);

	(void)state;
	start(p, 0, 1, one);
	for (uint32_t i = 0; i < 10; i++)
		PUT_SAMPLE(p, 0, 10, one, 0x400000 + i % 5)->weight = 10;
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 3);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 2)->count, 20);
	assert_int_equal(cpu_counts(p)->over_max, 40);
	assert_int_equal(cpu_counts(p)->consumed, 100);
	free_parts(p);
}

/* The total is the same as without a limit, also after more drains. */
static void test_values_over_max(void **state)
{
	struct parts *p = new_parts(0, 1);
	const double *over;

	(void)state;
	start(p, 0, 1, one);
	for (uint32_t i = 0; i < 6; i++) {
		struct pprof_sample *sample = PUT_SAMPLE(p, 0, 10, one, 0x400100 + i % 3);

		sample->source = PPROF_SOURCE_MUTEX;
		sample->value = 300;
		if (i % 2)
			drain_and_flush(p);
	}
	over = aggregator_over_values(p->aggregator, PPROF_SOURCE_MUTEX);
	assert_non_null(over);
	assert_true(over[0] == 20);
	assert_true(over[1] == 6000);
	assert_values(p, PPROF_SOURCE_MUTEX, 0, 10, 3000);
	assert_int_equal(aggregator_counts(p->aggregator, PPROF_SOURCE_MUTEX)->over_max, 4);
	assert_null(aggregator_over_values(p->aggregator, PPROF_SOURCE_CPU));
	assert_null(aggregator_over_values(p->aggregator, PPROF_SOURCE_GROWTH));
	free_parts(p);
}

/* The end of a thread also counts if its stack is over the limit. */
static void test_threads_over_max(void **state)
{
	struct parts *p = new_parts(0, 1);
	const double *over;

	(void)state;
	start(p, 0, 1, one);
	for (uint32_t tid = 1; tid <= 3; tid++)
		put_thread(p, 0, 10, tid, 0x400100 + tid);
	drain_and_flush(p);
	put_thread_end(p, 0, 30, 2);
	drain_and_flush(p);
	over = aggregator_over_values(p->aggregator, PPROF_SOURCE_THREADCREATE);
	assert_non_null(over);
	assert_true(over[LIFETIMES_THREADS] == 2);
	assert_true(over[LIFETIMES_LIVE] == 1);
	assert_true(over[LIFETIMES_NS] == 20);
	free_parts(p);
}

static void test_ignored_exec_id(void **state)
{
	struct parts *p = *state;

	aggregator_ignore_exec_id(p->aggregator, two.exec_id);
	PUT_SAMPLE(p, 0, 10, one, 0x400100);
	PUT_SAMPLE(p, 0, 11, two, 0x400100)->weight = 7;
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 1);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 1);
	assert_int_equal(cpu_counts(p)->ignored, 7);
	assert_int_equal(cpu_counts(p)->consumed, 8);
}

static void put_of(struct parts *p, uint64_t time_ns, uint32_t source, uint64_t weight)
{
	struct pprof_sample *sample = PUT_SAMPLE(p, 0, time_ns, one, 0x400100);

	sample->source = source;
	sample->weight = weight;
}

/* The sources start one after the other: samples before the start of the run are ignored. */
static void test_samples_of_before_the_begin(void **state)
{
	struct parts *p = *state;

	aggregator_begin(p->aggregator, 50);
	start(p, 0, 1, one);
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		put_of(p, 49, source, 3);
	put_of(p, 50, PPROF_SOURCE_CPU, 2);
	drain_and_flush(p);
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		bool counts = source == PPROF_SOURCE_WALL || source == PPROF_SOURCE_THREAD ||
			      source == PPROF_SOURCE_CUSTOM;

		assert_int_equal(aggregator_counts(p->aggregator, source)->ignored, counts ? 0 : 3);
	}
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 2);
	assert_string_equal(processes_comm(p->processes, 0), "app");
}

/* Samples that were read before aggregator_end() stay counted. */
static void test_samples_of_after_the_end(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_of(p, 101, PPROF_SOURCE_CPU, 1);
	drain(p);
	aggregator_end(p->aggregator, 100);
	put_of(p, 100, PPROF_SOURCE_CPU, 2);
	put_of(p, 101, PPROF_SOURCE_CPU, 4);
	put_of(p, 99, PPROF_SOURCE_CPU, 8);
	drain_and_flush(p);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 1 + 2 + 8);
	assert_int_equal(cpu_counts(p)->consumed - cpu_counts(p)->ignored, 1 + 2 + 8);
	assert_int_equal(cpu_counts(p)->ignored, 4);
}

/* Samples of wall may come late. Those of thread and custom are requested at the end. */
static void test_sources_that_report_after_the_end(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	aggregator_end(p->aggregator, 100);
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		put_of(p, 101, source, 3);
	drain_and_flush(p);
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		bool counts = source == PPROF_SOURCE_WALL || source == PPROF_SOURCE_THREAD ||
			      source == PPROF_SOURCE_CUSTOM;

		assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, source)), counts);
		assert_int_equal(aggregator_counts(p->aggregator, source)->ignored, counts ? 0 : 3);
	}
}

static void test_frees_of_after_the_end(void **state)
{
	struct process after = one;
	struct parts *p = *state;

	after.exec_id++;
	start(p, 0, 1, one);
	for (uint64_t number = 1; number <= 4; number++)
		put_object(p, 0, number, 1000, 1);
	aggregator_end(p->aggregator, 100);
	put_free_at(p, 0, 100, 1);
	put_free_at(p, 0, 101, 2);
	life_exec(next_on(p, 0), 102, after, one.exec_id, "other");
	push(p, 0);
	drain(p);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_in_use(p, 3, 3000);
	assert_int_equal(aggregator_nr_execs(p->aggregator), 1);	/* not the late one */
}

static void test_threads_that_end_after_the_end(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	for (uint32_t tid = 7; tid <= 9; tid++)
		put_thread(p, 0, 10, tid, 0x400100);
	aggregator_end(p->aggregator, 100);
	put_thread_end(p, 2, 100, 7);
	put_thread_end(p, 2, 101, 8);
	put_thread(p, 0, 102, 8, 0x400100);	/* another thread with this tid */
	life_end(next_on(p, 0), PPROF_REC_EXIT, 103, one);
	push(p, 0);
	drain_and_flush(p);
	assert_threads(p, 0, 3, 2, 90);
}

/* A late sample of wall may belong to a program that was executed after the end. */
static void test_mappings_of_after_the_end(void **state)
{
	struct parts *p = *state;

	aggregator_end(p->aggregator, 100);
	start(p, 0, 101, one);
	put_of(p, 102, PPROF_SOURCE_WALL, 1);
	drain_and_flush(p);
	assert_name(p, stack_at(p, PPROF_SOURCE_WALL, 0), 0, "[app]");
}

/* A malformed sample is skipped, and the next record is read. */
/* Reads the rings, and returns how much was read. Records from the cut on stay in their rings. */
static uint64_t drain_window(struct parts *p)
{
	assert_int_equal(aggregator_drain(p->aggregator, p->rings, NR_RINGS), 0);
	assert_int_equal(aggregator_flush(p->aggregator), 0);
	return cpu_counts(p)->consumed;
}

/* Each sample is in the window of its time, whatever the rings hold when they are read. */
static void test_a_cut(void **state)
{
	struct parts *p = *state;

	aggregator_begin(p->aggregator, 5);
	aggregator_cut(p->aggregator, 100);
	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 0x400100);
	PUT_SAMPLE(p, 0, 99, one, 0x400100);
	PUT_SAMPLE(p, 0, 100, one, 0x400100)->weight = 10;
	PUT_SAMPLE(p, 2, 100, one, 0x400200)->weight = 20;
	assert_int_equal(drain_window(p), 2);
	PUT_SAMPLE(p, 2, 101, one, 0x400200)->weight = 40;
	assert_int_equal(drain_window(p), 2);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 1);
	aggregator_reset(p->aggregator);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 0);
	aggregator_cut(p->aggregator, 200);
	assert_int_equal(drain_window(p), 70);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 2);
	/* The location is that of the first window: it need not be named again. */
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->frames[0], 0);
	assert_address(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, 0x400100);
	aggregator_reset(p->aggregator);
	aggregator_cut(p->aggregator, UINT64_MAX);
	PUT_SAMPLE(p, 0, 1000, one, 0x400100);
	assert_int_equal(drain_window(p), 1);
	assert_int_equal(aggregator_total(p->aggregator, PPROF_SOURCE_CPU).consumed, 73);
	assert_int_equal(cpu_counts(p)->ignored, 0);
}

/* A record behind a younger one, and one that came after the cut's drain, count a window later. */
static void test_late_records(void **state)
{
	struct parts *p = *state;

	aggregator_cut(p->aggregator, 100);
	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 100, one, 0x400100);
	PUT_SAMPLE(p, 0, 99, one, 0x400100);
	assert_int_equal(drain_window(p), 0);
	aggregator_reset(p->aggregator);
	aggregator_cut(p->aggregator, 200);
	PUT_SAMPLE(p, 2, 98, one, 0x400100);
	assert_int_equal(drain_window(p), 3);
	assert_int_equal(cpu_counts(p)->ignored, 0);
}

/*
 * Events wait with the samples behind them, and are applied once. The process ends after the cut,
 * and its samples of both windows have its mappings.
 */
static void test_events_at_a_cut(void **state)
{
	struct parts *p = *state;

	aggregator_cut(p->aggregator, 100);
	start(p, 0, 1, one);
	PUT_SAMPLE(p, 2, 50, one, 0x400100);
	PUT_SAMPLE(p, 2, 150, one, 0x400200);
	start(p, 0, 110, two);
	life_end(next_on(p, 0), PPROF_REC_EXIT, 160, one);
	push(p, 0);
	assert_int_equal(drain_window(p), 1);
	assert_int_equal(aggregator_nr_execs(p->aggregator), 1);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_address(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, 0x400100);
	aggregator_reset(p->aggregator);
	aggregator_cut(p->aggregator, 200);
	assert_int_equal(drain_window(p), 1);
	assert_int_equal(aggregator_nr_execs(p->aggregator), 2);
	assert_address(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, 0x400200);
	assert_int_equal(locations_nr_mappings(p->locations), 1);
}

/* Allocations are of their window. Memory stays in use over windows, until it is freed. */
static void test_heap_over_windows(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_object(p, 0, 1, 5000, 1);
	put_object(p, 0, 2, 7000, 1);
	drain_window(p);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 2, 12000);
	aggregator_reset(p->aggregator);
	put_object(p, 0, 3, 2000, 1);
	put_free(p, 0, 1);
	drain_window(p);
	assert_values(p, PPROF_SOURCE_HEAP, 0, 1, 2000);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_in_use(p, 2, 9000);
}

/* Counts 250 stacks of a new process, and an object that is never freed. */
static void run_window(struct parts *p, uint32_t n)
{
	struct process who = { 1000 + n, 0x50000000 + n };

	start(p, 0, 10 * n + 1, who);
	for (uint32_t i = 0; i < 250; i++) {
		PUT_SAMPLE(p, 0, 10 * n + 2, who, 0x400000 + 250 * n + i, 0x4fff01);
		if (i % 100 == 99)
			drain(p);
	}
	put_object(p, 0, n, 1000, 1);
	life_end(next_on(p, 2), PPROF_REC_EXIT, 10 * n + 3, who);
	push(p, 2);
	drain_and_flush(p);
	assert_int_equal(aggregator_compact(p->aggregator, false), 0);
}

/* Processes come and go. What only earlier windows needed is removed, and nothing else. */
static void test_many_windows(void **state)
{
	struct parts *p = new_parts(LABELS_WANT_PID, 1000000);
	const uint32_t nr = 400;
	struct profile_label label[LABELS_MAX];
	size_t most_locations = 0, most_labels = 0;

	(void)state;
	start(p, 0, 1, one);
	for (uint32_t n = 1; n <= nr; n++) {
		run_window(p, n);
		assert_int_equal(cpu_counts(p)->consumed, 250);
		if (locations_nr(p->locations) > most_locations)
			most_locations = locations_nr(p->locations);
		if (labels_nr(p->labels) > most_labels)
			most_labels = labels_nr(p->labels);
		for (uint32_t i = 0; i < 250; i += 83)
			assert_address(p, stack_at(p, PPROF_SOURCE_CPU, i), 0,
				       0x400000 + 250 * n + i);
		assert_address(p, stack_at(p, PPROF_SOURCE_CPU, 249), 1, 0x4fff00);
		labels_get(p->labels, stack_at(p, PPROF_SOURCE_CPU, 0)->tag, label);
		assert_int_equal(label[0].num, 1000 + n);
		if (n < nr)
			aggregator_reset(p->aggregator);
	}
	/* 100,000 locations were there in all, and a label set a window. */
	assert_true(most_locations < 16384 + 250);
	assert_true(most_labels < nr / 2);
	assert_int_equal(processes_nr_dead(p->processes), 0);
	assert_int_equal(aggregator_finish(p->aggregator), 0);
	assert_in_use(p, nr, 1000.0 * nr);
	assert_address(p, stack_at(p, PPROF_SOURCE_HEAP, 0), 0, 0x4000ff);
	free_parts(p);
}

static void test_malformed_samples(void **state)
{
	struct parts *p = *state;
	struct pprof_sample *sample;

	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 1, 2)->nr_frames = 3;
	PUT_SAMPLE(p, 0, 10, one, 1, 2)->nr_frames = UINT16_MAX;
	PUT_SAMPLE(p, 0, 10, one, 1, 2)->source = PPROF_NR_SOURCES;
	sample = life_sample(next_on(p, 0), 10, one, NULL, 0);
	sample->ev.rec.size = sizeof(*sample) - 8;
	push(p, 0);
	sample = next_on(p, 0);
	memset(sample, 0, FAKERING_ROOM);
	life_sample(sample, 10, one, NULL, 0)->nr_frames = PPROF_MAX_FRAMES + 1;
	sample->ev.rec.size += (PPROF_MAX_FRAMES + 1) * 8;
	push(p, 0);
	PUT_SAMPLE(p, 0, 10, one, 0x400100);
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 1);
	assert_int_equal(cpu_counts(p)->consumed, 1);
}

/* Puts a sample with frames that are all addresses of nothing. */
static void put_with_kernel(struct parts *p, uint32_t nr_kernel, uint32_t nr_frames)
{
	uint64_t frames[FAKERING_ROOM / sizeof(uint64_t)] = { 0x400100 };

	life_sample(next_on(p, 0), 10, one, frames, nr_frames)->nr_kernel = nr_kernel;
	push(p, 0);
}

/* Fails if one of the three bounds is missing, or if a sample at a bound is dropped. */
static void test_bounds_of_kernel_frames(void **state)
{
	const uint32_t most = PPROF_MAX_KERNEL_FRAMES + PPROF_MAX_FRAMES;
	struct parts *p = *state;

	start(p, 0, 1, one);
	put_with_kernel(p, 2, 1);
	put_with_kernel(p, PPROF_MAX_KERNEL_FRAMES + 1, PPROF_MAX_KERNEL_FRAMES + 1);
	put_with_kernel(p, UINT8_MAX, most);
	put_with_kernel(p, 1, PPROF_MAX_FRAMES + 2);
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->consumed, 0);
	put_with_kernel(p, PPROF_MAX_KERNEL_FRAMES, most);
	put_with_kernel(p, 1, 1);
	drain_and_flush(p);
	assert_int_equal(cpu_counts(p)->consumed, 2);
}

/* Fails if stacks are one that differ in where the kernel ends, or if equal ones are two. */
static void test_kernel_frames(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	for (int i = 0; i < 4; i++) {
		PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400100, 0x400100)->nr_kernel = i;
		PUT_SAMPLE(p, 0, 10, one, 0x400100, 0x400100, 0x400100)->nr_kernel = i;
	}
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 4);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 1)->count, 2);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 1), 0, "[unknown]");
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 1), 1, "[app]");
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 3), 3, "lostProfileEvent");
}

/* Fails if a dump of threads shows the kernel's part, or if a truncation is charged to it. */
static void test_where_kernel_frames_do_not_count(void **state)
{
	struct parts *p = *state;
	struct pprof_sample *sample;
	uint64_t nr;

	start(p, 0, 1, one);
	sample = PUT_SAMPLE(p, 0, 10, one, 0x500000, 0x400100, 0x400200);
	sample->source = PPROF_SOURCE_THREADCREATE;
	sample->nr_kernel = 1;
	sample->end_reason = PPROF_END_FAULT;
	shown.nr = 0;
	drain_and_flush(p);
	assert_int_equal(shown.nr, 1);
	assert_int_equal(shown.nr_locations, 3);
	assert_int_equal(shown_address(p), 0x4000ff);
	assert_int_not_equal(aggregator_worst_file(p->aggregator, PPROF_SOURCE_THREADCREATE, &nr),
			     MAPPED_FILES_NONE);
	sample = PUT_SAMPLE(p, 0, 10, one, 0x500000);
	sample->nr_kernel = 1;
	sample->end_reason = PPROF_END_NO_USER;
	drain_and_flush(p);
	assert_int_equal(aggregator_worst_file(p->aggregator, PPROF_SOURCE_CPU, &nr),
			 MAPPED_FILES_NONE);
}

static void test_deepest_stack(void **state)
{
	uint64_t frames[PPROF_MAX_FRAMES];
	struct parts *p = *state;

	for (uint32_t i = 0; i < PPROF_MAX_FRAMES; i++)
		frames[i] = 0x400000 + 16 * i;
	start(p, 0, 1, one);
	life_sample(next_on(p, 0), 10, one, frames, PPROF_MAX_FRAMES)->end_reason = PPROF_END_DEPTH;
	push(p, 0);
	drain_and_flush(p);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->nr_frames, PPROF_MAX_FRAMES + 1);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 0), PPROF_MAX_FRAMES,
		    end_reason_root(PPROF_END_DEPTH));
}

static void test_labels(void **state)
{
	struct parts *p = new_parts(LABELS_WANT_PID | LABELS_WANT_TID | LABELS_WANT_CPU |
				    LABELS_WANT_THREAD | LABELS_WANT_COMM, 100);
	struct profile_label set[LABELS_MAX];

	(void)state;
	start(p, 0, 1, one);
	PUT_SAMPLE(p, 0, 10, one, 0x400100);
	PUT_SAMPLE(p, 2, 10, one, 0x400100)->ev.tid = 77;
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 2);
	assert_int_equal(labels_get(p->labels, stack_at(p, PPROF_SOURCE_CPU, 1)->tag, set), 5);
	assert_int_equal(set[0].num, one.pid);
	assert_int_equal(set[1].num, 77);
	assert_string_equal(set[2].str, "2");
	assert_string_equal(set[3].str, "thread");
	assert_string_equal(set[4].str, "app");
	free_parts(p);
}

/* Adds a sample with a label set. The record has nr_bytes of its text. */
static struct pprof_sample *put_labelled(struct parts *p, int cpu, uint64_t set, const char *text,
					 uint32_t nr_bytes)
{
	struct pprof_sample *sample = next_on(p, cpu);
	struct pprof_sample_labels *labels = (void *)&sample->frames[1];
	uint32_t padded = (nr_bytes + 7) & ~7U;

	memset(sample, 0, sizeof(*sample) + 8 + sizeof(*labels) + padded);
	life_event(&sample->ev, PPROF_REC_SAMPLE, 10, one,
		   sizeof(*sample) + 8 + sizeof(*labels) + padded);
	sample->weight = 1;
	sample->nr_frames = 1;
	sample->frames[0] = 0x400100;
	sample->flags = PPROF_SAMPLE_LABELS;
	*labels = (struct pprof_sample_labels) { .set = set, .bytes = nr_bytes };
	if (nr_bytes)
		memcpy(labels->text, text, nr_bytes);
	push(p, cpu);
	return sample;
}

static struct pprof_sample_labels *labels_of(struct pprof_sample *sample)
{
	return (void *)&sample->frames[1];
}

static void test_own_labels(void **state)
{
	struct parts *p = *state;
	struct profile_label set[LABELS_MAX];

	start(p, 0, 1, one);
	put_labelled(p, 0, 7, "role\0reader", 12);
	put_labelled(p, 0, 7, NULL, 0);
	put_labelled(p, 2, 8, "role\0reader", 12);
	put_labelled(p, 2, 9, NULL, 0);		/* its text never comes */
	PUT_SAMPLE(p, 0, 10, one, 0x400100);
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 2);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 3);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 1)->count, 2);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 1)->tag, 0);
	assert_int_equal(labels_get(p->labels, stack_at(p, PPROF_SOURCE_CPU, 0)->tag, set), 1);
	assert_string_equal(set[0].key, "role");
	assert_string_equal(set[0].str, "reader");
	put_labelled(p, 0, 7, NULL, 0)->source = PPROF_SOURCE_THREAD;
	drain_and_flush(p);
	assert_int_equal(labels_get_own(p->labels, shown.labels, set), 1);
}

/* The text of a set comes once, with the first sample, which may be an ignored one. */
static void test_own_labels_of_after_the_end(void **state)
{
	struct profile_label set[LABELS_MAX];
	struct parts *p = *state;

	start(p, 0, 1, one);
	aggregator_end(p->aggregator, 5);
	put_labelled(p, 0, 7, "role\0reader", 12);
	put_labelled(p, 0, 7, NULL, 0)->source = PPROF_SOURCE_WALL;
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 0);
	assert_int_equal(labels_get(p->labels, stack_at(p, PPROF_SOURCE_WALL, 0)->tag, set), 1);
	assert_string_equal(set[0].str, "reader");
}

/* If the labels are longer than the record, there are none, and the sample counts. */
static void test_insane_labels(void **state)
{
	struct parts *p = *state;
	struct pprof_sample *sample;

	start(p, 0, 1, one);
	labels_of(put_labelled(p, 0, 7, "k\0v\0k\0v", 8))->bytes = 9;
	labels_of(put_labelled(p, 0, 7, "k\0v\0k\0v", 8))->bytes = -1;
	sample = next_on(p, 0);
	memset(sample, 0, sizeof(*sample) + 8 + sizeof(struct pprof_sample_labels));
	life_event(&sample->ev, PPROF_REC_SAMPLE, 10, one, sizeof(*sample) + 16);
	sample->weight = 1;
	sample->nr_frames = 1;
	sample->frames[0] = 0x400100;
	sample->flags = PPROF_SAMPLE_LABELS;
	push(p, 0);
	drain_and_flush(p);
	assert_int_equal(tuple_map_nr(aggregator_stacks(p->aggregator, PPROF_SOURCE_CPU)), 1);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->count, 3);
	assert_int_equal(stack_at(p, PPROF_SOURCE_CPU, 0)->tag, 0);
}

static void test_dropped(void **state)
{
	struct parts *p = *state;

	start(p, 0, 1, one);
	life_end(next_on(p, 0), PPROF_REC_DROP, 5, one);
	push(p, 0);
	life_end(next_on(p, 0), PPROF_REC_EXIT, 6, two);
	push(p, 0);
	life_event(next_on(p, 0), 99, 7, two, 32);
	push(p, 0);
	drain_and_flush(p);
	assert_int_equal(aggregator_nr_dropped(p->aggregator), 1);
	assert_int_equal(aggregator_nr_events(p->aggregator), 5);
}

/* Returns the first error of a drain and a flush. */
static int drain_and_flush_once(struct parts *p)
{
	int err = aggregator_drain(p->aggregator, p->rings, NR_RINGS);

	return err ? err : aggregator_flush(p->aggregator);
}

static void fill_rings(struct parts *p)
{
	start(p, 0, 1, one);
	for (uint32_t i = 0; i < 40; i++) {
		put_mmap(p, 2, i + 2, one, 0x600000 + 0x1000 * i, i % 2 ? "/lib/a" : "");
		PUT_SAMPLE(p, 0, 10, one, 0x400000 + i, 0x500000 + i, i)->end_reason =
			i % PPROF_NR_END_REASONS;
	}
}

static void test_every_allocation_may_fail(void **state)
{
	int nr_failures = 0, err = -ENOMEM;

	(void)state;
	for (long n = 0; err; n++) {
		struct parts *p = new_parts(LABELS_WANT_TID, 100);

		fill_rings(p);
		aggregator_free(p->aggregator);
		allocations_left = n;
		errno = 0;
		p->aggregator = new_aggregator(p, 100);
		assert_true(p->aggregator || errno == ENOMEM);
		err = p->aggregator ? drain_and_flush_once(p) : -ENOMEM;
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		nr_failures += err < 0;
		free_parts(p);
	}
	assert_true(nr_failures > 20);
}

/* A failed allocation does not count as a stack over the limit. */
static void test_any_allocation_may_fail(void **state)
{
	bool failed = true;

	(void)state;
	fails_once = true;
	for (long n = 0; failed; n++) {
		struct parts *p = new_parts(LABELS_WANT_TID, 100);
		int err;

		fill_rings(p);
		allocations_left = n;
		err = drain_and_flush_once(p);
		failed = allocations_left < 0;
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		if (!err)
			assert_int_equal(aggregator_counts(p->aggregator, 0)->over_max, 0);
		free_parts(p);
	}
	fails_once = false;
}

/* The perf map appears after the code and the samples. */
static void test_perfmap(void **state)
{
	const struct process self = { getpid(), 7 };
	struct parts *p = *state;
	char path[32];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	start(p, 0, 1, self);
	put_mmap(p, 0, 2, self, 0x900000, "");
	PUT_SAMPLE(p, 0, 3, self, 0x900010);
	own_exec_id = self.exec_id;
	drain(p);
	map = fopen(path, "w");
	assert_non_null(map);
	fputs("900000 20 late\n", map);
	fclose(map);
	usleep(150000);
	assert_int_equal(aggregator_flush(p->aggregator), 0);
	own_exec_id = 0;
	unlink(path);
	assert_name(p, stack_at(p, PPROF_SOURCE_CPU, 0), 0, "late");
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
	WITH_SETUP(test_nothing),
	WITH_SETUP(test_samples_are_counted),
	WITH_SETUP(test_shared_frames),
	WITH_SETUP(test_shared_frames_after_damage),
	WITH_SETUP(test_threadcreate),
	WITH_SETUP(test_block),
	WITH_SETUP(test_block_of_an_unknown_call),
	WITH_SETUP(test_mutex),
	WITH_SETUP(test_lifetimes),
	WITH_SETUP(test_growth),
	WITH_SETUP(test_thread),
	WITH_SETUP(test_cpu_of_a_thread),
	WITH_SETUP(test_heap),
	WITH_SETUP(test_an_object_without_a_number),
	WITH_SETUP(test_objects_before_an_exec),
	WITH_SETUP(test_a_free_before_its_sample),
	WITH_SETUP(test_a_free_after_a_flush),
	WITH_SETUP(test_truncated_stacks_have_a_reason),
	WITH_SETUP(test_the_file_that_truncates_most),
	WITH_SETUP(test_flags_are_counted),
	WITH_SETUP(test_custom),
	WITH_SETUP(test_events_of_all_rings_are_in_order),
	WITH_SETUP(test_mappings_by_time),
	WITH_SETUP(test_the_executable_of_the_pid),
	WITH_SETUP(test_many_processes),
	WITH_SETUP(test_many_remaps_among_many_mappings),
	WITH_SETUP(test_many_drains_of_remaps),
	WITH_SETUP(test_many_stacks),
	cmocka_unit_test(test_max_stacks),
	cmocka_unit_test(test_values_over_max),
	cmocka_unit_test(test_threads_over_max),
	WITH_SETUP(test_ignored_exec_id),
	WITH_SETUP(test_samples_of_before_the_begin),
	WITH_SETUP(test_samples_of_after_the_end),
	WITH_SETUP(test_sources_that_report_after_the_end),
	WITH_SETUP(test_frees_of_after_the_end),
	WITH_SETUP(test_threads_that_end_after_the_end),
	WITH_SETUP(test_mappings_of_after_the_end),
	WITH_SETUP(test_a_cut),
	WITH_SETUP(test_late_records),
	WITH_SETUP(test_events_at_a_cut),
	WITH_SETUP(test_heap_over_windows),
	cmocka_unit_test(test_many_windows),
	WITH_SETUP(test_malformed_samples),
	WITH_SETUP(test_bounds_of_kernel_frames),
	WITH_SETUP(test_kernel_frames),
	WITH_SETUP(test_where_kernel_frames_do_not_count),
	WITH_SETUP(test_deepest_stack),
	cmocka_unit_test(test_labels),
	cmocka_unit_test_setup_teardown(test_own_labels, setup, teardown),
	WITH_SETUP(test_own_labels_of_after_the_end),
	cmocka_unit_test_setup_teardown(test_insane_labels, setup, teardown),
	WITH_SETUP(test_dropped),
	WITH_SETUP(test_perfmap),
	cmocka_unit_test(test_every_allocation_may_fail),
	cmocka_unit_test(test_any_allocation_may_fail),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
