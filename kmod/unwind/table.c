// SPDX-License-Identifier: GPL-2.0
#include "unwind/table.h"

#include <linux/kernel.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "arch/unwind_regs.h"

/* The fields of struct pprof_rule that a rule uses, besides cfa. */
#define USES_OFFSET	BIT(0)
#define USES_ADD	BIT(1)
#define USES_REG	BIT(2)
#define USES_CALLER	BIT(3)	/* ra, fp and the offsets of saved registers */
#define USES_BASE	BIT(4)

static const u8 uses[PPROF_NR_CFA] = {
	[PPROF_CFA_SP]		= USES_CALLER | USES_OFFSET,
	[PPROF_CFA_FP]		= USES_CALLER | USES_OFFSET,
	[PPROF_CFA_BASE]	= USES_CALLER | USES_OFFSET | USES_BASE,
	[PPROF_CFA_PLT]		= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_SIGNAL]	= USES_OFFSET,
	[PPROF_CFA_DEREF_SP]	= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_DEREF_FP]	= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_REG]		= USES_CALLER | USES_OFFSET | USES_REG,
	[PPROF_CFA_CLONE]	= USES_CALLER | USES_OFFSET | USES_REG,
	[PPROF_CFA_OTHER_STACK]	= USES_CALLER | USES_OFFSET,
};

static bool caller_is_valid(const struct pprof_rule *rule)
{
	if (rule->ra > PPROF_REG_RA || rule->fp >= PPROF_NR_FP)
		return false;
	return rule->fp == PPROF_FP_SAVED || !rule->fp_offset;
}

static bool rule_is_valid(const struct pprof_rule *rule, bool keeps_base)
{
	u8 used;

	if (rule->cfa >= PPROF_NR_CFA)
		return false;
	used = uses[array_index_nospec(rule->cfa, PPROF_NR_CFA)];
	if (!(used & USES_OFFSET) && rule->cfa_offset)
		return false;
	if (!(used & USES_ADD) && rule->cfa_add)
		return false;
	if (rule->cfa == PPROF_CFA_PLT && (rule->cfa_add < 0 || rule->cfa_add > 16))
		return false;
	if (rule->reg > (used & USES_REG ? 15 : 0))
		return false;
	if (!keeps_base && ((used & USES_BASE) || rule->base_offset))
		return false;
	if (used & USES_CALLER)
		return caller_is_valid(rule);
	return !rule->ra && !rule->fp && !rule->fp_offset && !rule->base_offset;
}

static bool rules_are_valid(const struct pprof_table *table)
{
	for (u32 i = 0; i < table->nr_rules; i++)
		if (!rule_is_valid(&table->rules[i], table->keeps_base))
			return false;
	return true;
}

static u32 words_of(u32 code)
{
	return code & PPROF_ROW_MAX_WORDS;
}

static u32 saved_of(u32 code)
{
	return code >> PPROF_ROW_SAVED_SHIFT & PPROF_ROW_MAX_SAVED;
}

static bool has_kind(u32 code)
{
	return saved_of(code) == saved_of(PPROF_ROW_KIND);
}

static bool code_is_valid(u32 code, u32 nr_rules)
{
	const u32 kinds = BIT(PPROF_CFA_NONE) | BIT(PPROF_CFA_END) | BIT(PPROF_CFA_FP) |
			  BIT(PPROF_CFA_UNSUPPORTED) | BIT(PPROF_CFA_FRAME_POINTER);

	if (code < PPROF_ROW_PLAIN)
		return code < nr_rules;
	if (has_kind(code))
		return words_of(code) < PPROF_NR_CFA && kinds & BIT(words_of(code));
	return words_of(code);
}

static u32 code_of(const struct pprof_row *row)
{
	return row->rule[0] | row->rule[1] << 8;
}

/* The rows of one page. Their addresses rise, so there are no more than 256. */
static bool rows_are_valid(const struct pprof_row *rows, u32 nr, u32 nr_rules)
{
	for (u32 i = 0; i < nr; i++) {
		if (i && rows[i].low <= rows[i - 1].low)
			return false;
		if (!code_is_valid(code_of(&rows[i]), nr_rules))
			return false;
	}
	return true;
}

static bool pages_are_valid(const struct pprof_table *table, const struct pprof_table_head *head)
{
	u32 first = 0, end;

	if (table->pages[0] || !table->pages[1] || table->rows[0].low)
		return false;
	for (u32 i = 1; i <= head->nr_pages; i++) {
		end = table->pages[i];
		if (end < first || end > head->nr_rows ||
		    !rows_are_valid(table->rows + first, end - first, head->nr_rules))
			return false;
		first = end;
		cond_resched();	/* a table of 64 MiB takes long */
	}
	return first == head->nr_rows;
}

static bool is_zero(const u8 *from, const u8 *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

/* The sum cannot overflow: no count exceeds 32 bits. */
static bool head_is_valid(const struct pprof_table_head *head, u32 bytes)
{
	u64 sum = sizeof(*head) + sizeof(struct pprof_rule) * (u64)head->nr_rules +
		  sizeof(u32) * (head->nr_pages + 1ULL) +
		  sizeof(struct pprof_row) * (u64)head->nr_rows;

	if (head->magic != PPROF_TABLE_MAGIC || head->machine != PPROF_ARCH_MACHINE)
		return false;
	if (head->bytes != bytes || ALIGN(sum, 8) != bytes)
		return false;
	if (!head->nr_pages || !head->nr_rows || head->nr_rules > PPROF_TABLE_MAX_RULES ||
	    (head->flags & ~PPROF_TABLE_BASE))
		return false;
	return !(head->start % PPROF_TABLE_PAGE_BYTES) &&
	       head->start <= U64_MAX - PPROF_TABLE_PAGE_BYTES * (u64)head->nr_pages;
}

int pprof_table_init(struct pprof_table *table, const void *data, u32 bytes)
{
	const struct pprof_table_head *head = data;
	const u8 *end = (const u8 *)data + bytes;

	if (bytes < sizeof(*head) || !head_is_valid(head, bytes))
		return -EINVAL;
	table->start = head->start;
	table->text_bytes = PPROF_TABLE_PAGE_BYTES * (u64)head->nr_pages;
	table->rules = (const struct pprof_rule *)(head + 1);
	table->pages = (const u32 *)(table->rules + head->nr_rules);
	table->rows = (const struct pprof_row *)(table->pages + head->nr_pages + 1);
	table->nr_rules = head->nr_rules;
	table->keeps_base = head->flags & PPROF_TABLE_BASE;
	if (!rules_are_valid(table) || !pages_are_valid(table, head) ||
	    !is_zero((const u8 *)(table->rows + head->nr_rows), end))
		return -EINVAL;
	return 0;
}

/*
 * Returns the last of @nr rows at or before @low, or the row before all of them. A page has four
 * rows on average. Up to 8 rows are searched one by one, because the CPU predicts how many. A
 * search without branches would wait for each result. More rows are first halved without branches,
 * so that the time is bounded.
 */
static const struct pprof_row *last_up_to(const struct pprof_row *rows, u32 nr, u8 low)
{
	const struct pprof_row *end;
	u32 half;

	for (; nr > 8; nr -= half) {
		half = nr / 2;
		rows = rows[half].low <= low ? rows + half : rows;
	}
	for (end = rows + nr; end > rows && end[-1].low > low; end--)
		;
	return end - 1;
}

static const struct pprof_rule *find_plain(u32 code, struct pprof_rule *room)
{
	static const struct pprof_rule by_fp = {
		.cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA,
		.fp = PPROF_FP_SAVED, .fp_offset = -16,
	};
	int saved = saved_of(code);

	if (code == (PPROF_ROW_KIND | PPROF_CFA_FP))
		return &by_fp;
	if (has_kind(code))
		*room = (struct pprof_rule) { .cfa = words_of(code) };
	else
		*room = (struct pprof_rule) {
			.cfa = PPROF_CFA_SP, .cfa_offset = 8 * words_of(code), .ra = PPROF_REG_RA,
			.fp = saved ? PPROF_FP_SAVED : PPROF_FP_SAME, .fp_offset = -8 * saved,
		};
	return room;
}

/* The clamp is for a CPU that predicts wrongly, and takes a plain rule for an index. */
static const struct pprof_rule *find_rule(const struct pprof_table *table, u32 code,
					  struct pprof_rule *room)
{
	if (code >= PPROF_ROW_PLAIN)
		return find_plain(code, room);
	return &table->rules[array_index_nospec(code, table->nr_rules)];
}

/* Each address has a row at or before it: the first row is at the start of the table. */
const struct pprof_rule *pprof_table_find(const struct pprof_table *table, u64 offset,
					  struct pprof_rule *room)
{
	u64 at = offset - table->start;
	u32 page, first;

	if (at >= table->text_bytes)
		return NULL;
	at = array_index_nospec(at, table->text_bytes);
	page = at / PPROF_TABLE_PAGE_BYTES;
	first = table->pages[page];
	return find_rule(table, code_of(last_up_to(table->rows + first,
						   table->pages[page + 1] - first,
						   at % PPROF_TABLE_PAGE_BYTES)), room);
}
