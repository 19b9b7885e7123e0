// SPDX-License-Identifier: GPL-2.0
#include "unwind/table_builder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "arch/machine.h"
#include "base/array.h"

#define PAGE_BYTES	PPROF_TABLE_PAGE_BYTES
#define NR_SLOTS	(2 * PPROF_TABLE_MAX_RULES)

/*
 * Rules as a row has them. RULE_NONE stands where no rule is known. RULE_UNSUPPORTED stands for a
 * rule that the full dictionary cannot take.
 */
#define RULE_NONE		(PPROF_ROW_KIND | PPROF_CFA_NONE)
#define RULE_UNSUPPORTED	(PPROF_ROW_KIND | PPROF_CFA_UNSUPPORTED)

static uint64_t table_bytes(const struct table_builder *r)
{
	uint64_t bytes = sizeof(struct pprof_table_head);

	bytes += (uint64_t)r->nr_rules * sizeof(struct pprof_rule);
	bytes += ((uint64_t)r->nr_pages + 1) * sizeof(*r->pages);
	bytes += (uint64_t)r->nr * sizeof(*r->rows);
	return (bytes + 7) & ~7ULL;
}

/*
 * Reads field by field. The caller has just stored the fields. One load of several fields would
 * wait for these stores.
 */
static uint32_t hash(const struct pprof_rule *rule)
{
	return rule->cfa * 0x9e3779b1u + rule->reg * 0x85ebca77u + rule->ra * 0xc2b2ae3du +
	       rule->fp * 0x27d4eb2fu + rule->cfa_offset * 0x165667b1u +
	       rule->cfa_add * 0xd3a2646du + (uint32_t)rule->fp_offset * 0xfd7046c5u +
	       (uint32_t)rule->base_offset * 0xb55a4f09u;
}

static uint16_t *find_slot(struct table_builder *r, const struct pprof_rule *rule)
{
	size_t i = hash(rule) / (UINT32_MAX / NR_SLOTS + 1);

	while (r->slots[i] && memcmp(&r->dictionary[r->slots[i] - 1], rule, sizeof(*rule)))
		i = (i + 1) % NR_SLOTS;
	return &r->slots[i];
}

/* Returns the index of the rule in the dictionary, or RULE_UNSUPPORTED if that is full. */
static uint16_t intern(struct table_builder *r, const struct pprof_rule *rule)
{
	uint16_t *slot = find_slot(r, rule);

	if (*slot)
		return *slot - 1;
	if (r->nr_rules == PPROF_TABLE_MAX_RULES)
		return RULE_UNSUPPORTED;
	r->dictionary[r->nr_rules++] = *rule;
	*slot = r->nr_rules;
	return *slot - 1;
}

/*
 * Encodes a rule whose CFA is an offset from sp. A row holds its offsets in words of 8 bytes.
 * Returns 0 if a row cannot hold the rule.
 */
static uint16_t encode_sp(const struct pprof_rule *rule)
{
	int32_t words = rule->cfa_offset / 8, saved = rule->fp_offset / -8;
	const struct pprof_rule plain = {
		.cfa = PPROF_CFA_SP, .cfa_offset = 8 * words, .ra = PPROF_REG_RA,
		.fp = saved ? PPROF_FP_SAVED : PPROF_FP_SAME, .fp_offset = -8 * saved,
	};

	if (memcmp(rule, &plain, sizeof(plain)) || words < 1 || words > PPROF_ROW_MAX_WORDS ||
	    saved < 0 || saved == 1 || saved > PPROF_ROW_MAX_SAVED)
		return 0;
	return PPROF_ROW_PLAIN | saved << PPROF_ROW_SAVED_SHIFT | words;
}

static uint16_t encode_kind(const struct pprof_rule *rule)
{
	static const struct pprof_rule kinds[] = {
		{ .cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA,
		  .fp = PPROF_FP_SAVED, .fp_offset = -16 },
		{ .cfa = PPROF_CFA_NONE }, { .cfa = PPROF_CFA_END },
		{ .cfa = PPROF_CFA_UNSUPPORTED }, { .cfa = PPROF_CFA_FRAME_POINTER },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!memcmp(rule, &kinds[i], sizeof(*rule)))
			return PPROF_ROW_KIND | rule->cfa;
	return 0;
}

/* Returns the code of the rule: the two bytes that a row has for it. */
static uint16_t encode(struct table_builder *r, const struct pprof_rule *rule)
{
	uint16_t code = rule->cfa == PPROF_CFA_SP ? encode_sp(rule) : encode_kind(rule);

	return code ? code : intern(r, rule);
}

static uint64_t pages_up_to(const struct table_builder *r, uint64_t end)
{
	return (end - r->start + PAGE_BYTES - 1) / PAGE_BYTES;
}

int table_builder_init(struct table_builder *r, uint64_t start, uint64_t end)
{
	uint64_t nr_pages;

	*r = (struct table_builder){
		.start = start / PAGE_BYTES * PAGE_BYTES, .last_rule = RULE_NONE,
	};
	nr_pages = pages_up_to(r, end);
	if (nr_pages > PPROF_TABLE_MAX_BYTES / sizeof(*r->pages))
		return -EFBIG;
	r->nr_pages = nr_pages;
	r->end = end;
	r->pages = malloc((nr_pages + 1) * sizeof(*r->pages));
	r->dictionary = malloc(PPROF_TABLE_MAX_RULES * sizeof(*r->dictionary));
	r->slots = calloc(NR_SLOTS, sizeof(*r->slots));
	if (!r->pages || !r->dictionary || !r->slots)
		return -ENOMEM;
	return 0;
}

void table_builder_fini(struct table_builder *r)
{
	free(r->pages);
	free(r->rows);
	free(r->dictionary);
	free(r->slots);
}

/* Makes room for one more row. Returns false, and sets err, if that fails. */
static bool grow(struct table_builder *r)
{
	void *rows = array_grow(r->rows, &r->room, r->nr + 1, sizeof(*r->rows));

	if (rows)
		r->rows = rows;
	if (!rows)
		r->err = -ENOMEM;
	else if (table_bytes(r) > PPROF_TABLE_MAX_BYTES)
		r->err = -EFBIG;
	return !r->err;
}

/*
 * Begins all pages up to this one: the next row is the first row of this page. The pages before it
 * that also begin here have no rows.
 */
static void begin_page(struct table_builder *r, uint32_t page)
{
	while (r->nr_begun <= page)
		r->pages[r->nr_begun++] = r->nr;
}

static void count_last(struct table_builder *r, uint64_t end)
{
	r->bytes[r->last_cfa] += end - r->last;
}

static void append(struct table_builder *r, uint64_t offset, uint16_t rule)
{
	if (!grow(r))
		return;
	begin_page(r, (offset - r->start) / PAGE_BYTES);
	r->rows[r->nr++] = (struct pprof_row){
		.low = offset % PAGE_BYTES, .rule = { rule & 0xff, rule >> 8 },
	};
	r->last = offset;
	r->last_rule = rule;
}

/*
 * The table begins with the page of the first rule. Some linkers put all data in front of the code,
 * and data needs no page.
 */
static void begin(struct table_builder *r, uint64_t offset)
{
	r->start = offset / PAGE_BYTES * PAGE_BYTES;
	if (offset > r->start)
		append(r, r->start, RULE_NONE);
}

void table_builder_add(struct table_builder *r, uint64_t offset, const struct pprof_rule *rule)
{
	uint16_t code = encode(r, rule);

	if (r->err || code == r->last_rule)
		return;
	if (r->nr)
		count_last(r, offset);
	else
		begin(r, offset);
	append(r, offset, code);
	r->last_cfa = code == RULE_UNSUPPORTED ? PPROF_CFA_UNSUPPORTED : rule->cfa;
}

/*
 * Ends the table. If the last row is RULE_NONE, the code from there on has no rule, and needs no
 * further page.
 */
static void end(struct table_builder *r)
{
	if (!r->nr) {
		append(r, r->start, RULE_NONE);
		r->end = r->start + PAGE_BYTES;
	} else if (r->last_rule != RULE_NONE) {
		count_last(r, r->end);
	} else {
		r->nr -= !(r->last % PAGE_BYTES);	/* its page has no other row */
		r->end = r->last;
	}
	r->nr_pages = pages_up_to(r, r->end);
}

static void copy(uint8_t **to, const void *from, size_t bytes)
{
	memcpy(*to, from, bytes);
	*to += bytes;
}

static void *assemble(struct table_builder *r, uint16_t flags, uint32_t bytes)
{
	struct pprof_table_head head = {
		.magic = PPROF_TABLE_MAGIC, .bytes = bytes, .start = r->start,
		.nr_pages = r->nr_pages, .nr_rows = r->nr, .nr_rules = r->nr_rules,
		.machine = ARCH_MACHINE, .flags = flags,
	};
	uint8_t *table = malloc(bytes), *to = table;

	if (!table)
		return NULL;
	copy(&to, &head, sizeof(head));
	copy(&to, r->dictionary, r->nr_rules * sizeof(*r->dictionary));
	copy(&to, r->pages, (r->nr_pages + 1) * sizeof(*r->pages));
	copy(&to, r->rows, r->nr * sizeof(*r->rows));
	memset(to, 0, table + bytes - to);
	return table;
}

void *table_builder_finish(struct table_builder *r, uint16_t flags, uint32_t *bytes, int *err)
{
	void *table;

	end(r);
	*err = r->err;
	if (*err)
		return NULL;
	begin_page(r, r->nr_pages);
	*bytes = table_bytes(r);
	table = assemble(r, flags, *bytes);
	if (!table)
		*err = -ENOMEM;
	return table;
}
