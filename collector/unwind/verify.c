// SPDX-License-Identifier: GPL-2.0
#include "unwind/verify.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pprof_table.h"
#include "arch/dwarf_registers.h"
#include "arch/machine_code.h"
#include "base/sigbus_guard.h"
#include "elf/go_module.h"

#define MAX_PRINTED	5

/*
 * The table and libdw are read side by side. rule_at() reads the table by code of its own: it
 * shares none with the builder. translate() makes a rule of libdw's answers: the CFA, the return
 * address, fp, and base in files whose table follows it. Two rules are equal if all their bytes
 * are.
 */

/* Steps through the rows of a table. */
struct cursor {
	const struct pprof_table_head *head;
	const struct pprof_rule *dictionary;
	const uint32_t *pages;
	const struct pprof_row *rows;
	uint32_t row;		/* the last row that begins at or before the offset */
	uint32_t page;		/* page of the next row */
};

struct check {
	int fd;
	const struct cfi *cfi;
	const char *name;
	FILE *out;
	struct cfi_verify *result;
	Elf *elf;
	bool is_go;
	Dwarf *dw;
	Dwarf_CFI *eh_frame;		/* NULL: none */
	Dwarf_CFI *debug_frame;		/* NULL: none */
	struct cursor cursor;
	struct pprof_rule before;	/* last rule of libdw that was equal to ours */
};

static void cursor_init(struct cursor *c, const void *table)
{
	const struct pprof_table_head *head = table;

	c->head = head;
	c->dictionary = (const void *)(head + 1);
	c->pages = (const void *)(c->dictionary + head->nr_rules);
	c->rows = (const void *)(c->pages + head->nr_pages + 1);
	c->row = 0;
	c->page = 0;
}

/* Returns where the next row begins, or the table ends. */
static uint64_t next_row(struct cursor *c)
{
	uint32_t next = c->row + 1;

	if (next == c->head->nr_rows)
		return c->head->start + (uint64_t)c->head->nr_pages * PPROF_TABLE_PAGE_BYTES;
	while (c->pages[c->page + 1] <= next)
		c->page++;
	return c->head->start + (uint64_t)c->page * PPROF_TABLE_PAGE_BYTES + c->rows[next].low;
}

static struct pprof_rule plain_rule(unsigned int code)
{
	int saved = code >> PPROF_ROW_SAVED_SHIFT & PPROF_ROW_MAX_SAVED;
	int words = code & PPROF_ROW_MAX_WORDS;

	if (code == (PPROF_ROW_KIND | PPROF_CFA_FP))
		return (struct pprof_rule){
			.cfa = PPROF_CFA_FP, .cfa_offset = 16, .ra = PPROF_REG_RA,
			.fp = PPROF_FP_SAVED, .fp_offset = -16,
		};
	if (saved == 1)
		return (struct pprof_rule){ .cfa = words };
	return (struct pprof_rule){
		.cfa = PPROF_CFA_SP, .cfa_offset = 8 * words, .ra = PPROF_REG_RA,
		.fp = saved ? PPROF_FP_SAVED : PPROF_FP_SAME, .fp_offset = -8 * saved,
	};
}

static struct pprof_rule rule_of(const struct cursor *c, uint32_t row)
{
	const uint8_t *rule = c->rows[row].rule;
	unsigned int code = rule[0] | rule[1] << 8;

	return code < PPROF_ROW_PLAIN ? c->dictionary[code] : plain_rule(code);
}

/*
 * Returns the rule at an offset. Offsets rise from call to call. *end becomes the end of the rule.
 */
static struct pprof_rule rule_at(struct cursor *c, uint64_t offset, uint64_t *end)
{
	const struct pprof_rule none = { .cfa = PPROF_CFA_NONE };

	if (offset < c->head->start) {
		*end = c->head->start;
		return none;
	}
	while ((*end = next_row(c)) <= offset && c->row + 1 < c->head->nr_rows)
		c->row++;
	if (*end > offset)
		return rule_of(c, c->row);
	*end = UINT64_MAX;
	return none;
}

/* Reads register + offset. */
static bool read_breg(const Dwarf_Op *op, unsigned int *reg, int64_t *offset)
{
	if (op->atom == DW_OP_bregx) {
		*reg = op->number;
		*offset = op->number2;
		return true;
	}
	*reg = op->atom - DW_OP_breg0;
	*offset = op->number;
	return op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31;
}

static bool is_plt(const Dwarf_Op *op, size_t nr)
{
	static const uint8_t atoms[] = {
		DW_OP_breg0 + ARCH_REG_SP, DW_OP_breg0 + PPROF_REG_RA, DW_OP_lit15, DW_OP_and, 0,
		DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus,
	};

	for (size_t i = 0; nr == sizeof(atoms) && i < nr; i++)
		if (atoms[i] && op[i].atom != atoms[i])
			return false;
	return nr == sizeof(atoms) && !op[1].number && op[4].atom >= DW_OP_lit0 &&
	       op[4].atom <= DW_OP_lit15;
}

/* Reads the operations after DW_OP_deref: none, or the addition of a constant. */
static bool read_add(const Dwarf_Op *op, size_t nr, int32_t *add)
{
	*add = 0;
	if (nr == 1 && op[0].atom == DW_OP_plus_uconst)
		*add = op[0].number;
	else if (nr == 2 && op[0].atom >= DW_OP_lit0 && op[0].atom <= DW_OP_lit31)
		*add = op[0].atom - DW_OP_lit0;
	return !nr || (nr == 1 && *add) || (nr == 2 && op[1].atom == DW_OP_plus);
}

static uint8_t kind_of(unsigned int reg, bool is_deref, bool follows_base)
{
	if (reg == ARCH_REG_SP)
		return is_deref ? PPROF_CFA_DEREF_SP : PPROF_CFA_SP;
	if (reg == ARCH_REG_FP)
		return is_deref ? PPROF_CFA_DEREF_FP : PPROF_CFA_FP;
	if (is_deref || reg >= ARCH_NR_REGS)
		return PPROF_CFA_UNSUPPORTED;
	return reg == ARCH_REG_BASE && follows_base ? PPROF_CFA_BASE : PPROF_CFA_REG;
}

static void read_cfa(Dwarf_Frame *frame, bool is_signal, bool follows_base, struct pprof_rule *rule)
{
	unsigned int reg = 0;
	int64_t offset = 0;
	Dwarf_Op *op;
	size_t nr;

	rule->cfa = PPROF_CFA_UNSUPPORTED;
	if (dwarf_frame_cfa(frame, &op, &nr) || !nr || !read_breg(op, &reg, &offset) ||
	    offset != (int32_t)offset)
		return;
	rule->cfa_offset = offset;
	if (nr == 1) {
		rule->cfa = kind_of(reg, false, follows_base);
	} else if (is_plt(op, nr)) {
		rule->cfa = PPROF_CFA_PLT;
		rule->cfa_add = op[4].atom - DW_OP_lit0;
	} else if (op[1].atom == DW_OP_deref && read_add(op + 2, nr - 2, &rule->cfa_add)) {
		rule->cfa = kind_of(reg, true, follows_base);
		if (is_signal)
			rule->cfa = reg == ARCH_REG_SP ? PPROF_CFA_SIGNAL : PPROF_CFA_UNSUPPORTED;
	}
	if (rule->cfa == PPROF_CFA_REG)
		rule->reg = reg;
}

/* Is the value at CFA + *offset? */
static bool is_at_cfa(const Dwarf_Op *op, size_t nr, int64_t *offset)
{
	*offset = nr == 2 ? op[1].number : 0;
	return nr >= 1 && nr <= 2 && op[0].atom == DW_OP_call_frame_cfa &&
	       (nr == 1 || op[1].atom == DW_OP_plus_uconst);
}

static void read_ra(Dwarf_Frame *frame, struct pprof_rule *rule)
{
	Dwarf_Op memory[3], *op;
	int64_t offset;
	size_t nr;

	if (dwarf_frame_register(frame, PPROF_REG_RA, memory, &op, &nr)) {
		rule->cfa = PPROF_CFA_UNSUPPORTED;
	} else if (!nr) {
		rule->cfa = PPROF_CFA_END;
	} else if (nr == 1 && op[0].atom == DW_OP_regx && op[0].number < PPROF_REG_RA) {
		rule->ra = op[0].number;
	} else {
		rule->ra = PPROF_REG_RA;
		if (rule->cfa != PPROF_CFA_SIGNAL && (!is_at_cfa(op, nr, &offset) || offset != -8))
			rule->cfa = PPROF_CFA_UNSUPPORTED;
	}
}

static void read_fp(Dwarf_Frame *frame, struct pprof_rule *rule)
{
	Dwarf_Op memory[3], *op;
	int64_t offset;
	size_t nr;

	rule->fp = PPROF_FP_LOST;
	if (dwarf_frame_register(frame, ARCH_REG_FP, memory, &op, &nr))
		return;
	if (!nr && !op) {
		rule->fp = PPROF_FP_SAME;
	} else if (is_at_cfa(op, nr, &offset) && offset == (int16_t)offset) {
		rule->fp = PPROF_FP_SAVED;
		rule->fp_offset = offset;
	} else if (nr == 2 && op[0].atom == DW_OP_call_frame_cfa &&
		   op[1].atom == DW_OP_breg0 + ARCH_REG_FP && !op[1].number) {
		rule->fp = PPROF_FP_AT_FP;
	}
}

static void read_base(Dwarf_Frame *frame, struct pprof_rule *rule)
{
	Dwarf_Op memory[3], *op;
	int64_t offset;
	size_t nr;

	if (!dwarf_frame_register(frame, ARCH_REG_BASE, memory, &op, &nr) &&
	    is_at_cfa(op, nr, &offset) && offset == (int16_t)offset)
		rule->base_offset = offset;
}

/* Is the caller's sp the CFA? A table has no other rule for it. */
static bool is_sp_cfa(Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *op;
	size_t nr;

	return !dwarf_frame_register(frame, ARCH_REG_SP, memory, &op, &nr) && nr == 2 &&
	       op[0].atom == DW_OP_call_frame_cfa && op[1].atom == DW_OP_stack_value;
}

/* Is the value at sp + offset? libdw pushes the CFA before the operations of an expression. */
static bool is_at_sp(Dwarf_Frame *frame, int reg, int64_t offset)
{
	Dwarf_Op memory[3], *op;
	size_t nr;

	return !dwarf_frame_register(frame, reg, memory, &op, &nr) && nr == 2 &&
	       op[0].atom == DW_OP_call_frame_cfa && op[1].atom == DW_OP_breg0 + ARCH_REG_SP &&
	       (int64_t)op[1].number == offset;
}

static struct pprof_rule translate_signal(Dwarf_Frame *frame, const struct pprof_rule *rule)
{
	int64_t offset = (int64_t)rule->cfa_offset - ARCH_UCONTEXT_SP;

	if (rule->cfa_add || !is_at_sp(frame, PPROF_REG_RA, offset + ARCH_UCONTEXT_PC) ||
	    !is_at_sp(frame, ARCH_REG_FP, offset + ARCH_UCONTEXT_FP))
		return (struct pprof_rule){ .cfa = PPROF_CFA_UNSUPPORTED };
	return (struct pprof_rule){ .cfa = PPROF_CFA_SIGNAL, .cfa_offset = offset };
}

/* Returns the rule of a table that means the same as libdw's frame. */
static struct pprof_rule translate(Dwarf_Frame *frame, bool follows_base)
{
	struct pprof_rule rule = { 0 };
	bool is_signal = false;

	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	read_cfa(frame, is_signal, follows_base, &rule);
	read_ra(frame, &rule);
	if (rule.cfa == PPROF_CFA_SIGNAL)
		return translate_signal(frame, &rule);
	if (rule.cfa == PPROF_CFA_END)
		return (struct pprof_rule){ .cfa = PPROF_CFA_END };
	if (rule.cfa == PPROF_CFA_UNSUPPORTED || !is_sp_cfa(frame))
		return (struct pprof_rule){ .cfa = PPROF_CFA_UNSUPPORTED };
	read_fp(frame, &rule);
	if (follows_base)
		read_base(frame, &rule);
	return rule;
}

static bool is_in_register(Dwarf_Frame *frame, int reg)
{
	Dwarf_Op memory[3], *op;
	size_t nr;

	return !dwarf_frame_register(frame, reg, memory, &op, &nr) && nr == 1 &&
	       op[0].atom == DW_OP_regx;
}

static bool ends_with_switch(const struct check *c, uint64_t end)
{
	size_t bytes;
	const uint8_t *code = (const uint8_t *)elf_rawfile(c->elf, &bytes);

	return code && end <= bytes && arch_ends_with_stack_switch(code, end);
}

/*
 * Does libdw already describe the frame of longjmp()'s target, while the table still has the row
 * before? That is right up to the move of sp: see bytes_before_jump() in compile.c.
 */
static bool is_before_jump(const struct check *c, const struct pprof_rule *ours, uint64_t end,
			   Dwarf_Frame *frame)
{
	return is_in_register(frame, ARCH_REG_SP) && is_in_register(frame, ARCH_REG_FP) &&
	       !memcmp(ours, &c->before, sizeof(*ours)) && ends_with_switch(c, end);
}

/*
 * .debug_frame of Go does not follow fp, though functions save it: see next_row() in compile.c.
 */
static bool is_go_frame(const struct check *c, struct pprof_rule ours,
			const struct pprof_rule *theirs)
{
	if (!c->is_go || ours.fp != PPROF_FP_SAVED || ours.fp_offset != -16)
		return false;
	ours.fp = PPROF_FP_SAME;
	ours.fp_offset = 0;
	return !memcmp(&ours, theirs, sizeof(ours));
}

static void print_rule(FILE *out, const struct pprof_rule *r)
{
	fprintf(out, "{ cfa %u reg %u offset %" PRId32 " add %" PRId32 " ra %u fp %u at %d base at %d }",
		r->cfa, r->reg, r->cfa_offset, r->cfa_add, r->ra, r->fp, r->fp_offset,
		r->base_offset);
}

static void compare(struct check *c, uint64_t offset, const struct pprof_rule *ours, uint64_t end,
		    Dwarf_Frame *frame)
{
	bool follows_base = c->cursor.head->flags & PPROF_TABLE_BASE;
	struct pprof_rule theirs = translate(frame, follows_base);

	c->result->nr_compared++;
	if (!memcmp(ours, &theirs, sizeof(theirs)) || is_go_frame(c, *ours, &theirs)) {
		c->before = theirs;
		return;
	}
	if (is_before_jump(c, ours, end, frame))
		return;
	if (c->result->nr_wrong++ >= MAX_PRINTED)
		return;
	fprintf(c->out, "%s: at offset %#" PRIx64 " the table says ", c->name, offset);
	print_rule(c->out, ours);
	fputs(", libdw ", c->out);
	print_rule(c->out, &theirs);
	putc('\n', c->out);
}

static Dwarf_Frame *find_frame(const struct check *c, uint64_t vaddr)
{
	Dwarf_Frame *frame = NULL;

	if (c->eh_frame && !dwarf_cfi_addrframe(c->eh_frame, vaddr, &frame))
		return frame;
	if (c->debug_frame && !dwarf_cfi_addrframe(c->debug_frame, vaddr, &frame))
		return frame;
	return NULL;
}

/*
 * Compares at each address of a segment where a row of the table or of libdw begins. Where libdw
 * has no rule it goes byte by byte: libdw does not return where its next rule begins.
 */
static void check_segment(struct check *c, const GElf_Phdr *ph)
{
	uint64_t offset = ph->p_offset, last = offset + ph->p_filesz, bias = ph->p_vaddr - offset;

	while (offset < last) {
		uint64_t end, step = offset + 1;
		const struct pprof_rule ours = rule_at(&c->cursor, offset, &end);
		Dwarf_Frame *frame = find_frame(c, offset + bias);

		if (frame) {
			compare(c, offset, &ours, end, frame);
			dwarf_frame_info(frame, NULL, &step, NULL);
			step = step - bias < end ? step - bias : end;
			free(frame);
		} else if (ours.cfa != PPROF_CFA_NONE && ours.cfa != PPROF_CFA_UNSUPPORTED) {
			c->result->extra_bytes++;
		}
		if (step <= offset)
			return;
		offset = step;
	}
}

/* The table is in order of file offsets. Program headers are in the same order. */
static void check_segments(struct check *c)
{
	GElf_Phdr ph;
	size_t nr;

	cursor_init(&c->cursor, c->cfi->table);
	if (elf_getphdrnum(c->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(c->elf, i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			check_segment(c, &ph);
}

static int check(void *arg)
{
	struct check *c = arg;

	elf_version(EV_CURRENT);
	c->elf = elf_begin(c->fd, ELF_C_READ_MMAP, NULL);
	if (!c->elf)
		return -ENOEXEC;
	c->is_go = go_module_find(c->elf, &(struct go_module){ 0 });
	c->dw = dwarf_begin_elf(c->elf, DWARF_C_READ, NULL);
	c->eh_frame = dwarf_getcfi_elf(c->elf);
	c->debug_frame = c->dw ? dwarf_getcfi(c->dw) : NULL;
	if (c->eh_frame || c->debug_frame)
		check_segments(c);
	dwarf_cfi_end(c->eh_frame);
	dwarf_end(c->dw);
	elf_end(c->elf);
	return 0;
}

int cfi_verify_file(int fd, const struct cfi *c, const char *name, FILE *out,
		    struct cfi_verify *result)
{
	struct check check_of = { .fd = fd, .cfi = c, .name = name, .out = out, .result = result };

	*result = (struct cfi_verify){ 0 };
	return sigbus_guard(check, &check_of);
}
