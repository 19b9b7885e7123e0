// SPDX-License-Identifier: GPL-2.0
#include "table.h"

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/prefetch.h>
#include <linux/sched.h>

/* What a kind of rule uses of a struct pprof_rule, besides cfa. */
#define USES_OFFSET	BIT(0)
#define USES_ADD	BIT(1)
#define USES_REG	BIT(2)
#define USES_CALLER	BIT(3)	/* ra, rbp and the offsets of what is saved */
#define USES_RBX	BIT(4)

static const u8 uses[PPROF_NR_CFA] = {
	[PPROF_CFA_RSP]		= USES_CALLER | USES_OFFSET,
	[PPROF_CFA_RBP]		= USES_CALLER | USES_OFFSET,
	[PPROF_CFA_RBX]		= USES_CALLER | USES_OFFSET | USES_RBX,
	[PPROF_CFA_PLT]		= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_SIGNAL]	= USES_OFFSET,
	[PPROF_CFA_DEREF_RSP]	= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_DEREF_RBP]	= USES_CALLER | USES_OFFSET | USES_ADD,
	[PPROF_CFA_REG]		= USES_CALLER | USES_OFFSET | USES_REG,
};

static bool caller_is_valid(const struct pprof_rule *rule)
{
	if (rule->ra > PPROF_REG_RA || rule->rbp >= PPROF_NR_RBP)
		return false;
	return rule->rbp == PPROF_RBP_SAVED || !rule->rbp_offset;
}

static bool rule_is_valid(const struct pprof_rule *rule, bool keeps_rbx)
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
	if (!keeps_rbx && ((used & USES_RBX) || rule->rbx_offset))
		return false;
	if (used & USES_CALLER)
		return caller_is_valid(rule);
	return !rule->ra && !rule->rbp && !rule->rbp_offset && !rule->rbx_offset;
}

static bool rules_are_valid(const struct pprof_table *table, u32 nr_rules)
{
	for (u32 i = 0; i < nr_rules; i++)
		if (!rule_is_valid(&table->rules[i], table->keeps_rbx))
			return false;
	return true;
}

/* Those of a page: their addresses rise, so there are no more than 256. */
static bool rows_are_valid(const struct pprof_table *table, u32 first, u32 end, u32 nr_rules)
{
	for (u32 i = first; i < end; i++) {
		if (i > first && table->row_lows[i] <= table->row_lows[i - 1])
			return false;
		if (table->row_rules[i] >= nr_rules)
			return false;
	}
	return true;
}

static bool pages_are_valid(const struct pprof_table *table, const struct pprof_table_head *head)
{
	u32 first = 0, end;

	if (table->pages[0] || !table->pages[1] || table->row_lows[0])
		return false;
	for (u32 i = 1; i <= head->nr_pages; i++) {
		end = table->pages[i];
		if (end < first || end > head->nr_rows ||
		    !rows_are_valid(table, first, end, head->nr_rules))
			return false;
		first = end;
		cond_resched();	/* 64 MiB are no matter of an instant */
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

/* The sum cannot overflow: none of the counts exceeds 32 bits. */
static bool head_is_valid(const struct pprof_table_head *head, u32 bytes)
{
	u64 sum = sizeof(*head) + sizeof(struct pprof_rule) * (u64)head->nr_rules +
		  sizeof(u32) * (head->nr_pages + 1ULL) +
		  (sizeof(u16) + sizeof(u8)) * (u64)head->nr_rows;

	if (head->magic != PPROF_TABLE_MAGIC || head->bytes != bytes || ALIGN(sum, 8) != bytes)
		return false;
	if (!head->nr_pages || !head->nr_rows || !head->nr_rules ||
	    head->nr_rules > PPROF_TABLE_MAX_RULES || (head->flags & ~PPROF_TABLE_RBX))
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
	table->row_rules = (const u16 *)(table->pages + head->nr_pages + 1);
	table->row_lows = (const u8 *)(table->row_rules + head->nr_rows);
	table->keeps_rbx = head->flags & PPROF_TABLE_RBX;
	if (!rules_are_valid(table, head->nr_rules) || !pages_are_valid(table, head) ||
	    !is_zero(table->row_lows + head->nr_rows, end))
		return -EINVAL;
	return 0;
}

/*
 * How many of @nr rising numbers are up to @low. A page has four rows on the
 * average: those are looked at one by one, since a CPU that guesses the branches
 * fetches the row's rule meanwhile, where a search without branches would wait.
 * More are halved before, without branches, so that the time is bounded.
 */
static u32 count_up_to(const u8 *lows, u32 nr, u8 low)
{
	const u8 *at = lows;
	u32 half;

	for (; nr > 8; nr -= half) {
		half = nr / 2;
		at = at[half] <= low ? at + half : at;
	}
	while (nr && at[nr - 1] > low)
		nr--;
	return at - lows + nr;
}

/* There is a row up to any address: the first one stands where the table begins. */
const struct pprof_rule *pprof_table_find(const struct pprof_table *table, u64 offset)
{
	u64 at = offset - table->start;
	u32 page, first, row;

	if (at >= table->text_bytes)
		return NULL;
	at = array_index_nospec(at, table->text_bytes);
	page = at / PPROF_TABLE_PAGE_BYTES;
	first = table->pages[page];
	prefetch(&table->row_rules[first]);
	row = first - 1 + count_up_to(table->row_lows + first, table->pages[page + 1] - first,
				      at % PPROF_TABLE_PAGE_BYTES);
	return &table->rules[table->row_rules[row]];
}
