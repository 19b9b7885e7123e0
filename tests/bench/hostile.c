// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the cost of the worst stacks. They have 256 frames, each in another of 4,096
 * ranges. The tables are made to be slow, and have a rule for each byte of code. As in
 * cost.c: if an instruction takes a nanosecond (tests/vm/run --icount) and no other program
 * runs, the cost is a number of instructions.
 *
 *	hostile
 *
 * Prints key=value lines: for each kind of frame the cost of a sample and its number of frames;
 * at the end the highest cost.
 */
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session.h"
#include "../programs/program.h"
#include "../unit/maketable.h"

#define HZ		1000
#define LOOPS		100000000	/* 0.2 s, if an instruction takes a nanosecond */
#define NR_FRAMES	256
#define STACK_BYTES	(16U << 20)
#define NR_ROWS		4096		/* 16 pages, a row for each byte */
#define FIRST_RANGE	0x100000000ULL
#define RANGE_STEP	0x10000ULL
#define RING_BYTES	(4U << 20)

#define RULE(kind, offset)	.cfa = (kind), .ra = PPROF_REG_RA, .cfa_offset = (offset)
#define SAVED(offset)		.fp = PPROF_FP_SAVED, .fp_offset = (offset)

/*
 * The kinds of frames: two rules, which frames use in turns, and the size of a frame. A frame
 * has its CFA in its first word and in the word of its saved rbp. Reads at 32 KiB below it or
 * 24 KiB above it fault.
 */
static const struct frame_kind {
	const char *name;
	struct pprof_rule rules[2];
	unsigned int frame_bytes;
	uint16_t plain;		/* if not 0: the rows hold this plain rule, rbx is followed */
} kinds[] = {
	{ "cached", { { RULE(PPROF_CFA_SP, 32) }, { RULE(PPROF_CFA_SP, 32) } }, 32 },
	{ "far", { { RULE(PPROF_CFA_SP, 32768), SAVED(-16) },
		   { RULE(PPROF_CFA_SP, 32768), SAVED(-16) } }, 32768 },
	{ "deref", { { RULE(PPROF_CFA_DEREF_SP, 0), SAVED(-16) },
		     { RULE(PPROF_CFA_DEREF_SP, 0), SAVED(-16) } }, 64 },
	{ "turns", { { RULE(PPROF_CFA_SP, 64) },
		     { RULE(PPROF_CFA_DEREF_SP, 0), SAVED(-16) } }, 64 },
	{ "faults", { { RULE(PPROF_CFA_SP, 64), SAVED(24576) },
		      { RULE(PPROF_CFA_SP, 64), SAVED(24576) } }, 64 },
	{ "cachedfaults", { { RULE(PPROF_CFA_SP, 64), SAVED(-32768) },
			    { RULE(PPROF_CFA_SP, 64), SAVED(-32768) } }, 64 },
	{ "plain", { { 0 }, { 0 } }, 64, PPROF_ROW_PLAIN | 2 << PPROF_ROW_SAVED_SHIFT | 8 },
};

static struct device *session;
static uint64_t *stack;		/* where the frames begin; the memory around is unmapped */

/* Counts down while rsp points to the crafted stack. It must not call, nor take a signal. */
static KEEP void count_down(uint64_t loops)
{
	__asm__ volatile("mov %%rsp, %%r15\n"
			 "mov %1, %%rsp\n"
			 "1: dec %0\n"
			 "jnz 1b\n"
			 "mov %%r15, %%rsp\n"
			 : "+r"(loops)
			 : "r"(stack)
			 : "r15", "cc");
}

/* Returns the address of a frame's code. Consecutive frames are in ranges far apart. */
static uint64_t address_of(unsigned int frame)
{
	uint64_t range = frame * 2654435761U % (PPROF_MAX_RANGES - 1);

	return FIRST_RANGE + range * RANGE_STEP + 1 + (frame * 97 * 2 + frame % 2) % NR_ROWS;
}

static void craft_stack(const struct frame_kind *kind)
{
	uint64_t words = kind->frame_bytes / 8;

	for (unsigned int frame = 0; frame < NR_FRAMES; frame++) {
		uint64_t *base = stack + frame * words, *cfa = base + words;

		base[0] = (uintptr_t)cfa;
		cfa[-2] = (uintptr_t)cfa;
		cfa[-1] = address_of(frame + 1);
	}
}

/* The table has a row for each byte. The rows use the two rules in turns. */
static uint32_t add_table(const struct frame_kind *kind)
{
	static struct row rows[NR_ROWS];
	uint32_t number;
	void *table;

	for (unsigned int i = 0; i < NR_ROWS; i++)
		rows[i] = (struct row){ i, kind->rules[i % 2] };
	table = make_table(rows, NR_ROWS, NR_ROWS / PPROF_TABLE_PAGE_BYTES,
			   kind->plain ? PPROF_TABLE_BASE : 0);
	for (unsigned int i = 0; kind->plain && i < NR_ROWS; i++)
		table_set_rule(table, i, kind->plain);
	need("the table",
	     device_add_table(session, table, ((struct pprof_table_head *)table)->bytes, &number));
	free(table);
	return number;
}

static void set_ranges(uint32_t table)
{
	static struct pprof_range ranges[PPROF_MAX_RANGES];
	uint64_t exec_id, code = (uintptr_t)count_down & -(uint64_t)NR_ROWS;

	for (unsigned int i = 0; i < PPROF_MAX_RANGES; i++) {
		uint64_t start = i + 1 < PPROF_MAX_RANGES ? FIRST_RANGE + i * RANGE_STEP : code;

		ranges[i] = (struct pprof_range) {
			.start = start, .end = start + NR_ROWS, .bias = start, .table = table,
		};
	}
	need("the exec id", device_exec_id(session, getpid(), &exec_id));
	need("ranges", device_set_ranges(session, getpid(), exec_id, ranges, PPROF_MAX_RANGES,
					 NULL));
}

static uint64_t measure(void)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	count_down(LOOPS);
	return clock_ns(CLOCK_MONOTONIC) - start_ns;
}

/* Returns the number of frames of the last sample. Sets *nr to the number of samples. */
static uint32_t count_samples(uint64_t *nr)
{
	const struct ring *ring = device_ring(session, 0);
	uint64_t pos = ring_tail(ring), head = ring_head(ring);
	const struct pprof_record *record;
	uint32_t frames = 0;

	*nr = 0;
	while ((record = ring_next(ring, &pos, head))) {
		if (record->type != PPROF_REC_SAMPLE)
			continue;
		frames = ((const struct pprof_sample *)record)->nr_frames;
		++*nr;
	}
	return frames;
}

static double run(const struct frame_kind *kind)
{
	uint64_t without_ns, with_ns, nr;
	uint32_t frames;
	double cost;

	craft_stack(kind);
	session = session_open(getpid(), PPROF_SETUP_TABLES, RING_BYTES, NR_FRAMES);
	set_ranges(add_table(kind));
	without_ns = measure();
	need("start", device_start(session, PPROF_SOURCE_CPU, NSEC_PER_SEC / HZ));
	with_ns = measure();
	need("stop", device_stop(session, PPROF_SOURCE_CPU));
	without_ns += measure();
	frames = count_samples(&nr);
	need("samples", nr ? 0 : -ENODATA);
	device_close(session);
	cost = (with_ns - without_ns / 2.0) / nr;
	printf("%s_ns=%.0f\n%s_frames=%u\n", kind->name, cost, kind->name, frames);
	return cost;
}

int main(void)
{
	double cost, most = 0;

	stack = mmap(NULL, 3 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		need("memory", -errno);
	stack += STACK_BYTES / sizeof(*stack);
	if (mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE))
		need("memory", -errno);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		cost = run(&kinds[i]);
		most = cost > most ? cost : most;
	}
	printf("most_ns=%.0f\n", most);
	return 0;
}
