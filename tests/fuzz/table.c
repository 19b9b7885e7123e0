// SPDX-License-Identifier: GPL-2.0
// sources: kmod/unwind/unwind.c kmod/unwind/slow_path.c kmod/unwind/rule_cache.c
// sources: kmod/unwind/known_stack.c kmod/unwind/process_ranges.c kmod/unwind/table.c
// sources: kmod/base/uretprobe.c
// include: -iquote tests/unit/shim -Itests/unit/shim -Itests/unit
/*
 * Input: struct input, then an unwind table. Its magic number, machine and length are corrected
 * first, since random bytes hardly ever have the right ones. If the module accepts the table, it
 * walks a stack of arbitrary words. Each walk must end, read only memory that it may read, and
 * find the same frames with rules from the cache as without.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kmod/unwind/unwind.h"
#include "usermem.h"

#define CODE		0x400000ULL
#define CODE_BYTES	0x4000U
#define JIT		0x500000ULL
#define STACK		0x7ffff0000000ULL
#define NR_WORDS	64	/* of the stack; as often as there is room */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t max;		/* frames - 1 */
	uint8_t faults;		/* every faults'th word of the stack is missing; 0: none */
	uint16_t ip;		/* in the code, or behind it */
	uint32_t bias;		/* of the table's offsets */
	uint64_t sp;		/* small: an offset in the stack */
	uint64_t bp;
	uint64_t words[NR_WORDS];	/* low bits: relative to code or stack */
};

struct found {
	u64 frames[PPROF_MAX_FRAMES];
	struct pprof_stack stack;
};

static struct pprof_rule_cache cache;
static struct pprof_known_stack known;
static unsigned long registers[21];

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Random numbers are hardly ever addresses. So three of four become an address. */
static u64 address_of(u64 word)
{
	switch (word & 3) {
	case 0:
		return CODE + (word >> 2) % (CODE_BYTES + 64);
	case 1:
		return JIT + (word >> 2) % 4096;
	case 2:
		return STACK + (word >> 2) % sizeof(usermem.words);
	}
	return word >> 2;
}

static void fill_memory(const struct input *in)
{
	memset(&usermem, 0, sizeof(usermem));
	usermem.base = STACK;
	for (u32 i = 0; i < USERMEM_WORDS; i++)
		usermem.words[i] = address_of(in->words[i % NR_WORDS] + 8 * (i / NR_WORDS));
	for (u32 i = 0; in->faults && i < USERMEM_FAULTS; i++)
		usermem.faults[i] = STACK + 8 * in->faults * i;
	for (u32 i = 0; i < 21; i++)
		registers[i] = usermem.words[i];
}

static void walk(struct found *found, const struct input *in, const struct pprof_table *table)
{
	const struct pprof_regs regs = {
		.ip = CODE + in->ip % (CODE_BYTES + 64), .all = registers,
		.sp = in->sp < sizeof(usermem.words) ? STACK + in->sp : in->sp,
		.fp = address_of(in->bp),
	};
	const struct pprof_range ranges[] = {
		{ .start = CODE, .end = CODE + CODE_BYTES, .bias = CODE - in->bias },
		{ .start = JIT, .end = JIT + 4096 },
	};
	struct pprof_process_ranges *epoch =
		calloc(1, sizeof(*epoch) + 2 * sizeof(epoch->ranges[0]));

	epoch->epoch = 1;
	check(!pprof_process_ranges_add(epoch, &ranges[0], table));
	check(!pprof_process_ranges_add(epoch, &ranges[1], NULL));
	memset(found, 0xee, sizeof(*found));
	found->stack = (struct pprof_stack){ .frames = found->frames, .max = in->max + 1U };
	usermem.nr_reads = 0;
	pprof_unwind(&found->stack, &regs, epoch, &cache, &known);
	check(!usermem.disabled && !usermem.opened && usermem.nr_reads <= 8 * (in->max + 1));
	check(found->stack.nr >= 1 && found->stack.nr <= found->stack.max);
	check(found->stack.end_reason < PPROF_NR_END_REASONS && found->frames[0] == regs.ip);
	for (u32 i = found->stack.max; i < PPROF_MAX_FRAMES; i++)
		check(found->frames[i] == 0xeeeeeeeeeeeeeeee);
	free(epoch);
}

/*
 * A walk that costs too much ends early, and a walk with the cache costs less. The last frame of a
 * truncated walk was not checked: it may be no code.
 */
static void check_both(const struct found *cold, const struct found *warm)
{
	bool is_truncated = cold->stack.end_reason == PPROF_END_DEPTH;
	u32 nr = cold->stack.nr - is_truncated;

	check(nr <= warm->stack.nr && !memcmp(cold->frames, warm->frames, nr * sizeof(u64)));
	if (is_truncated)
		return;
	check(nr == warm->stack.nr && cold->stack.end_reason == warm->stack.end_reason);
	check(cold->stack.flags == warm->stack.flags);
}

static void forget_all(void)
{
	memset(&cache, 0, sizeof(cache));
	memset(&known, 0, sizeof(known));
}

/* The second walk learns the stack, and the third one knows it. */
static void walk_thrice(const struct input *in, const struct pprof_table *table)
{
	static struct found cold, warm;

	forget_all();
	walk(&cold, in, table);
	for (int i = 0; i < 2; i++) {
		walk(&warm, in, table);
		check_both(&cold, &warm);
	}
}

/* The known stack is one of before a word of memory has changed. */
static void walk_changed(const struct input *in, const struct pprof_table *table)
{
	static struct found cold, known_before;
	u32 word = in->words[0] % USERMEM_WORDS;

	usermem.words[word] = address_of(in->words[1]);
	walk(&known_before, in, table);
	forget_all();
	walk(&cold, in, table);
	check_both(&cold, &known_before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pprof_table_head *head;
	struct pprof_table table;
	struct pprof_rule room;
	struct input in;

	if (size < sizeof(in) + sizeof(*head))
		return 0;
	memcpy(&in, data, sizeof(in));
	size -= sizeof(in);
	head = malloc(size);	/* its own, so that ASan knows its end */
	memcpy(head, data + sizeof(in), size);
	head->magic = PPROF_TABLE_MAGIC;
	head->machine = EM_X86_64;
	head->bytes = size;
	if (!pprof_table_init(&table, head, size)) {
		for (u32 at = 0; at <= CODE_BYTES; at += 16)
			pprof_table_find(&table, head->start + at, &room);
		fill_memory(&in);
		walk_thrice(&in, &table);
		walk_changed(&in, &table);
	}
	free(head);
	return 0;
}
