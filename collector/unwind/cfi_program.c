// SPDX-License-Identifier: GPL-2.0
#include "unwind/cfi_program.h"

#include <dwarf.h>

#include "arch/dwarf_registers.h"

/*
 * The input is the instructions of a CIE or an FDE, which are not trusted. The output is one rule
 * of a table for each row. cfa_begin() executes the instructions of a CIE, whose result is the
 * state at the start of each of its FDEs. cfa_next() executes the instructions of an FDE up to the
 * end of the next row. rule_of() translates the state of a row. It returns "unsupported" for all
 * that a rule cannot express.
 *
 * The state has two parts: the CFA (form, reg, offset, add), and the saves of four registers.
 * Values beyond 32 bits become CFA_OTHER or SAVE_OTHER. Reads beyond the instructions return 0, and
 * execute() then fails.
 */

/*
 * cfa_state.form: how the CFA is computed. CFA_OTHER: by a register or an expression that no rule
 * of a table can express.
 */
enum {
	CFA_REGISTER,		/* reg + offset */
	CFA_DEREF,		/* *(reg + offset) + add */
	CFA_PLT,		/* reg + offset, + 8 if (pc & 15) >= add */
	CFA_OTHER,
};

/* cfa_save.how. */
enum {
	SAVE_SAME,		/* unchanged: the default */
	SAVE_UNDEFINED,
	SAVE_AT_CFA,		/* at CFA + offset */
	SAVE_IN_REGISTER,	/* in reg */
	SAVE_AT_REGISTER,	/* at reg + offset */
	SAVE_OTHER,
};

static const struct pprof_rule unsupported = { .cfa = PPROF_CFA_UNSUPPORTED };

static bool fits(int64_t value)
{
	return value == (int32_t)value;
}

/* Returns NULL for a register that is not followed. */
static struct cfa_save *save_of(struct cfa_state *s, uint64_t reg)
{
	switch (reg) {
	case PPROF_REG_RA:
		return &s->saves[SAVED_RA];
	case ARCH_REG_FP:
		return &s->saves[SAVED_FP];
	case ARCH_REG_BASE:
		return &s->saves[SAVED_BASE];
	case ARCH_REG_SP:
		return &s->saves[SAVED_SP];
	}
	return NULL;
}

static void save(struct cfa_state *s, uint64_t reg, uint8_t how, uint64_t where, int64_t offset)
{
	struct cfa_save *to = save_of(s, reg);

	if (!to)
		return;
	*to = (struct cfa_save){ .how = how, .reg = where, .offset = offset };
	if (where >= ARCH_NR_REGS || !fits(offset))
		to->how = SAVE_OTHER;
}

static void restore(struct cfa_state *s, const struct cfa_cie *cie, uint64_t reg)
{
	struct cfa_save *to = save_of(s, reg);

	if (to)
		*to = cie->initial.saves[to - s->saves];
}

static void set_cfa(struct cfa_state *s, uint64_t reg, int64_t offset)
{
	s->form = reg < ARCH_NR_REGS && fits(offset) ? CFA_REGISTER : CFA_OTHER;
	s->reg = reg;
	s->offset = offset;
	s->add = 0;
}

/*
 * DW_CFA_def_cfa_register and _offset change one part of a register and an offset. An expression
 * has no such parts.
 */
static void set_cfa_reg(struct cfa_state *s, uint64_t reg)
{
	if (s->form == CFA_REGISTER)
		set_cfa(s, reg, s->offset);
	else
		s->form = CFA_OTHER;
}

static void set_cfa_offset(struct cfa_state *s, int64_t offset)
{
	if (s->form == CFA_REGISTER)
		set_cfa(s, s->reg, offset);
	else
		s->form = CFA_OTHER;
}

/* Takes the bytes of an expression. Their number stands before them. */
static struct bytes take_block(struct bytes *code)
{
	uint64_t nr = bytes_uleb(code);
	const uint8_t *at = bytes_take(code, nr);

	return (struct bytes){ .at = at, .end = at ? at + nr : at };
}

/* Takes DW_OP_breg0 to DW_OP_breg15: reg + offset. All known expressions begin with one. */
static bool take_breg(struct bytes *b, uint64_t *reg, int64_t *offset)
{
	uint8_t op = bytes_number(b, 1);

	if (op < DW_OP_breg0 || op >= DW_OP_breg0 + ARCH_NR_REGS)
		return false;
	*reg = op - DW_OP_breg0;
	*offset = bytes_sleb(b);
	return !b->is_short && fits(*offset);
}

/* Takes the rest of an expression after DW_OP_deref: nothing, or the addition of a constant. */
static bool take_add(struct bytes *b, int64_t *add)
{
	*add = 0;
	if (b->at == b->end)
		return true;
	if (*b->at == DW_OP_plus_uconst) {
		b->at++;
		*add = bytes_uleb(b);
	} else if (*b->at >= DW_OP_lit0 && *b->at <= DW_OP_lit31) {
		*add = *b->at++ - DW_OP_lit0;
		if (bytes_number(b, 1) != DW_OP_plus)
			return false;
	}
	return b->at == b->end && !b->is_short && fits(*add);
}

/*
 * Parses the rest of (pc & 15) >= N ? 8 : 0, which linkers write for PLT stubs of 16 bytes. From
 * byte N of the stub on, a word that the stub pushed is on the stack. N is 11 for stubs that begin
 * with jmp and push, and 10 for stubs that begin with endbr64 and push. *add becomes N.
 */
static bool take_plt(const struct bytes *b, int64_t *add)
{
	static const uint8_t head[] = { DW_OP_breg0 + PPROF_REG_RA, 0, DW_OP_lit15, DW_OP_and };
	static const uint8_t tail[] = { DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	const uint8_t *lit = b->at + sizeof(head);

	if (b->end - b->at != sizeof(head) + 1 + sizeof(tail) ||
	    memcmp(b->at, head, sizeof(head)) || memcmp(lit + 1, tail, sizeof(tail)) ||
	    *lit < DW_OP_lit0 || *lit > DW_OP_lit15)
		return false;
	*add = *lit - DW_OP_lit0;
	return true;
}

static void set_cfa_expression(struct cfa_state *s, struct bytes b)
{
	uint64_t reg = 0;
	int64_t offset = 0, add = 0;

	s->form = CFA_OTHER;
	if (!take_breg(&b, &reg, &offset))
		return;
	set_cfa(s, reg, offset);
	if (b.at == b.end)
		return;
	s->form = CFA_OTHER;
	if (*b.at == DW_OP_deref) {
		b.at++;
		if (take_add(&b, &add))
			s->form = CFA_DEREF;
	} else if (take_plt(&b, &add)) {
		s->form = CFA_PLT;
	}
	s->add = add;
}

static void save_at_expression(struct cfa_state *s, uint64_t reg, struct bytes b)
{
	uint64_t where = 0;
	int64_t offset = 0;
	bool is_known = take_breg(&b, &where, &offset) && b.at == b.end;

	save(s, reg, is_known ? SAVE_AT_REGISTER : SAVE_OTHER, where, offset);
}

static bool remember(struct cfa_rows *r)
{
	if (r->nr_remembered == CFA_MAX_REMEMBERED)
		return false;
	r->remembered[r->nr_remembered++] = r->state;
	return true;
}

static bool recall(struct cfa_rows *r)
{
	if (!r->nr_remembered)
		return false;
	r->state = r->remembered[--r->nr_remembered];
	return true;
}

static bool advance(struct cfa_rows *r, uint64_t delta)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(delta, r->cie->code_factor, &bytes) ||
	    __builtin_add_overflow(r->at, bytes, &r->at))
		r->at = UINT64_MAX;
	return true;
}

/*
 * Executes an instruction that defines the CFA.
 * Returns: false if op is none of these.
 */
static bool define(struct cfa_rows *r, uint8_t op)
{
	const int64_t factor = r->cie->data_factor;
	struct bytes *code = &r->code;
	struct cfa_state *s = &r->state;
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = bytes_uleb(code);
		set_cfa(s, reg, bytes_uleb(code));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = bytes_uleb(code);
		set_cfa(s, reg, (uint64_t)bytes_sleb(code) * factor);
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa_reg(s, bytes_uleb(code));
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa_offset(s, bytes_uleb(code));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa_offset(s, (uint64_t)bytes_sleb(code) * factor);
		return true;
	case DW_CFA_def_cfa_expression:
		set_cfa_expression(s, take_block(code));
		return true;
	}
	return false;
}

/*
 * Executes an instruction about the caller's value of a register. The register is its first
 * operand.
 * Returns: false if op is none of these.
 */
static bool save_register(struct cfa_rows *r, uint8_t op)
{
	const uint64_t factor = r->cie->data_factor;
	struct bytes *code = &r->code;
	struct cfa_state *s = &r->state;
	uint64_t reg = bytes_uleb(code);

	switch (op) {
	case DW_CFA_undefined:
		save(s, reg, SAVE_UNDEFINED, 0, 0);
		return true;
	case DW_CFA_same_value:
		save(s, reg, SAVE_SAME, 0, 0);
		return true;
	case DW_CFA_offset_extended:
		save(s, reg, SAVE_AT_CFA, 0, bytes_uleb(code) * factor);
		return true;
	case DW_CFA_offset_extended_sf:
		save(s, reg, SAVE_AT_CFA, 0, bytes_sleb(code) * factor);
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		save(s, reg, SAVE_AT_CFA, 0, -bytes_uleb(code) * factor);
		return true;
	case DW_CFA_register:
		save(s, reg, SAVE_IN_REGISTER, bytes_uleb(code), 0);
		return true;
	case DW_CFA_expression:
		save_at_expression(s, reg, take_block(code));
		return true;
	case DW_CFA_val_expression:
		take_block(code);
		save(s, reg, SAVE_OTHER, 0, 0);
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		bytes_uleb(code);
		save(s, reg, SAVE_OTHER, 0, 0);
		return true;
	case DW_CFA_restore_extended:
		restore(s, r->cie, reg);
		return true;
	}
	return false;
}

/*
 * Executes an instruction whose high two bits are 0. DW_CFA_set_loc is not supported: no compiler
 * was seen to use it.
 * Returns: false if op is unknown, or damaged.
 */
static bool execute_extended(struct cfa_rows *r, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		return advance(r, bytes_number(&r->code, 1));
	case DW_CFA_advance_loc2:
		return advance(r, bytes_number(&r->code, 2));
	case DW_CFA_advance_loc4:
		return advance(r, bytes_number(&r->code, 4));
	case DW_CFA_remember_state:
		return remember(r);
	case DW_CFA_restore_state:
		return recall(r);
	case DW_CFA_GNU_args_size:
		bytes_uleb(&r->code);
		return true;
	}
	return define(r, op) || save_register(r, op);
}

/*
 * Executes one instruction.
 * Returns: false if it is damaged or unknown.
 */
static bool execute(struct cfa_rows *r)
{
	uint8_t op = *r->code.at++, low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(r, low);
	case DW_CFA_offset:
		save(&r->state, low, SAVE_AT_CFA, 0,
		     bytes_uleb(&r->code) * (uint64_t)r->cie->data_factor);
		break;
	case DW_CFA_restore:
		restore(&r->state, r->cie, low);
		break;
	default:
		if (!execute_extended(r, op))
			return false;
	}
	return !r->code.is_short;
}

bool cfa_begin(struct cfa_cie *cie, const uint8_t *code, size_t nr)
{
	struct cfa_rows r = {
		.cie = cie, .code = { .at = code, .end = code + nr },
		.state = { .form = CFA_OTHER },
	};

	cie->initial = r.state;
	while (r.code.at < r.code.end)
		if (!execute(&r) || r.at)
			return false;
	cie->initial = r.state;
	return true;
}

void cfa_rows_init(struct cfa_rows *r, const struct cfa_cie *cie, const uint8_t *code, size_t nr,
		   uint64_t length, bool follows_base)
{
	r->start = 0;
	r->end = 0;
	r->cie = cie;
	r->code = (struct bytes){ .at = code, .end = code + nr };
	r->at = 0;
	r->length = length;
	r->follows_base = follows_base;
	r->is_damaged = false;
	r->nr_remembered = 0;
	r->state = cie->initial;
	if (cie->is_go)
		go_values_init(&r->frame_sizes, (struct go_part){ code, nr });
}

static bool is_at(const struct cfa_save *save, uint8_t reg, int64_t offset)
{
	return save->how == SAVE_AT_REGISTER && save->reg == reg && save->offset == offset;
}

/*
 * The CFA of a signal frame is the interrupted sp, which is saved in the struct ucontext. The rule
 * of a table takes all registers from there. So the return address and fp must be saved there, too.
 */
static struct pprof_rule signal_rule(const struct cfa_state *s)
{
	int64_t ucontext = (int64_t)s->offset - ARCH_UCONTEXT_SP;

	if (s->form != CFA_DEREF || s->reg != ARCH_REG_SP || s->add || !fits(ucontext) ||
	    !is_at(&s->saves[SAVED_RA], ARCH_REG_SP, ucontext + ARCH_UCONTEXT_PC) ||
	    !is_at(&s->saves[SAVED_FP], ARCH_REG_SP, ucontext + ARCH_UCONTEXT_FP))
		return unsupported;
	return (struct pprof_rule){ .cfa = PPROF_CFA_SIGNAL, .cfa_offset = ucontext };
}

/* Returns the PPROF_CFA_* of the rule. Sets rule->reg if that needs a register. */
static uint8_t set_kind(struct pprof_rule *rule, const struct cfa_state *s, bool follows_base)
{
	switch (s->form) {
	case CFA_REGISTER:
		if (s->reg == ARCH_REG_SP)
			return PPROF_CFA_SP;
		if (s->reg == ARCH_REG_FP)
			return PPROF_CFA_FP;
		if (s->reg == ARCH_REG_BASE && follows_base)
			return PPROF_CFA_BASE;
		rule->reg = s->reg;
		return PPROF_CFA_REG;
	case CFA_PLT:
		return s->reg == ARCH_REG_SP ? PPROF_CFA_PLT : PPROF_CFA_UNSUPPORTED;
	case CFA_DEREF:
		if (s->reg == ARCH_REG_SP)
			return PPROF_CFA_DEREF_SP;
		if (s->reg == ARCH_REG_FP)
			return PPROF_CFA_DEREF_FP;
		break;
	}
	return PPROF_CFA_UNSUPPORTED;
}

static void set_fp(struct pprof_rule *rule, const struct cfa_save *fp)
{
	rule->fp = PPROF_FP_LOST;
	if (fp->how == SAVE_SAME) {
		rule->fp = PPROF_FP_SAME;
	} else if (fp->how == SAVE_AT_CFA && fp->offset == (int16_t)fp->offset) {
		rule->fp = PPROF_FP_SAVED;
		rule->fp_offset = fp->offset;
	} else if (is_at(fp, ARCH_REG_FP, 0)) {
		rule->fp = PPROF_FP_AT_FP;
	}
}

/*
 * Code whose return address is undefined, or has no rule, has no caller. libc marks the start of a
 * thread and of a program so.
 */
static bool is_end(const struct cfa_save *ra)
{
	return ra->how == SAVE_UNDEFINED || ra->how == SAVE_SAME;
}

static bool has_plain_ra(const struct cfa_save *ra)
{
	return (ra->how == SAVE_AT_CFA && ra->offset == -8) || ra->how == SAVE_IN_REGISTER;
}

/*
 * Returns the rule of a table. In a table the caller's sp is always the CFA, as the ABI says. So
 * code that saves sp in another way is not supported.
 */
static struct pprof_rule rule_of(const struct cfa_state *s, bool is_signal, bool follows_base)
{
	struct pprof_rule rule = { .ra = PPROF_REG_RA, .cfa_offset = s->offset, .cfa_add = s->add };
	const struct cfa_save *ra = &s->saves[SAVED_RA], *base = &s->saves[SAVED_BASE];

	if (is_end(ra))
		return (struct pprof_rule){ .cfa = PPROF_CFA_END };
	if (is_signal && s->form == CFA_DEREF)
		return signal_rule(s);
	if (!has_plain_ra(ra) || s->saves[SAVED_SP].how != SAVE_SAME)
		return unsupported;
	rule.cfa = set_kind(&rule, s, follows_base);
	if (rule.cfa == PPROF_CFA_UNSUPPORTED)
		return unsupported;
	if (ra->how == SAVE_IN_REGISTER)
		rule.ra = ra->reg;
	set_fp(&rule, &s->saves[SAVED_FP]);
	if (follows_base && base->how == SAVE_AT_CFA && base->offset == (int16_t)base->offset)
		rule.base_offset = base->offset;
	return rule;
}

static void note_jump(struct cfa_rows *r)
{
	const struct cfa_save *sp = &r->state.saves[SAVED_SP], *fp = &r->state.saves[SAVED_FP];

	r->jumps = sp->how == SAVE_IN_REGISTER && fp->how == SAVE_IN_REGISTER;
	r->next_sp = sp->reg;
	r->next_fp = fp->reg;
}

/*
 * A row of a function of Go. .debug_frame of Go does not follow fp either. A function may pop its
 * return address before a vfork(): then the size is -8.
 */
static void next_frame_size(struct cfa_rows *r)
{
	const struct go_values *v = &r->frame_sizes;
	int64_t offset;

	r->is_damaged = !go_values_next(&r->frame_sizes) || v->end <= r->start;
	offset = v->value + 8LL;
	r->end = !r->is_damaged && v->end < r->length ? v->end : r->length;
	r->jumps = false;
	r->rule = r->is_damaged || offset < 0 || !fits(offset) ? unsupported : (struct pprof_rule){
		.cfa = PPROF_CFA_SP, .cfa_offset = offset, .ra = PPROF_REG_RA,
	};
}

/*
 * An advance ends the current row. So cfa_next() executes instructions up to and including the
 * first advance beyond the start of the row. The state is then the state of the row. The last row
 * ends with the function.
 */
bool cfa_next(struct cfa_rows *r)
{
	r->start = r->end;
	if (r->start >= r->length)
		return false;
	if (r->cie->is_go) {
		next_frame_size(r);
		return true;
	}
	while (!r->is_damaged && r->at <= r->start && r->code.at < r->code.end)
		r->is_damaged = !execute(r);
	r->end = r->at > r->start && r->at < r->length ? r->at : r->length;
	if (r->is_damaged) {
		r->end = r->length;
		r->rule = unsupported;
		r->jumps = false;
	} else {
		note_jump(r);
		r->rule = rule_of(&r->state, r->cie->is_signal, r->follows_base);
	}
	return true;
}
