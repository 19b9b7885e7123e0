// SPDX-License-Identifier: GPL-2.0
// sources: collector/unwind/compile.c collector/unwind/cfi_program.c
// sources: collector/elf/code_segments.c collector/unwind/fde_index.c
// sources: collector/unwind/uncovered_code.c collector/unwind/table_builder.c
// sources: collector/base/sigbus_guard.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c collector/arch/x86/startup_code.c
// sources: collector/arch/x86/libc_code.c
// sources: collector/arch/x86/luajit_code.c
// sources: collector/elf/go_module.c collector/elf/go_table.c collector/elf/string_section.c
// libs: -ldw -lelf -lz -llzma -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
// libs: -Wl,--wrap=dwarf_next_cfi
/*
 * The expected rules at the symbols of a fixture are those of its directives, in
 * tests/unit/fixtures/cfi*.S. FIXTURES: see test_symbolizer.c.
 */
#include <elfutils/libdw.h>
#include <link.h>
#include <sys/auxv.h>

#include <sanitizer/lsan_interface.h>

#include "unwind/compile.h"
#include "elffile.h"
#include "fail_alloc.h"
#include "table.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define RAX		0
#define RBX		3
#define RDI		5
#define R10		10
#define R15		15

struct expected {
	const char *symbol;
	struct pprof_rule rule;
};

#define CFA(kind, offset)	.cfa = PPROF_CFA_##kind, .ra = PPROF_REG_RA, .cfa_offset = (offset)
#define FP_AT(offset)		.fp = PPROF_FP_SAVED, .fp_offset = (offset)
#define LOST			.fp = PPROF_FP_LOST
#define UNSUPPORTED		{ .cfa = PPROF_CFA_UNSUPPORTED }
#define END			{ .cfa = PPROF_CFA_END }
#define NONE			{ .cfa = PPROF_CFA_NONE }
#define FRAME_POINTER		{ .cfa = PPROF_CFA_FRAME_POINTER }

/* A file that is compiled. */
struct compiled {
	struct elffile file;
	struct cfi cfi;
	struct table table;
};

static void compile_bytes(struct compiled *c)
{
	int fd = elffile_open(&c->file);
	struct cfi again;

	assert_int_equal(cfi_compile(fd, &c->cfi), 0);
	table_open(&c->table, c->cfi.table, c->cfi.bytes);
	assert_int_equal(c->cfi.stats.rows, c->table.head->nr_rows);
	assert_int_equal(c->cfi.stats.rules, c->table.head->nr_rules);
	close(fd);

	/* ASAN sees what is read beyond the end of memory, but not of a mapping. */
	assert_int_equal(cfi_compile_memory(c->file.bytes, c->file.size, &again), 0);
	assert_int_equal(again.bytes, c->cfi.bytes);
	assert_memory_equal(again.table, c->cfi.table, again.bytes);
	cfi_fini(&again);
}

static void compile(struct compiled *c, const char *name)
{
	c->file = elffile_read(name);
	compile_bytes(c);
}

static void release(struct compiled *c)
{
	cfi_fini(&c->cfi);
	free(c->file.bytes);
}

static void assert_same(const char *where, const struct pprof_rule *is,
			const struct pprof_rule *want)
{
	if (memcmp(is, want, sizeof(*is)))
		fail_msg("%s: cfa %u reg %u ra %u rbp %u offset %d add %d rbp at %d rbx at %d",
			 where, is->cfa, is->reg, is->ra, is->fp, is->cfa_offset, is->cfa_add,
			 is->fp_offset, is->base_offset);
}

static void assert_rules(const struct compiled *c, const struct expected *e, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct pprof_rule rule = table_find(&c->table,
						    elffile_offset(&c->file, e[i].symbol));

		assert_same(e[i].symbol, &rule, &e[i].rule);
	}
}

static const struct expected all_kinds[] = {
	{ "leaf.all", { CFA(SP, 8) } },
	{ "pushes.called", { CFA(SP, 8) } },
	{ "pushes.rbx", { CFA(SP, 16) } },
	{ "pushes.rbp", { CFA(SP, 24), FP_AT(-24) } },
	{ "pushes.popped", { CFA(SP, 16) } },
	{ "pushes.again", { CFA(SP, 24), FP_AT(-24) } },
	{ "pushes.large", { CFA(SP, 540120), FP_AT(-24) } },
	{ "pushes.args", { CFA(SP, 540120), FP_AT(-24) } },
	{ "frame.called", { CFA(SP, 8) } },
	{ "frame.pushed", { CFA(SP, 16), FP_AT(-16) } },
	{ "frame.made", { CFA(FP, 16), FP_AT(-16) } },
	{ "frame.left", { CFA(SP, 8), FP_AT(-16) } },
	{ "realigns.called", { CFA(SP, 8) } },
	{ "realigns.r10", { CFA(REG, 0), .reg = R10 } },
	{ "realigns.rbp", { CFA(REG, 0), .reg = R10, .fp = PPROF_FP_AT_FP } },
	{ "realigns.made", { CFA(DEREF_FP, -8), .fp = PPROF_FP_AT_FP } },
	{ "advances.called", { CFA(SP, 8) } },
	{ "advances.by63", { CFA(SP, 16) } },
	{ "advances.by64", { CFA(SP, 24) } },
	{ "advances.by255", { CFA(SP, 32) } },
	{ "advances.by256", { CFA(SP, 40) } },
	{ "advances.by65536", { CFA(SP, 48) } },
	{ "repeats.called", { CFA(SP, 8) } },
	{ "repeats.same", { CFA(SP, 8) } },
	{ "repeats.other", { CFA(SP, 8) } },
	{ "rarely.def_cfa_sf", { CFA(SP, 16) } },
	{ "rarely.def_cfa_offset_sf", { CFA(SP, 24) } },
	{ "rarely.offset_extended", { CFA(SP, 24), FP_AT(-16) } },
	{ "rarely.restore_extended", { CFA(SP, 24) } },
	{ "rarely.offset_extended_sf", { CFA(SP, 24), FP_AT(-24) } },
	{ "rarely.negative_offset", { CFA(SP, 24), FP_AT(992) } },
	{ "rarely.same_value", { CFA(SP, 24) } },
	{ "rarely.breg", { CFA(FP, 16) } },
	{ "loses.undefined", { CFA(SP, 8), LOST } },
	{ "loses.register", { CFA(SP, 8), LOST } },
	{ "loses.not_yet", { CFA(SP, 8), FP_AT(-32768) } },
	{ "loses.far", { CFA(SP, 8), LOST } },
	{ "loses.expression", { CFA(SP, 8), LOST } },
	{ "loses.other_slot", { CFA(SP, 8), LOST } },
	{ "loses.value", { CFA(SP, 8), LOST } },
	{ "loses.val_offset", { CFA(SP, 8), LOST } },
	{ "stubs.lit11", { CFA(PLT, 8), .cfa_add = 11 } },
	{ "stubs.lit10", { CFA(PLT, 16), .cfa_add = 10 } },
	{ "stubs.lit16", UNSUPPORTED },
	{ "stubs.minus", UNSUPPORTED },
	{ "stubs.rip1", UNSUPPORTED },
	{ "stubs.rbp", UNSUPPORTED },
	{ "stubs.cut", UNSUPPORTED },
	{ "saves.rsp", { CFA(DEREF_SP, 40), .cfa_add = 8 } },
	{ "saves.rbp", { CFA(DEREF_FP, 88), .cfa_add = 8 } },
	{ "saves.lit", { CFA(DEREF_SP, -8), .cfa_add = 16 } },
	{ "saves.no_add", { CFA(DEREF_SP, 24) } },
	{ "saves.r12", UNSUPPORTED },
	{ "saves.minus", UNSUPPORTED },
	{ "saves.twice", UNSUPPORTED },
	{ "saves.r9", UNSUPPORTED },
	{ "parts.offset", UNSUPPORTED },
	{ "parts.whole", { CFA(SP, 16) } },
	{ "parts.register", UNSUPPORTED },
	{ "registers.rax", { CFA(REG, 8), .reg = RAX } },
	{ "registers.r15", { CFA(REG, 24), .reg = R15 } },
	{ "registers.rbx", { CFA(REG, 16), .reg = RBX } },
	{ "registers.xmm0", UNSUPPORTED },
	{ "registers.largest", { CFA(SP, INT32_MAX) } },
	{ "registers.too_large", UNSUPPORTED },
	{ "returns.rdi", { .cfa = PPROF_CFA_SP, .cfa_offset = 8, .ra = RDI } },
	{ "returns.saved", { CFA(SP, 8) } },
	{ "returns.elsewhere", UNSUPPORTED },
	{ "returns.far", UNSUPPORTED },
	{ "returns.xmm0", UNSUPPORTED },
	{ "returns.value", UNSUPPORTED },
	{ "returns.never", END },
	{ "returns.restored", { CFA(SP, 8) } },
	{ "returns.same", END },
	{ "switches.saved", UNSUPPORTED },
	{ "switches.restored", { CFA(SP, 8) } },
	{ "switches.rdx", UNSUPPORTED },
	{ "jumps.called", { CFA(SP, 16) } },
	{ "jumps.rule", { CFA(SP, 16) } },
	{ "jumps.moved", UNSUPPORTED },
	{ "jumps_too.rule", { CFA(SP, 8) } },
	{ "jumps_too.others", { CFA(SP, 8) } },
	{ "jumps_too.moved", UNSUPPORTED },
	{ "jumps_by_rdx.rule", UNSUPPORTED },
	{ "jumps_otherwise.called", { CFA(SP, 8) } },
	{ "jumps_otherwise.rule", UNSUPPORTED },
	{ "jumps_later.rule", UNSUPPORTED },
	{ "jumps_at_once.rule", UNSUPPORTED },
	{ "signal.all", { .cfa = PPROF_CFA_SIGNAL } },
	{ "signal.higher", { .cfa = PPROF_CFA_SIGNAL, .cfa_offset = 8 } },
	{ "signal.other_rbp", UNSUPPORTED },
	{ "signal.other_rip", UNSUPPORTED },
	{ "context.all", UNSUPPORTED },
	{ "plain_signal.all", { CFA(SP, 24) } },
	{ "last.all", { CFA(SP, 8) } },
};

static void kinds_of_rules(void **state)
{
	static const char *const files[] = {
		"cfi.so", "cfi.debug", "cfi.debug.gz", "cfi.both", "cfi.nohdr",
	};

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		struct compiled c;

		compile(&c, files[i]);
		assert_rules(&c, all_kinds, NR(all_kinds));
		assert_int_equal(c.table.head->flags, 0);
		release(&c);
	}
}

/* A row begins where a rule changes, and nowhere else. */
static void rows_where_rules_change(void **state)
{
	struct compiled c;
	uint64_t repeats;

	(void)state;
	compile(&c, "cfi.so");
	repeats = elffile_offset(&c.file, "repeats");
	assert_false(table_has_row(&c.table, repeats + 1));
	assert_false(table_has_row(&c.table, repeats + 2));
	assert_true(table_has_row(&c.table, elffile_offset(&c.file, "advances.by64")));
	assert_true(table_has_row(&c.table, elffile_offset(&c.file, "pushes.large")));
	assert_false(table_has_row(&c.table, elffile_offset(&c.file, "pushes.args")));
	release(&c);
}

/* glibc's dynamic linker alone has its CFA in rbx across calls. */
static void rbx_in_the_linker(void **state)
{
	static const struct expected expected[] = {
		{ "pushes.rbx", { CFA(SP, 16), .base_offset = -16 } },
		{ "pushes.rbp", { CFA(SP, 24), FP_AT(-24), .base_offset = -16 } },
		{ "registers.r15", { CFA(REG, 24), .reg = R15 } },
		{ "registers.rbx", { CFA(BASE, 16), .base_offset = -16 } },
		{ "signal.all", { .cfa = PPROF_CFA_SIGNAL } },
		{ "returns.never", END },
	};
	struct compiled c;

	(void)state;
	compile(&c, "cfi.linker");
	assert_int_equal(c.table.head->flags, PPROF_TABLE_BASE);
	assert_rules(&c, expected, NR(expected));
	release(&c);
}

static void damaged_instructions(void **state)
{
	static const struct expected expected[] = {
		{ "unknown.before", { CFA(SP, 8) } },
		{ "unknown.row", { CFA(SP, 16) } },
		{ "unknown.after", UNSUPPORTED },
		{ "unknown.later", UNSUPPORTED },
		{ "forgets.before", { CFA(SP, 8) } },
		{ "forgets.after", UNSUPPORTED },
		{ "remembers.eight", { CFA(SP, 16) } },
		{ "remembers.nine", UNSUPPORTED },
	};
	struct compiled c;

	(void)state;
	compile(&c, "cfi.damaged");
	assert_rules(&c, expected, NR(expected));
	release(&c);
}

static void framing(void **state)
{
	static const struct {
		uint64_t start, end;
		struct pprof_rule rule;
	} expected[] = {
		{ 0, 16, END }, { 16, 48, { CFA(SP, 16) } }, { 48, 256, NONE },
		{ 256, 264, { CFA(SP, 8) } }, { 264, 276, { CFA(SP, 16), FP_AT(-16) } },
		{ 276, 288, { CFA(SP, 56), FP_AT(-16) } }, { 288, 320, NONE },
		{ 320, 336, { CFA(SP, 80) } }, { 336, 512, NONE },
	};
	struct compiled c;
	uint64_t start;

	(void)state;
	compile(&c, "cfi.raw");
	start = elffile_offset(&c.file, "raw");
	for (size_t i = 0; i < NR(expected); i++)
		for (uint64_t at = expected[i].start; at < expected[i].end; at++) {
			struct pprof_rule rule = table_find(&c.table, start + at);
			char where[32];

			snprintf(where, sizeof(where), "raw + %d", (int)at);
			assert_same(where, &rule, &expected[i].rule);
		}
	release(&c);
}

static void between_functions(void **state)
{
	static const struct expected expected[] = {
		{ "gap.syscall63", { CFA(SP, 24) } }, { "gap.syscall64", NONE },
		{ "after.syscall64", { CFA(SP, 24) } }, { "gap.no_syscall", NONE },
		{ "gap.ends_behind", { CFA(CLONE, 8) } }, { "child.ends_behind", END },
		{ "gap.syscall", { CFA(SP, 8) } }, { "gap.ends_before", { CFA(CLONE, 8) } },
		{ "child.ends_before", END },
		{ "gap.pushes_first", { CFA(SP, 16) } }, { "child.pushes_first", END },
		{ "gap.no_child", { CFA(SP, 8) } }, { "gap.no_test", { CFA(SP, 8) } },
		{ "gap.short15", { CFA(SP, 24) } }, { "gap.short16", NONE },
		{ "gap.nops64", { CFA(SP, 24) } }, { "gap.nops65", NONE },
		{ "gap.nops_and_ret", NONE }, { "gap.cut_nop", { CFA(SP, 24) } },
		{ "gap.no_nop", NONE },
		{ "gap.init", { CFA(SP, 24) } }, { "init", { CFA(SP, 8) } },
		{ "init.reserved", { CFA(SP, 16) } }, { "init.returns", { CFA(SP, 8) } },
		{ "init.after", NONE },
		{ "fini", { CFA(SP, 8) } }, { "fini.reserved", { CFA(SP, 16) } },
		{ "fini.returns", { CFA(SP, 8) } }, { "after.fini", { CFA(SP, 24) } },
		{ "gap.reserves_for_long", NONE }, { "gap.reserves_16", NONE },
		{ "gap.entry", { CFA(SP, 24) } }, { "entry", END },
		{ "after.entry", { CFA(SP, 24) } },
		{ "large_entry", NONE },
		{ "gap.alien", FRAME_POINTER }, { "gap.small_alien", NONE },
		{ "gap.no_alien", NONE }, { "gap.last", NONE },
	};
	struct compiled c;
	struct pprof_rule rule;

	(void)state;
	compile(&c, "cfi.gaps");
	assert_rules(&c, expected, NR(expected));
	rule = table_find(&c.table, elffile_offset(&c.file, "first") - 1);
	assert_int_equal(rule.cfa, PPROF_CFA_NONE);
	/* All of a gap is what its first byte is. */
	rule = table_find(&c.table, elffile_offset(&c.file, "after.syscall64") - 65);
	assert_int_equal(rule.cfa, PPROF_CFA_SP);
	rule = table_find(&c.table, elffile_offset(&c.file, "after.entry") - 1);
	assert_int_equal(rule.cfa, PPROF_CFA_END);
	release(&c);
}

/* What is larger than any _start is not all where the program starts. */
static void large_entry(void **state)
{
	static const struct expected expected[] = { { "large_entry", NONE }, { "entry", NONE } };
	struct compiled c;

	(void)state;
	c.file = elffile_read("cfi.gaps");
	elffile_header(&c.file)->e_entry = elffile_offset(&c.file, "large_entry") -
		elffile_segment(&c.file, PT_LOAD, PF_X)->p_offset +
		elffile_segment(&c.file, PT_LOAD, PF_X)->p_vaddr;
	compile_bytes(&c);
	assert_rules(&c, expected, NR(expected));
	release(&c);
}

/* The offset of the first such byte from offset on. */
static uint64_t find_byte(const struct compiled *c, uint64_t offset, uint8_t byte)
{
	while (c->file.bytes[offset] != byte)
		offset++;
	return offset;
}

/* What gcc and glibc link into each program. */
static void startup_code(void **state)
{
	static const struct expected expected[] = {
		{ "deregister_tm_clones", { CFA(SP, 8) } },
		{ "register_tm_clones", { CFA(SP, 8) } },
		{ "__do_global_dtors_aux", { CFA(SP, 8) } },
		{ "frame_dummy", { CFA(SP, 8) } },
		{ "_init", { CFA(SP, 8) } },
		{ "_fini", { CFA(SP, 8) } },
		{ "_start", END },
	};
	static const char *const files[] = { "chain", "chain.nopie" };

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		const struct pprof_rule in_dtors = { CFA(SP, 16), FP_AT(-16) };
		const struct pprof_rule in_init = { CFA(SP, 16) };
		struct pprof_rule rule;
		struct compiled c;
		uint64_t at;

		compile(&c, files[i]);
		assert_rules(&c, expected, NR(expected));
		at = find_byte(&c, elffile_offset(&c.file, "__do_global_dtors_aux"), 0x55);
		rule = table_find(&c.table, at + 1);
		assert_same("after push %rbp", &rule, &in_dtors);
		rule = table_find(&c.table, find_byte(&c, at, 0x5d));
		assert_same("before pop %rbp", &rule, &in_dtors);
		rule = table_find(&c.table, find_byte(&c, at, 0x5d) + 1);
		assert_same("after pop %rbp", &rule, &expected[0].rule);
		at = find_byte(&c, elffile_offset(&c.file, "_init"), 0xec);
		rule = table_find(&c.table, at + 2);
		assert_same("in _init", &rule, &in_init);
		release(&c);
	}
}

/* The last byte of the code before a symbol: a walk looks that up for a return address. */
static uint8_t cfa_before(const struct compiled *c, const char *symbol)
{
	return table_find(&c->table, elffile_offset(&c->file, symbol) - 1).cfa;
}

/* What any libc may have, and what only musl has. */
static void plts(void **state)
{
#define STUB(n)	{ CFA(PLT, 8), .cfa_add = (n) }
	static const struct expected expected[] = {
		{ "plt_lazy", { CFA(SP, 16) } }, { "plt_lazy.stubs", STUB(11) },
		{ "after.plt_lazy", { CFA(SP, 24) } },
		{ "plt_ibt", { CFA(SP, 16) } }, { "plt_ibt.stubs", STUB(9) },
		{ "plt_ifunc", STUB(11) }, { "plt_jumps", { CFA(SP, 8) } },
		{ "plt_mold", { CFA(SP, 8) } }, { "plt_mold.pushed", { CFA(SP, 16) } },
		{ "plt_mold.pushed_2", { CFA(SP, 24) } }, { "plt_mold.stubs", { CFA(SP, 8) } },
		{ "plt_without_stubs", NONE },
	};
	struct pprof_rule rule;
	struct compiled c;
	uint64_t at;

	(void)state;
	compile(&c, "cfi.gaps");
	assert_rules(&c, expected, NR(expected));
	at = elffile_offset(&c.file, "plt_lazy");
	rule = table_find(&c.table, at + 5);
	assert_int_equal(rule.cfa_offset, 16);
	rule = table_find(&c.table, at + 6);
	assert_int_equal(rule.cfa_offset, 24);
	/* The code behind the second stub is none. */
	rule = table_find(&c.table, at + 47);
	assert_int_equal(rule.cfa, PPROF_CFA_PLT);
	rule = table_find(&c.table, at + 48);
	assert_int_equal(rule.cfa, PPROF_CFA_NONE);
	release(&c);
}

/* Headers and constants may be in front of it, in the same segment. */
static void first_section_of_code(void **state)
{
	static const struct expected expected[] = {
		{ "first_section", { CFA(SP, 8) } }, { "reserved", { CFA(SP, 16) } },
		/* Right behind a function. */
		{ "musl_fini", { CFA(SP, 8) } }, { "musl_fini.pushed", { CFA(SP, 16) } },
		{ "musl_fini.returns", { CFA(SP, 8) } },
	};
	static const char *const files[] = { "cfi.first", "cfi.onesegment" };
	struct compiled c;

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		compile(&c, files[i]);
		assert_rules(&c, expected, NR(expected));
		release(&c);
	}
}

/* What another compiler made is as its rules say. */
static void other_stacks(void **state)
{
#define BY_FP	{ CFA(OTHER_STACK, 16), FP_AT(-16) }
#define GO_FRAME	{ CFA(SP, 16), FP_AT(-16) }
	static const struct expected both[] = {
		{ "ways.returns", { CFA(SP, 8) } }, { "switches", { CFA(SP, 8) } },
		{ "switches.returns", { CFA(SP, 8) } }, { "aligns.before", { CFA(SP, 8) } },
		{ "aligns.after", { CFA(SP, 8) } }, { "clones.parent", { CFA(SP, 8) } },
		{ "starts.before", { CFA(SP, 48) } }, { "plain.inside", { CFA(SP, 8) } },
		{ "pushes_r13.after", { CFA(SP, 16) } },
	};
	static const struct expected in_go[] = {
		{ "ways.inside", BY_FP }, { "ways.second", BY_FP },
		{ "switches.inside", BY_FP }, { "aligns.inside", UNSUPPORTED },
		{ "parks.inside", UNSUPPORTED }, { "clones.child", END }, { "starts.inside", END },
		{ "exits", END }, { "exits.returned", END }, { "exits.second", END },
		{ "ways.after", GO_FRAME }, { "switches.before", GO_FRAME },
		{ "switches.after", GO_FRAME }, { "parks.runs_on", GO_FRAME },
		{ "schedules.before", GO_FRAME }, { "schedules.inside", END },
		{ "schedules.returned", END }, { "schedules.runs_on", GO_FRAME },
		{ "schedules_old.inside", END },
		{ "grows.inside", UNSUPPORTED }, { "grows.returned", UNSUPPORTED },
	};
	static const struct expected elsewhere[] = {
		{ "switches.inside", { CFA(SP, 16) } }, { "aligns.inside", { CFA(SP, 8) } },
		{ "parks.inside", { CFA(SP, 16) } }, { "clones.child", { CFA(SP, 8) } },
		{ "starts.inside", { CFA(SP, 48) } }, { "exits", { CFA(SP, 8) } },
		{ "switches.before", { CFA(SP, 16) } }, { "schedules.inside", { CFA(SP, 16) } },
		{ "grows.inside", { CFA(SP, 8) } },
	};
	struct compiled c;

	(void)state;
	compile(&c, "cfi.go");
	assert_rules(&c, both, NR(both));
	assert_rules(&c, in_go, NR(in_go));
	release(&c);
	compile(&c, "cfi.not_go");
	assert_rules(&c, both, NR(both));
	assert_rules(&c, elsewhere, NR(elsewhere));
	release(&c);
}

static void interpreter_with_one_rule(void **state)
{
#define FRAME(words)	{ CFA(SP, 8 * (words)), FP_AT(-16) }
	static const struct expected expected[] = {
		{ "vm", FRAME(10) }, { "vm.enter", { CFA(SP, 8) } }, { "vm.pushed", FRAME(2) },
		{ "vm.pushed_all", FRAME(5) }, { "vm.entered", FRAME(10) },
		{ "vm.leave", FRAME(10) }, { "vm.left", FRAME(5) },
		{ "vm.returns", { CFA(SP, 8) } },
		/* One piece right behind another one. */
		{ "second.enter", { CFA(SP, 8) } }, { "second.pushed", FRAME(2) },
		{ "trace", UNSUPPORTED }, { "trace.left", FRAME(10) },
		{ "small.enter", FRAME(10) }, { "small.pushed_all", FRAME(10) },
	};
	struct compiled c;

	(void)state;
	compile(&c, "cfi.luajit");
	assert_rules(&c, expected, NR(expected));
	release(&c);
}

static void libc_without_cfi(void **state)
{
	static const struct expected always[] = {
		{ "gap.restorer", NONE }, { "restorer", { .cfa = PPROF_CFA_SIGNAL } },
		{ "restorer.after", NONE }, { "restorer.whole_gap", { .cfa = PPROF_CFA_SIGNAL } },
		{ "gap.no_restorer", NONE },
		{ "gap.clone", NONE }, { "clone.called", NONE }, { "gap.program", NONE },
		{ "program.called", NONE }, { "gap.direct", NONE }, { "gap.argument", NONE },
	};
	static const char *const files[] = { "cfi.gaps", "cfi.musl", "cfi.musl.bare" };

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		uint8_t musl = i ? PPROF_CFA_END : PPROF_CFA_NONE;
		struct compiled c;

		compile(&c, files[i]);
		assert_rules(&c, always, NR(always));
		assert_int_equal(cfa_before(&c, "restorer.after"), PPROF_CFA_SIGNAL);
		assert_int_equal(cfa_before(&c, "after.whole_gap"), PPROF_CFA_SIGNAL);
		assert_int_equal(cfa_before(&c, "clone.called"), PPROF_CFA_END);
		assert_int_equal(cfa_before(&c, "program.called"), musl);
		assert_int_equal(cfa_before(&c, "thread.called"), musl);
		assert_int_equal(cfa_before(&c, "c11_thread.called"), musl);
		assert_int_equal(cfa_before(&c, "argument.called"), PPROF_CFA_NONE);
		assert_int_equal(cfa_before(&c, "direct.called"), PPROF_CFA_NONE);
		release(&c);
	}
}

/* The byte before is what a walk looks up, unless it is of the function before. */
static void fibers(void **state)
{
	static const struct expected expected[] = {
		{ "before.context", { CFA(SP, 24) } }, { "context", END },
		{ "context.endbr64", END }, { "context.adjacent", END }, { "context.one", END },
		{ "context.longer", { CFA(SP, 8) } }, { "gap.fiber", NONE },
		{ "fiber.returns", NONE }, { "fiber.no_return", NONE },
	};
	static const char *const ends[] = {
		"context", "context.endbr64", "context.one", "fiber.returns", "fiber.returns_too",
	};
	struct compiled c;

	(void)state;
	compile(&c, "cfi.gaps");
	assert_rules(&c, expected, NR(expected));
	for (size_t i = 0; i < NR(ends); i++)
		assert_int_equal(cfa_before(&c, ends[i]), PPROF_CFA_END);
	assert_int_equal(cfa_before(&c, "fiber.no_return"), PPROF_CFA_NONE);
	assert_int_equal(table_find(&c.table, elffile_offset(&c.file, "context") - 2).cfa,
			 PPROF_CFA_SP);
	release(&c);
}

/* Where no FDE is at all, another compiler made the code: Go's. */
static void without_cfi(void **state)
{
	static const struct expected expected[] = {
		{ "_start", FRAME_POINTER }, { "bare_func", FRAME_POINTER },
	};
	struct compiled c;
	uint64_t end;

	(void)state;
	compile(&c, "bare");
	assert_rules(&c, expected, NR(expected));
	end = elffile_segment(&c.file, PT_LOAD, PF_X)->p_offset +
	      elffile_segment(&c.file, PT_LOAD, PF_X)->p_filesz;
	assert_int_equal(table_find(&c.table, end - 1).cfa, PPROF_CFA_FRAME_POINTER);
	assert_int_equal(table_find(&c.table, end).cfa, PPROF_CFA_NONE);
	assert_int_equal(c.cfi.stats.covered_bytes, c.cfi.stats.text_bytes);
	release(&c);
}

static void stats(void **state)
{
	struct compiled c;
	const Elf64_Phdr *text;
	uint64_t end;

	(void)state;
	compile(&c, "cfi.gaps");
	text = elffile_segment(&c.file, PT_LOAD, PF_X);
	end = text->p_offset + text->p_filesz;
	assert_int_equal(c.cfi.stats.text_bytes, text->p_filesz);
	assert_int_equal(c.cfi.stats.unsupported_bytes, 0);
	for (uint64_t at = text->p_offset; at < end; at++)
		c.cfi.stats.covered_bytes -= table_find(&c.table, at).cfa != PPROF_CFA_NONE;
	assert_int_equal(c.cfi.stats.covered_bytes, 0);
	release(&c);

	compile(&c, "cfi.damaged");
	/* 2 bytes each, and what pads the next function. */
	assert_int_equal(c.cfi.stats.unsupported_bytes, 14 + 15 + 1);
	release(&c);
}

static void without_section_headers(void **state)
{
	struct compiled c;

	(void)state;
	compile(&c, "cfi.so");
	cfi_fini(&c.cfi);
	elffile_drop_sections(&c.file);
	compile_bytes(&c);
	free(c.file.bytes);
	c.file = elffile_read("cfi.so");
	assert_rules(&c, all_kinds, NR(all_kinds));
	release(&c);
}

static void swap_headers(Elf64_Phdr *a, Elf64_Phdr *b)
{
	Elf64_Phdr saved = *a;

	*a = *b;
	*b = saved;
}

/* In the file's order, whatever that of their headers. What lies between is no code. */
static void two_segments(void **state)
{
	static const char *const files[] = { "cfi.so", "cfi.stripped" };

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		struct compiled c = { .file = elffile_read(files[i]) };
		Elf64_Phdr *text = elffile_segment(&c.file, PT_LOAD, PF_X);
		Elf64_Phdr *data = elffile_segment(&c.file, PT_LOAD, PF_W);
		uint64_t end = text->p_offset + text->p_filesz;

		data->p_flags |= PF_X;
		compile_bytes(&c);
		cfi_fini(&c.cfi);
		swap_headers(text, data);
		compile_bytes(&c);
		swap_headers(text, data);
		assert_int_equal(c.cfi.stats.text_bytes, data->p_filesz + text->p_filesz);
		assert_int_not_equal(table_find(&c.table, end - 1).cfa, PPROF_CFA_NONE);
		assert_int_equal(table_find(&c.table, end).cfa, PPROF_CFA_NONE);
		if (i == 0)
			assert_rules(&c, all_kinds, NR(all_kinds));
		else
			assert_int_equal(table_find(&c.table, data->p_offset).cfa,
					 PPROF_CFA_FRAME_POINTER);
		release(&c);
	}
}

static int try_bytes(const struct elffile *e)
{
	struct cfi c;
	int fd = elffile_open(e), err = cfi_compile(fd, &c);

	close(fd);
	if (!err)
		cfi_fini(&c);
	return err;
}

static void no_program(void **state)
{
	struct elffile e = elffile_read("cfi.so"), other = elffile_read("bare32");
	int pipe_fds[2];
	struct cfi c;

	(void)state;
	assert_int_equal(try_bytes(&other), -ENOTSUP);
	elffile_header(&other)->e_machine = EM_X86_64;	/* x32 */
	assert_int_equal(try_bytes(&other), -ENOTSUP);
	free(other.bytes);
	other = (struct elffile){ .bytes = (uint8_t *)"#!/bin/sh\n", .size = 10 };
	assert_int_equal(try_bytes(&other), -ENOMSG);
	other.size = 0;
	assert_int_equal(try_bytes(&other), -ENOMSG);
	other = (struct elffile){ .bytes = e.bytes, .size = sizeof(Elf64_Ehdr) - 1 };
	assert_int_equal(try_bytes(&other), -ENOEXEC);
	elffile_header(&e)->e_machine = EM_AARCH64;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	elffile_header(&e)->e_machine = EM_X86_64;
	elffile_header(&e)->e_type = ET_REL;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	elffile_header(&e)->e_type = ET_DYN;
	elffile_header(&e)->e_ident[EI_DATA] = ELFDATA2MSB;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	elffile_header(&e)->e_ident[EI_DATA] = ELFDATA2LSB;
	elffile_segment(&e, PT_LOAD, PF_X)->p_flags &= ~PF_X;
	assert_int_equal(try_bytes(&e), -ENODATA);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(cfi_compile(pipe_fds[0], &c), -ENOMSG);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	assert_int_equal(cfi_compile(-1, &c), -ENOMSG);
	free(e.bytes);
}

static void segments_that_cannot_be(void **state)
{
	struct elffile e = elffile_read("cfi.so");
	Elf64_Phdr *text = elffile_segment(&e, PT_LOAD, PF_X), saved = *text;
	Elf64_Phdr *data = elffile_segment(&e, PT_LOAD, PF_W);

	(void)state;
	text->p_offset = e.size - text->p_filesz + 1;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	text->p_offset = UINT64_MAX - 10;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	*text = saved;
	text->p_filesz = UINT64_MAX;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	*text = saved;
	data->p_flags |= PF_X;
	data->p_offset = text->p_offset + text->p_filesz - 1;
	assert_int_equal(try_bytes(&e), -ENOEXEC);
	data->p_offset++;
	assert_int_equal(try_bytes(&e), 0);
	free(e.bytes);
}

/* 4 GB of code: a sparse file. */
static void too_large(void **state)
{
	const uint64_t bytes = (uint64_t)PPROF_TABLE_MAX_BYTES / 4 * PPROF_TABLE_PAGE_BYTES + 8192;
	struct elffile e = elffile_read("cfi.so");
	int fd;
	struct cfi c;

	(void)state;
	elffile_segment(&e, PT_LOAD, PF_X)->p_filesz = bytes;
	fd = elffile_open(&e);
	assert_int_equal(ftruncate(fd, bytes + e.size), 0);
	assert_int_equal(cfi_compile(fd, &c), -EFBIG);
	close(fd);
	free(e.bytes);
}

/* Any cut of a file is refused or gives a table, and so does any damage. */
static void truncated(void **state)
{
	static const char *const files[] = { "cfi.raw", "cfi.debug.gz", "chain" };

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		struct elffile e = elffile_read(files[i]);

		for (size_t n = 0; n < e.size; n += n < 4096 ? 61 : 509) {
			struct elffile part = { .bytes = malloc(n), .size = n };
			struct cfi c;

			memcpy(part.bytes, e.bytes, n);
			if (!cfi_compile_memory(part.bytes, n, &c))
				cfi_fini(&c);
			free(part.bytes);
		}
		free(e.bytes);
	}
}

static void damage(struct elffile *e, unsigned int *seed)
{
	for (int i = 0; i < 20; i++) {
		*seed = *seed * 1103515245 + 12345;
		e->bytes[(*seed >> 8) % e->size] = *seed >> 24;
	}
}

static void damaged(void **state)
{
	static const char *const files[] = { "cfi.raw", "cfi.debug.gz", "cfi.so" };
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct elffile e = elffile_read(files[i % NR(files)]);
		struct table t;
		struct cfi c;

		damage(&e, &seed);
		if (!cfi_compile_memory(e.bytes, e.size, &c)) {
			table_open(&t, c.table, c.bytes);
			cfi_fini(&c);
		}
		free(e.bytes);
	}
}

/* .debug_frame of 4 GB, if one believes it. */
static void bomb(void **state)
{
	struct compiled c;
	Elf64_Shdr *frame;
	Elf64_Chdr chdr;

	(void)state;
	c.file = elffile_read("cfi.debug.gz");
	frame = elffile_section(&c.file, ".debug_frame");
	memcpy(&chdr, c.file.bytes + frame->sh_offset, sizeof(chdr));
	chdr.ch_size = 4ULL << 30;
	memcpy(c.file.bytes + frame->sh_offset, &chdr, sizeof(chdr));
	compile_bytes(&c);
	assert_int_equal(table_find(&c.table, elffile_offset(&c.file, "leaf")).cfa,
			 PPROF_CFA_FRAME_POINTER);
	release(&c);
}

/* As many as there can be, each with a name that has no end: 64 KB of letters. */
static void many_sections(void **state)
{
	const size_t nr_letters = 64 << 10, names_offset = 16 << 20;
	struct elffile e = elffile_read("cfi.so");
	char *letters = malloc(nr_letters);
	Elf64_Shdr *sections = calloc(UINT16_MAX, sizeof(*sections));
	Elf64_Ehdr *h = elffile_header(&e);
	struct cfi c;
	int fd;

	(void)state;
	h->e_shoff = 1 << 20;
	h->e_shnum = UINT16_MAX;
	h->e_shstrndx = 1;
	for (int i = 0; i < UINT16_MAX; i++)
		sections[i] = (Elf64_Shdr){
			.sh_type = SHT_STRTAB, .sh_size = nr_letters, .sh_offset = names_offset,
		};
	memset(letters, 'x', nr_letters);
	fd = elffile_open(&e);
	assert_int_equal(pwrite(fd, sections, UINT16_MAX * sizeof(*sections), 1 << 20),
			 UINT16_MAX * sizeof(*sections));
	assert_int_equal(pwrite(fd, letters, nr_letters, names_offset), nr_letters);
	assert_int_equal(cfi_compile(fd, &c), 0);
	cfi_fini(&c);
	h->e_shnum = 0;
	sections[0].sh_size = UINT16_MAX + 1;
	assert_int_equal(pwrite(fd, h, sizeof(*h), 0), sizeof(*h));
	assert_int_equal(pwrite(fd, sections, sizeof(*sections), 1 << 20), sizeof(*sections));
	assert_int_equal(cfi_compile(fd, &c), -ENOEXEC);
	close(fd);
	free(letters);
	free(sections);
	free(e.bytes);
}

static int shrinking_fd = -1;

int __real_dwarf_next_cfi(const unsigned char ident[], Elf_Data *data, bool eh_frame_p,
			  Dwarf_Off offset, Dwarf_Off *next, Dwarf_CFI_Entry *entry);
int __wrap_dwarf_next_cfi(const unsigned char ident[], Elf_Data *data, bool eh_frame_p,
			  Dwarf_Off offset, Dwarf_Off *next, Dwarf_CFI_Entry *entry);

int __wrap_dwarf_next_cfi(const unsigned char ident[], Elf_Data *data, bool eh_frame_p,
			  Dwarf_Off offset, Dwarf_Off *next, Dwarf_CFI_Entry *entry)
{
	if (shrinking_fd >= 0)
		assert_int_equal(ftruncate(shrinking_fd, 0), 0);
	return __real_dwarf_next_cfi(ident, data, eh_frame_p, offset, next, entry);
}

/* What libelf had is lost by design, hence no search for leaks. */
static void shrinks(void **state)
{
	struct elffile e = elffile_read("cfi.so");
	struct cfi c;

	(void)state;
	shrinking_fd = elffile_open(&e);
	__lsan_disable();
	assert_int_equal(cfi_compile(shrinking_fd, &c), -EIO);
	__lsan_enable();
	close(shrinking_fd);
	shrinking_fd = -1;
	free(e.bytes);
}

static int try_with(struct elffile *e, long nr_allocations)
{
	struct cfi c;
	int err;

	allocations_left = nr_allocations;
	err = cfi_compile_memory(e->bytes, e->size, &c);
	allocations_left = -1;
	if (!err)
		cfi_fini(&c);
	return err;
}

/* libelf's own allocations are not among them. */
static void no_memory(void **state)
{
	static const char *const files[] = { "chain", "cfi.so" };
	int err, nr;

	(void)state;
	for (size_t i = 0; i < NR(files); i++) {
		struct elffile e = elffile_read(files[i]);

		for (nr = 0, err = -ENOMEM; err; nr++) {
			err = try_with(&e, nr);
			if (err)
				assert_int_equal(err, -ENOMEM);
		}
		assert_true(nr > 10);
		free(e.bytes);
	}
}

static int find_vdso(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct elffile *e = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == getauxval(AT_SYSINFO_EHDR))
			e->size = info->dlpi_phdr[i].p_filesz;
	return 0;
}

/* It is mapped read-only, and functions of it are where dlsym() says. */
/* Each ends the sentence that opens with the file's name. */
static void reasons(void **state)
{
	(void)state;
	assert_string_equal(cfi_reason(-ENOMSG), "is no ELF file");
	assert_non_null(strstr(cfi_reason(-ENOEXEC), "is no ELF program"));
	assert_string_equal(cfi_reason(-ENOTSUP), "has 32-bit code (i386 or x32)");
	assert_string_equal(cfi_reason(-ENODATA), "has no code");
	assert_non_null(strstr(cfi_reason(-EIO), "cut off"));
	assert_non_null(strstr(cfi_reason(-EFBIG), "larger table"));
	assert_string_equal(cfi_reason(-ENOMEM), "Cannot allocate memory");
}

static void vdso(void **state)
{
	struct elffile e = { .bytes = (uint8_t *)getauxval(AT_SYSINFO_EHDR) };
	struct table t;
	struct cfi c;

	(void)state;
	dl_iterate_phdr(find_vdso, &e);
	assert_true(e.size > 0);
	assert_int_equal(cfi_compile_memory(e.bytes, e.size, &c), 0);
	table_open(&t, c.table, c.bytes);
	assert_true(c.stats.rows > 5);
	assert_true(c.stats.covered_bytes > 500);
	assert_int_equal(c.stats.unsupported_bytes, 0);
	cfi_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_rules),
		cmocka_unit_test(rows_where_rules_change),
		cmocka_unit_test(rbx_in_the_linker),
		cmocka_unit_test(damaged_instructions),
		cmocka_unit_test(framing),
		cmocka_unit_test(between_functions),
		cmocka_unit_test(large_entry),
		cmocka_unit_test(startup_code),
		cmocka_unit_test(plts),
		cmocka_unit_test(first_section_of_code),
		cmocka_unit_test(other_stacks),
		cmocka_unit_test(interpreter_with_one_rule),
		cmocka_unit_test(libc_without_cfi),
		cmocka_unit_test(fibers),
		cmocka_unit_test(without_cfi),
		cmocka_unit_test(stats),
		cmocka_unit_test(without_section_headers),
		cmocka_unit_test(two_segments),
		cmocka_unit_test(no_program),
		cmocka_unit_test(segments_that_cannot_be),
		cmocka_unit_test(too_large),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(bomb),
		cmocka_unit_test(many_sections),
		cmocka_unit_test(shrinks),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(reasons),
		cmocka_unit_test(vdso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
