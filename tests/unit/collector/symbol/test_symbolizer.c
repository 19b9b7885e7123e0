// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/symbolizer.c collector/symbol/elf_symbolizer.c
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/symbol/function_bounds.c collector/unwind/fde_index.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/elf/debug_sections.c collector/symbol/demangle_dlang.c
// sources: collector/symbol/line_row.c collector/symbol/code_ranges.c
// sources: collector/symbol/split_dwarf.c collector/symbol/skeleton_image.c
// sources: collector/symbol/file_identity.c collector/symbol/build_identity.c
// sources: collector/symbol/cache_dir.c collector/symbol/cache_file.c
// sources: collector/symbol/debuginfod_cache.c
// sources: collector/procfs/vdso.c collector/symbol/dwarf.c collector/elf/symtab.c
// sources: collector/elf/plt.c collector/elf/string_section.c collector/elf/build_id.c
// sources: collector/symbol/demangle.c collector/base/interval_set.c
// sources: collector/base/sigbus_guard.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c
// libs: -ldw -lelf -lz -llzma -liberty -lxxhash
/*
 * The environment variable FIXTURES names the folder that fixtures/build made.
 * nm, objdump and addr2line of binutils give the expected names.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <gnu/libc-version.h>
#include <sanitizer/lsan_interface.h>

#include "elf/build_id.h"
#include "sparse.h"
#include "symbol/symbolizer.h"
#include "procfs/vdso.h"

#define MAX_LINES	64
#define INNER_LINE	9	/* of mark_inner in chain_inner.h */
#define MIDDLE_LINE	11	/* in chain.c: chain_middle calls chain_inner */
#define MARK_LINE	16	/* of mark_outer */
#define OUTER_LINE	17	/* chain_outer calls chain_middle */

static const char *fixture(const char *name)
{
	static char path[8][4096];
	static int turn;
	const char *dir = getenv("FIXTURES");

	assert_non_null(dir);
	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

/* Returns the content of a file; the caller frees it. */
static char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = ftell(f);
	rewind(f);
	bytes = malloc(*size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

static struct symbolizer *open_path(const char *path)
{
	struct symbolizer *s = symbolizer_open(open(path, O_RDONLY | O_CLOEXEC), path);

	assert_non_null(s);
	return s;
}

/* Returns the file offset of an address, by the headers of a 64- or 32-bit file. */
static uint64_t offset_of(const char *path, uint64_t vaddr)
{
	size_t size;
	char *b = slurp(path, &size);
	Elf64_Ehdr *e = (Elf64_Ehdr *)b;
	Elf32_Ehdr *e32 = (Elf32_Ehdr *)b;
	bool is32 = e->e_ident[EI_CLASS] == ELFCLASS32;
	uint64_t offset = 0;

	for (int i = 0; i < (is32 ? e32->e_phnum : e->e_phnum); i++) {
		Elf64_Phdr *p = (Elf64_Phdr *)(b + e->e_phoff) + i;
		Elf32_Phdr *p32 = (Elf32_Phdr *)(b + e32->e_phoff) + i;
		uint64_t start = is32 ? p32->p_vaddr : p->p_vaddr;

		if ((is32 ? p32->p_type : p->p_type) == PT_LOAD &&
		    vaddr - start < (is32 ? p32->p_filesz : p->p_filesz))
			offset = vaddr - start + (is32 ? p32->p_offset : p->p_offset);
	}
	free(b);
	assert_true(offset);
	return offset;
}

/* Returns the symbols of a file. It stays until the next file. No test changes a program. */
static const char *symbols_of(const char *path)
{
	static char last_path[512], symbols[1 << 20];
	char cmd[1024];
	size_t size;
	FILE *f;

	if (!strcmp(path, last_path))
		return symbols;
	snprintf(cmd, sizeof(cmd), "nm --defined-only '%s' | sed 's/ [^ ]* / /'", path);
	f = popen(cmd, "r");
	size = fread(symbols, 1, sizeof(symbols) - 1, f);
	symbols[size] = '\0';
	assert_true(size < sizeof(symbols) - 1);
	assert_int_equal(pclose(f), 0);
	snprintf(last_path, sizeof(last_path), "%s", path);
	return symbols;
}

static uint64_t address_of(const char *path, const char *symbol)
{
	const char *at = symbols_of(path);
	unsigned long addr, found = 0;
	char name[512];
	int bytes;

	for (; sscanf(at, "%lx %511s\n%n", &addr, name, &bytes) == 2; at += bytes)
		if (!strcmp(name, symbol))
			found = addr;
	assert_true(found);
	return found;
}

/* twin: the file with the symbols; 0 in bytes is the symbol's first. */
static int look(struct symbolizer *s, const char *twin, const char *symbol, int bytes,
		struct frame *lines)
{
	return symbolizer_lookup(s, offset_of(twin, address_of(twin, symbol) + bytes), lines,
				 MAX_LINES);
}

static void expect_line(const struct frame *l, const char *name, const char *file, uint32_t line,
			uint32_t start_line)
{
	const char *base = l->file ? strrchr(l->file, '/') : NULL;

	assert_string_equal(l->name, name);
	assert_string_equal(l->system_name, name);
	assert_non_null(base);
	assert_int_equal(l->file[0], '/');
	assert_string_equal(base + 1, file);
	assert_int_equal(l->line, line);
	assert_int_equal(l->start_line, start_line);
}

static void expect_chain(struct symbolizer *s, const char *twin)
{
	struct frame l[MAX_LINES];

	assert_int_equal(look(s, twin, "mark_inner", 0, l), 3);
	expect_line(&l[0], "chain_inner", "chain_inner.h", INNER_LINE, 6);
	expect_line(&l[1], "chain_middle", "chain.c", MIDDLE_LINE, 9);
	expect_line(&l[2], "chain_outer", "chain.c", OUTER_LINE, 14);
	assert_int_equal(l[1].column, 9);
	for (int i = 0; i < 3; i++)
		assert_int_equal(l[i].offset, address_of(twin, "mark_inner") -
				 address_of(twin, "chain_outer"));
	assert_int_equal(look(s, twin, "mark_outer", 0, l), 1);
	expect_line(&l[0], "chain_outer", "chain.c", MARK_LINE, 14);
	assert_true(look(s, twin, "chain_static", 0, l) > 0);
	assert_string_equal(l[0].name, "chain_static");
}

static void own_debug_info(void **state)
{
	static const char *const names[] = {
		"chain", "chain.nopie", "chain.dwarf4", "chain.gz", "chain.noaranges",
		"chain.mixed", "chain.damaged", "chain.relative", "chain.split", "chain.split4",
		"chain.unnamed",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct symbolizer *s = open_path(fixture(names[i]));

		expect_chain(s, fixture(names[i]));
		symbolizer_free(s);
	}
}

static void debug_info_shared_by_dwz(void **state)
{
	struct symbolizer *s;

	(void)state;
	s = open_path(fixture("dwz1"));
	expect_chain(s, fixture("dwz1"));
	symbolizer_free(s);
}

/* The alternate file has another build ID: no line is better than a wrong one. */
static void wrong_dwz_file(void **state)
{
	struct frame l[MAX_LINES];
	struct symbolizer *s;

	(void)state;
	s = open_path(fixture("wrong/dwz1"));
	assert_int_equal(look(s, fixture("chain"), "mark_inner", 0, l), 1);
	assert_string_equal(l[0].name, "chain_outer");
	assert_null(l[0].file);
	symbolizer_free(s);
}

/* Its range starts at address 0, and reaches over all code. */
static void removed_functions(void **state)
{
	static const char *const names[] = { "removed", "removed.dwarf4" };
	struct frame l[MAX_LINES];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = fixture(names[i]);
		struct symbolizer *s = open_path(path);

		assert_int_equal(look(s, path, "_start", 1, l), 1);
		assert_string_equal(l[0].name, "_start");
		assert_int_equal(look(s, path, "main", 0, l), 1);
		assert_string_equal(l[0].name, "main");
		assert_int_equal(l[0].start_line, 10);
		symbolizer_free(s);
	}
}

/* The skeleton has lines, but the functions are in the .dwo file. */
static void expect_lines_only(const char *path, const char *debug)
{
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];

	assert_int_equal(look(s, path, "mark_outer", 0, l), 1);
	expect_line(&l[0], "chain_outer", "chain.c", MARK_LINE, 0);
	assert_int_equal(symbolizer_fault(s)->cause, DEBUG_FAULT_SPLIT);
	assert_non_null(strstr(symbolizer_fault(s)->path, debug));
	symbolizer_free(s);
}

/* Copies the program of lost/ to a new folder. Returns the paths of both, and that of its .dwo. */
static void copy_split(char folder[64], char program[80], char dwo[80])
{
	size_t size;
	char *bytes = slurp(fixture("lost/chain"), &size);
	FILE *f;

	strcpy(folder, "/tmp/test_split.XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(program, 80, "%s/chain", folder);
	snprintf(dwo, 80, "%s/chain.dwo", folder);
	f = fopen(program, "w");
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
	free(bytes);
}

static void remove_split(const char *folder, const char *program, const char *dwo)
{
	unlink(dwo);
	unlink(program);
	rmdir(folder);
}

/* A FIFO has no writer: to open it would take for ever. */
static void bad_dwo_files(void **state)
{
	char folder[64], program[80], dwo[80], *other = realpath(fixture("chain.split4-chain.dwo"),
								 NULL);

	(void)state;
	expect_lines_only(fixture("lost/chain"), "/lost/chain.dwo");
	copy_split(folder, program, dwo);
	assert_int_equal(mkfifo(dwo, 0600), 0);
	expect_lines_only(program, "/lost/chain.dwo");
	unlink(dwo);
	assert_int_equal(symlink("/dev/zero", dwo), 0);
	expect_lines_only(program, "/lost/chain.dwo");
	unlink(dwo);
	assert_int_equal(symlink(other, dwo), 0);
	expect_lines_only(program, dwo);
	remove_split(folder, program, dwo);
	free(other);
}

/* No access is outside of memory, for any content of the .dwo file. */
static void damaged_dwo_files(void **state)
{
	char folder[64], program[80], dwo[80];
	struct frame l[MAX_LINES];
	uint64_t inner, outer;
	unsigned int seed = 1;
	size_t size;
	char *bytes = slurp(fixture("packed/chain.dwp"), &size);
	char *copy = malloc(size);

	(void)state;
	copy_split(folder, program, dwo);
	inner = offset_of(program, address_of(program, "mark_inner"));
	outer = offset_of(program, address_of(program, "mark_outer"));
	for (int n = 0; n < 150; n++) {
		struct symbolizer *s = open_path(program);
		FILE *f = fopen(dwo, "w");

		memcpy(copy, bytes, size);
		for (int k = 0; k < n / 4; k++)
			copy[rand_r(&seed) % size] = rand_r(&seed);
		assert_int_equal(fwrite(copy, 1, size, f), size);
		fclose(f);
		assert_true(symbolizer_lookup(s, inner, l, MAX_LINES) > 0);
		assert_true(symbolizer_lookup(s, outer, l, MAX_LINES) > 0);
		symbolizer_free(s);
	}
	remove_split(folder, program, dwo);
	free(copy);
	free(bytes);
}

static void dwp_file(void **state)
{
	const char *path = fixture("packed/chain");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, path, "mark_outer", 0, l), 1);
	if (!symbolizer_fault(s)->cause) {
		expect_chain(s, path);
	} else {
		assert_int_equal(symbolizer_fault(s)->cause, DEBUG_FAULT_DWP);
		assert_non_null(strstr(symbolizer_fault(s)->path, "/packed/chain.dwp"));
	}
	symbolizer_free(s);
}

/* Debug info that libelf cannot decompress is no silent loss. holder has the debug info. */
static void expect_fault_or_chain(const char *path, const char *holder)
{
	struct symbolizer *s = open_path(path);
	const struct debug_fault *fault;
	struct frame l[MAX_LINES];

	assert_int_equal(symbolizer_fault(s)->cause, DEBUG_FAULT_NONE);
	assert_int_equal(look(s, fixture("chain"), "mark_outer", 0, l), 1);
	assert_string_equal(l[0].name, "chain_outer");
	fault = symbolizer_fault(s);
	if (!fault->cause) {
		expect_chain(s, fixture("chain"));
	} else {
		assert_int_equal(fault->cause, DEBUG_FAULT_COMPRESSION);
		if (holder)
			assert_non_null(strstr(fault->path, holder));
		else
			assert_null(fault->path);
	}
	symbolizer_free(s);
}

static void compressed_with_zstd(void **state)
{
	(void)state;
	expect_fault_or_chain(fixture("chain.zstd"), NULL);
	expect_fault_or_chain(fixture("zstd/chain"), "/zstd/chain.debug");
}

static void only_dynamic_symbols(void **state)
{
	struct symbolizer *s = open_path(fixture("chain.stripped"));
	const char *twin = fixture("chain");
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, twin, "mark_inner", 0, l), 1);
	assert_string_equal(l[0].name, "chain_outer");
	assert_int_equal(l[0].offset, address_of(twin, "mark_inner") -
			 address_of(twin, "chain_outer"));
	assert_null(l[0].file);
	assert_int_equal(l[0].line, 0);
	/* Neither chain_outer nor main, though both are near. */
	assert_int_equal(look(s, twin, "chain_static", 0, l), 0);
	symbolizer_free(s);
}

static void stripped_go(void **state)
{
	struct symbolizer *s = open_path(fixture("go.stripped"));
	const char *twin = fixture("go.pie");
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, twin, "innermost", 0, l), 3);
	expect_line(&l[0], "main.innermost", "inner.go", 21, 20);
	expect_line(&l[1], "main.inner", "inner.go", 4, 2);
	expect_line(&l[2], "main.(*T[...]).outer", "outer.go", 11, 9);
	assert_int_equal(look(s, twin, "assembly", 0, l), 1);
	expect_line(&l[0], "assembly", "asm.s", 77, 70);
	assert_int_equal(look(s, twin, "behind", 0, l), 0);
	symbolizer_free(s);
}

/* A symbol has the types of a generic function. Only one with a size is that of the function. */
static void go_with_symbols(void **state)
{
	const char *path = fixture("go.pie");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, path, "outer", 0, l), 1);
	assert_string_equal(l[0].name, "main.(*T[...]).outer");
	assert_string_equal(l[0].system_name, "outer");
	assert_int_equal(look(s, path, "assembly", 0, l), 1);
	assert_string_equal(l[0].system_name, "assembly");
	symbolizer_free(s);
}

static void mini_debug_info(void **state)
{
	struct symbolizer *s = open_path(fixture("chain.mini"));
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, fixture("chain"), "chain_static", 1, l), 1);
	assert_string_equal(l[0].name, "chain_static");
	assert_int_equal(look(s, fixture("chain"), "mark_inner", 1, l), 1);
	assert_string_equal(l[0].name, "chain_outer");
	symbolizer_free(s);
}

/* As for a deleted program: the folder is there, the file is not. */
static void debug_link(void **state)
{
	char path[4096];
	struct symbolizer *s;

	(void)state;
	s = open_path(fixture("linked/chain"));
	expect_chain(s, fixture("chain"));
	symbolizer_free(s);
	snprintf(path, sizeof(path), "%s (gone)", fixture("linked/chain"));
	s = symbolizer_open(open(fixture("linked/chain"), O_RDONLY), path);
	expect_chain(s, fixture("chain"));
	symbolizer_free(s);
	s = open_path(fixture("linked/noid"));
	expect_chain(s, fixture("noid.full"));
	symbolizer_free(s);
}

/* Without a path there is no folder to search. */
static void debug_link_of_other_file(void **state)
{
	struct frame l[MAX_LINES];
	struct symbolizer *s;

	(void)state;
	s = open_path(fixture("wrong/chain"));
	assert_int_equal(look(s, fixture("chain"), "mark_outer", 0, l), 1);
	assert_null(l[0].file);
	symbolizer_free(s);
	s = open_path(fixture("wrong/noid"));
	assert_int_equal(look(s, fixture("noid.full"), "mark_outer", 0, l), 0);
	symbolizer_free(s);
	s = symbolizer_open(open(fixture("linked/chain"), O_RDONLY), NULL);
	assert_non_null(s);
	assert_int_equal(look(s, fixture("chain"), "mark_outer", 0, l), 1);
	assert_null(l[0].file);
	symbolizer_free(s);
}

/* The debug file of the C library, if Debian's libc6-dbg is installed. */
static void debug_info_by_build_id(void **state)
{
	struct frame l[MAX_LINES];
	struct link_map *map;
	char path[4096];
	uintptr_t addr = (uintptr_t)gnu_get_libc_version;
	Dl_info info;
	struct symbolizer *s;

	(void)state;
	assert_true(dladdr1((void *)addr, &info, (void **)&map, RTLD_DL_LINKMAP));
	s = open_path(map->l_name);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 symbolizer_build_id(s), symbolizer_build_id(s) + 2);
	if (access(path, R_OK)) {
		symbolizer_free(s);
		skip();
	}
	assert_int_equal(symbolizer_lookup(s, offset_of(map->l_name, addr - map->l_addr), l, 1), 1);
	assert_non_null(strstr(l[0].name, "gnu_get_libc_version"));
	assert_non_null(strstr(l[0].file, "version.c"));
	symbolizer_free(s);
}

static void expect_name(struct symbolizer *s, const char *path, const char *symbol, int bytes,
			const char *name)
{
	struct frame l[MAX_LINES];
	int nr = look(s, path, symbol, bytes, l);

	assert_int_equal(nr, name ? 1 : 0);
	if (name)
		assert_string_equal(l[0].name, name);
}

static void choice_of_symbols(void **state)
{
	static const char *const names[] = { "bare", "bare32" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *path = fixture(names[i]);
		struct symbolizer *s = open_path(path);

		expect_name(s, path, "_start", 0, "_start");
		expect_name(s, path, "_start", 15, "_start");
		expect_name(s, path, "_start", 16, NULL);
		expect_name(s, path, "_start", 31, NULL);
		expect_name(s, path, "bare_notype", 7, "bare_notype");
		expect_name(s, path, "bare_func", 0, "bare_twin");
		expect_name(s, path, "bare_func", 7, "bare_twin");
		expect_name(s, path, "label_in_outer", 1, "outer");
		expect_name(s, path, "sized_label", 1, "outer");
		expect_name(s, path, "func_label", 1, "outer");
		expect_name(s, path, "part_of_outer", 3, "part_of_outer");
		expect_name(s, path, "part_of_outer", 4, "outer");
		expect_name(s, path, "alias_global", 0, "alias_global");
		expect_name(s, path, "alias_global", 8, NULL);
		expect_name(s, path, "last", 7, "last");
		expect_name(s, path, "no_code", 0, NULL);
		symbolizer_free(s);
	}
}

/* Expects the first and the last byte of a function of unsized.S to have a name, or no name. */
static void expect_function(struct symbolizer *s, const char *symbol, const char *name)
{
	const char *twin = fixture("unsized");

	expect_name(s, twin, symbol, 0, name);
	expect_name(s, twin, symbol, 7, name);
}

static void expect_exported(struct symbolizer *s)
{
	expect_function(s, "bare", "bare");
	expect_function(s, "own_fde", "own_fde");
	expect_function(s, "before_table", "before_table");
}

/* These have the same name with each kind of file. */
static void expect_sized(struct symbolizer *s)
{
	expect_function(s, "label", "around");
	expect_function(s, "table", NULL);
	expect_function(s, "typed", "untyped");
	expect_function(s, "too_long", "too_long");
}

static void all_symbols_without_size(void **state)
{
	static const char *const names[] = { "unsized", "unsized.nofde" };
	static const char *const behind[] = {
		"behind_bare", "behind_own_fde", "next_fde", "behind_label", "behind_table",
		"behind_too_long",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct symbolizer *s = open_path(fixture(names[i]));

		expect_exported(s);
		expect_sized(s);
		for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++)
			expect_function(s, behind[k], behind[k]);
		symbolizer_free(s);
	}
}

/* A symbol gives no name to the code behind it, which has lost its own symbols. */
static void exported_symbols_without_size(void **state)
{
	struct symbolizer *s = open_path(fixture("unsized.stripped"));

	(void)state;
	expect_exported(s);
	expect_sized(s);
	expect_function(s, "behind_bare", NULL);
	expect_function(s, "behind_own_fde", NULL);
	expect_function(s, "next_fde", NULL);
	expect_function(s, "behind_label", NULL);
	expect_function(s, "behind_table", NULL);
	expect_function(s, "behind_too_long", NULL);
	symbolizer_free(s);
}

/* Nothing shows where a function without a size ends. */
static void exported_symbols_without_size_or_fde(void **state)
{
	struct symbolizer *s = open_path(fixture("unsized.bare"));

	(void)state;
	expect_sized(s);
	expect_function(s, "bare", NULL);
	expect_function(s, "behind_bare", NULL);
	expect_function(s, "own_fde", NULL);
	expect_function(s, "before_table", NULL);
	expect_function(s, "behind_too_long", NULL);
	symbolizer_free(s);
}

/* objdump names the stubs too. */
static int expect_stubs(const char *path)
{
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];
	char cmd[8192], name[512];
	unsigned long addr;
	int nr = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "objdump -d '%s' | sed -n 's/ <\\(.*@plt\\)>:$/ \\1/p'", path);
	f = popen(cmd, "r");
	for (; fscanf(f, "%lx %511s\n", &addr, name) == 2; nr++)
		for (int i = 0; i < 8; i += 7) {
			assert_int_equal(symbolizer_lookup(s, offset_of(path, addr) + i, l,
							   MAX_LINES), 1);
			assert_string_equal(l[0].system_name, name);
			assert_true(l[0].offset == FRAME_NO_OFFSET);
		}
	assert_int_equal(pclose(f), 0);
	symbolizer_free(s);
	return nr;
}

static void stubs(void **state)
{
	(void)state;
	assert_true(expect_stubs(fixture("chain.lazy")) >= 2);
	assert_true(expect_stubs(fixture("chain.now")) >= 2);
	assert_true(expect_stubs(fixture("chain.ibt")) >= 2);
	assert_true(expect_stubs(fixture("shapes")) >= 5);
}

static void section(const char *path, const char *name, uint64_t *start, uint64_t *size)
{
	char cmd[8192];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "readelf -SW '%s' | sed -n 's/.* \\%s  *PROGBITS//p'",
		 path, name);
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%lx %*x %lx", start, size), 2);
	assert_int_equal(pclose(f), 0);
}

static void cut_at(char *text, const char *from)
{
	char *at = strstr(text, from);

	if (at)
		*at = '\0';
}

/*
 * Three results of addr2line differ from those of llvm-symbolizer and of this symbolizer:
 * - a function without a linkage name of gcc has no scopes;
 * - if it is the innermost, it has the name of the symbol, which is that of the outermost;
 * - a part that gcc split off has the name of its own symbol.
 */
static void expect_same(const struct frame *l, const struct frame *outermost, char *name,
			char *position)
{
	char line[16];
	char *colon;

	cut_at(name, ".cold");
	cut_at(name, " [clone");
	/* The name without parameters: the tools print types in different ways. */
	if (*name && name[strlen(name) - 1] == '>')
		cut_at(name, "<");
	if (!strstr(l->name, name) && !strstr(outermost->name, name))
		fail_msg("%s, not %s", l->name, name);
	cut_at(position, " (discriminator");
	cut_at(position, "\n");
	colon = strrchr(position, ':');
	*colon = '\0';
	snprintf(line, sizeof(line), "%u", l->line);
	assert_string_equal(l->line ? line : "?", colon + 1);
	assert_string_equal(l->file, position);
}

static char *ask_addr2line(const char *path, uint64_t start, uint64_t size, int step)
{
	char *answers = strdup("/tmp/test_sym.XXXXXX");
	char cmd[8192];
	int fd = mkstemp(answers);
	FILE *f;

	assert_true(fd >= 0);
	close(fd);
	snprintf(cmd, sizeof(cmd), "addr2line -afiC -e '%s' >%s", path, answers);
	f = popen(cmd, "w");
	for (uint64_t a = start; a < start + size; a += step)
		fprintf(f, "%lx\n", a);
	assert_int_equal(pclose(f), 0);
	return answers;
}

static void as_addr2line(void **state)
{
	static char name[1 << 16], position[1 << 16];
	struct frame l[MAX_LINES];
	const char *path = fixture("shapes");
	int nr = 0, at = 0, nr_same = 0;
	uint64_t start, size;
	struct symbolizer *s = open_path(path);
	char *answers;
	FILE *f;

	(void)state;
	section(path, ".text", &start, &size);
	answers = ask_addr2line(path, start, size, 1);
	f = fopen(answers, "r");
	while (fgets(name, sizeof(name), f)) {
		if (!strncmp(name, "0x", 2)) {
			assert_int_equal(at, nr);
			nr = symbolizer_lookup(s, offset_of(path, strtoull(name, NULL, 16)), l,
					       MAX_LINES);
			assert_true(nr >= 0);
			at = 0;
			continue;
		}
		assert_non_null(fgets(position, sizeof(position), f));
		cut_at(name, "\n");
		/* Without debug info addr2line prints the nearest symbol and its file. */
		if (strstr(position, ":?") && !strchr(position, '/')) {
			assert_true(nr <= 1);
			at = nr;
			continue;
		}
		assert_true(at < nr);
		expect_same(&l[at], &l[at ? at : nr - 1], name, position);
		at++;
		nr_same++;
	}
	assert_true(nr_same > 5000);
	fclose(f);
	unlink(answers);
	free(answers);
	symbolizer_free(s);
}

static void local_names_have_scopes(void **state)
{
	const char *path = fixture("shapes");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES], *outer;
	uint64_t start, size;
	int nr_inlined = 0;

	(void)state;
	outer = l - 1 + look(s, path, "_ZN6shapes12_GLOBAL__N_15totalIiEET_RKSt6vectorIS2_SaIS2_EE",
			     0, l);
	assert_true(outer >= l);
	assert_string_equal(outer->name, "int shapes::(anonymous namespace)::total<int>("
			    "std::vector<int, std::allocator<int> > const&)");
	assert_string_equal(outer->system_name,
			    "_ZN6shapes12_GLOBAL__N_15totalIiEET_RKSt6vectorIS2_SaIS2_EE");
	assert_int_equal(outer->start_line, 26);
	/* An inlined function has no symbol with its name. */
	section(path, ".text", &start, &size);
	for (uint64_t a = start; a < start + size; a++)
		if (symbolizer_lookup(s, offset_of(path, a), l, MAX_LINES) > 1 &&
		    !strcmp(l[0].name, "shapes::(anonymous namespace)::by_area::operator()"))
			nr_inlined++;
	assert_true(nr_inlined);
	symbolizer_free(s);
}

/* The inner frames stay. The strings are the same at each call. */
static void few_lines(void **state)
{
	const char *path = fixture("chain");
	struct symbolizer *s = open_path(path);
	uint64_t offset = offset_of(path, address_of(path, "mark_inner"));
	struct frame l[MAX_LINES], again[2];

	(void)state;
	assert_int_equal(symbolizer_lookup(s, offset, l, MAX_LINES), 3);
	again[1].name = NULL;
	assert_int_equal(symbolizer_lookup(s, offset, again, 1), 1);
	assert_null(again[1].name);
	assert_ptr_equal(again[0].name, l[0].name);
	assert_ptr_equal(again[0].file, l[0].file);
	assert_int_equal(symbolizer_lookup(s, offset, again, 2), 2);
	assert_ptr_equal(again[1].name, l[1].name);
	symbolizer_free(s);
}

static void not_code(void **state)
{
	const char *path = fixture("chain");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(symbolizer_lookup(s, 0, l, MAX_LINES), 0);
	assert_int_equal(symbolizer_lookup(s, 1ULL << 40, l, MAX_LINES), 0);
	assert_int_equal(symbolizer_lookup(s, UINT64_MAX, l, MAX_LINES), 0);
	symbolizer_free(s);
}

static void vdso_of_this_kernel(void **state)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	struct symbolizer *s = symbolizer_open(vdso_open(), "[vdso]");
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)image;
	struct frame l[MAX_LINES];
	int nr_found = 0;

	(void)state;
	assert_non_null(s);
	assert_int_equal(strlen(symbolizer_build_id(s)), 40);
	/* Its code is one segment, at its offset. The names are those of calls in libc. */
	for (uint64_t at = 0; at < e->e_shoff; at++)
		if (symbolizer_lookup(s, at, l, MAX_LINES) == 1)
			nr_found += !strcmp(l[0].name, "__vdso_clock_gettime");
	assert_true(nr_found > 16);
	symbolizer_free(s);
}

static void read_build_id(const char *path, char *hex)
{
	char cmd[8192];
	FILE *f;

	snprintf(cmd, sizeof(cmd), "readelf -nW '%s' | sed -n 's/.*Build ID: //p'", path);
	f = popen(cmd, "r");
	assert_int_equal(fscanf(f, "%128s", hex), 1);
	assert_int_equal(pclose(f), 0);
}

static void released(void **state)
{
	struct frame l[MAX_LINES];
	char hex[BUILD_ID_HEX_SIZE];
	struct symbolizer *s = open_path(fixture("chain"));

	(void)state;
	read_build_id(fixture("chain"), hex);
	assert_true(look(s, fixture("chain"), "chain_static", 0, l) > 0);
	symbolizer_release(s);
	assert_string_equal(l[0].name, "chain_static");
	assert_string_equal(symbolizer_build_id(s), hex);
	assert_int_equal(look(s, fixture("chain"), "chain_static", 0, l), 0);
	symbolizer_release(s);
	symbolizer_free(s);
}

static void build_ids(void **state)
{
	static const char *const names[] = { "chain", "bare32", "linked/chain.debug" };
	char hex[BUILD_ID_HEX_SIZE];
	struct symbolizer *s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		read_build_id(fixture(names[i]), hex);
		s = open_path(fixture(names[i]));
		assert_string_equal(symbolizer_build_id(s), hex);
		symbolizer_free(s);
	}
	s = open_path(fixture("chain.noid"));
	assert_string_equal(symbolizer_build_id(s), "");
	symbolizer_free(s);
}

static void no_section_headers(void **state)
{
	const char *twin = fixture("chain");
	char hex[BUILD_ID_HEX_SIZE];
	struct frame l[MAX_LINES];
	struct symbolizer *s;
	size_t size;
	char *b = slurp(fixture("chain.stripped"), &size);
	Elf64_Ehdr *e = (Elf64_Ehdr *)b;

	(void)state;
	read_build_id(twin, hex);
	size = e->e_shoff;
	e->e_shoff = 0;
	e->e_shnum = 0;
	e->e_shstrndx = 0;
	s = symbolizer_open(memory_file(b, size), NULL);
	free(b);
	assert_non_null(s);
	assert_string_equal(symbolizer_build_id(s), hex);
	assert_int_equal(look(s, twin, "mark_inner", 0, l), 1);
	assert_string_equal(l[0].name, "chain_outer");
	assert_int_equal(look(s, twin, "chain_static", 0, l), 0);
	symbolizer_free(s);
}

/* The descriptor belongs to the symbolizer, also after a failure. */
static void expect_refused(int fd)
{
	assert_true(fd >= 0);
	assert_null(symbolizer_open(fd, "/tmp/x"));
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void no_program(void **state)
{
	size_t size;
	char *b = slurp(fixture("chain"), &size);
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	expect_refused(fds[0]);
	close(fds[1]);
	expect_refused(open("/", O_RDONLY));
	expect_refused(open("/dev/null", O_RDONLY));
	expect_refused(memory_file("", 0));
	expect_refused(memory_file("\x7f" "EL", 3));
	expect_refused(memory_file("#!/bin/sh\n", 10));
	expect_refused(memory_file("!<arch>\n", 8));
	expect_refused(memory_file(b, sizeof(Elf64_Ehdr) - 1));
	((Elf64_Ehdr *)b)->e_type = ET_REL;
	expect_refused(memory_file(b, size));
	free(b);
}

/* A file of a kilobyte with a section that declares a terabyte. */
static void bomb(void **state)
{
	size_t size;
	char *b = slurp(fixture("chain.gz"), &size);
	Elf64_Ehdr *e = (Elf64_Ehdr *)b;
	Elf64_Shdr *shdr = (Elf64_Shdr *)(b + e->e_shoff);
	bool found = false;

	(void)state;
	for (int i = 0; i < e->e_shnum && !found; i++) {
		found = shdr[i].sh_flags & SHF_COMPRESSED;
		if (found)
			((Elf64_Chdr *)(b + shdr[i].sh_offset))->ch_size = 1ULL << 40;
	}
	assert_true(found);
	expect_refused(memory_file(b, size));
	free(b);
}

static void sparse(void **state)
{
	long before_kb = most_kb();

	(void)state;
	expect_refused(sparse_sections());
	expect_refused(sparse_notes());
	assert_true(most_kb() - before_kb < SPARSE_MAX_KB);
}

/* Looks up every 64th byte: no access is outside of memory, for any content. */
static void look_around(int fd, size_t size)
{
	struct symbolizer *s = symbolizer_open(fd, NULL);
	struct frame l[MAX_LINES];

	if (!s) {
		assert_int_equal(fcntl(fd, F_GETFD), -1);
		return;
	}
	for (uint64_t at = 0x1000; at < size; at += 64) {
		int nr = symbolizer_lookup(s, at, l, MAX_LINES);

		assert_true(nr >= 0 && nr <= MAX_LINES);
		for (int i = 0; i < nr; i++)
			assert_true(strlen(l[i].name) && strlen(l[i].system_name));
	}
	symbolizer_free(s);
}

static void truncated(void **state)
{
	static const char *const names[] = { "chain", "chain.stripped", "chain.gz", "bare32" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		size_t size;
		char *b = slurp(fixture(names[i]), &size);

		for (size_t n = 0; n < size; n += n < 4096 ? 61 : 331)
			look_around(memory_file(b, n), 0x1400);
		free(b);
	}
}

static void damaged(void **state)
{
	static const char *const names[] = {
		"chain", "chain.stripped", "chain.gz", "dwz1", "chain.split", "chain.split4",
	};
	unsigned int seed = 1;

	(void)state;
	for (int i = 0; i < 6; i++) {
		size_t size;
		char *b = slurp(fixture(names[i]), &size);

		for (int n = 0; n < 150; n++) {
			char *copy = malloc(size);

			memcpy(copy, b, size);
			for (int k = 0; k < 40; k++)
				copy[rand_r(&seed) % size] = rand_r(&seed);
			memcpy(copy, ELFMAG, SELFMAG);
			look_around(memory_file(copy, size), 0x1400);
			free(copy);
		}
		free(b);
	}
}

/* See twins.S. It takes no longer than a normal file, but names are missing. */
static void made_to_take_for_ever(void **state)
{
	const char *path = fixture("twins");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];

	(void)state;
	assert_int_equal(look(s, path, "twins", 0, l), 1);
	assert_string_equal(l[0].name, "twins");
	assert_int_equal(look(s, path, "sharing", 1, l), 1);
	assert_string_equal(l[0].name, "sharing");
	assert_int_equal(look(s, path, "sharing_end", 0, l), 1);
	assert_string_equal(l[0].name, "sharing_end");
	assert_int_equal(look(s, path, "jumps", 1, l), 1);
	assert_string_equal(l[0].name, "jumps");
	symbolizer_free(s);
}

/*
 * The file is truncated while it is mapped. Memory of libdw is leaked by design, so there is no
 * search for leaks.
 */
static void shrinks(void **state)
{
	const char *path = fixture("shapes");
	uint64_t offset = offset_of(path, address_of(path, "main"));
	struct frame l[MAX_LINES], after[MAX_LINES];
	size_t size;
	char *b = slurp(path, &size);
	int fd = memory_file(b, size);
	struct symbolizer *s;

	(void)state;
	__lsan_disable();
	s = symbolizer_open(dup(fd), path);
	assert_non_null(s);
	assert_true(symbolizer_lookup(s, offset, l, MAX_LINES) > 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(symbolizer_lookup(s, offset + 64, after, MAX_LINES), -EIO);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(symbolizer_lookup(s, offset, after, MAX_LINES), -EIO);
	assert_string_equal(l[0].system_name, "main");
	symbolizer_free(s);
	__lsan_enable();
	close(fd);
	free(b);
}

static bool is_same_frame(const struct frame *a, const struct frame *b, uint64_t by)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->line == b->line && a->column == b->column && a->start_line == b->start_line &&
	       (a->offset == FRAME_NO_OFFSET ? b->offset == FRAME_NO_OFFSET :
					       a->offset + by == b->offset);
}

/* Has each address of the span around `at` the frames of `at`? Strings are in one table. */
static void expect_same_frames(struct symbolizer *s, uint64_t at)
{
	struct frame here[MAX_LINES], other[MAX_LINES];
	struct code_span span;
	int nr = symbolizer_lookup(s, at, here, MAX_LINES);

	assert_int_equal(symbolizer_probe(s, at, here, MAX_LINES, &span), nr);
	assert_true(nr >= 0 && span.after >= 1 && span.before <= at);
	for (uint64_t i = at - span.before; i < at + span.after; i++) {
		assert_int_equal(symbolizer_lookup(s, i, other, MAX_LINES), nr);
		for (int n = 0; n < nr; n++)
			assert_true(is_same_frame(&here[n], &other[n], i - at));
	}
}

/* For all code of a file, with that before and after it, where no segment is. */
static void expect_spans(const char *path)
{
	struct symbolizer *s = open_path(path);
	uint64_t start, size, first;

	section(path, ".text", &start, &size);
	first = offset_of(path, start);
	for (uint64_t at = first > 200 ? first - 200 : 0; at < first + size + 4200; at++)
		expect_same_frames(s, at);
	symbolizer_free(s);
}

static void spans(void **state)
{
	static const char *const names[] = {
		"chain", "chain.dwarf4", "chain.split4", "chain.stripped", "chain.lazy", "bare",
		"chain.unnamed", "dwz1", "removed", "chain.mini", "shapes", "go.stripped",
		"go.pie", "unsized.stripped", "unsized.bare",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_spans(fixture(names[i]));
}

/* A probe does not read the symbol table, which alone has _start(). */
static void probes_of_symbols(void **state)
{
	const char *path = fixture("chain");
	struct symbolizer *s = open_path(path);
	struct frame l[MAX_LINES];
	struct code_span span;
	uint64_t start;

	(void)state;
	start = offset_of(path, address_of(path, "_start"));
	assert_true(look(s, path, "main", 0, l) > 0);
	assert_int_equal(symbolizer_probe(s, start, l, MAX_LINES, &span), -ENOENT);
	assert_int_equal(symbolizer_lookup(s, start, l, MAX_LINES), 1);
	assert_int_equal(symbolizer_probe(s, start, l, MAX_LINES, &span), 1);
	assert_string_equal(l[0].name, "_start");
	symbolizer_free(s);
}

static void sym_of_nothing(void **state)
{
	(void)state;
	symbolizer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_debug_info),
		cmocka_unit_test(debug_info_shared_by_dwz),
		cmocka_unit_test(wrong_dwz_file),
		cmocka_unit_test(removed_functions),
		cmocka_unit_test(bad_dwo_files),
		cmocka_unit_test(damaged_dwo_files),
		cmocka_unit_test(dwp_file),
		cmocka_unit_test(compressed_with_zstd),
		cmocka_unit_test(only_dynamic_symbols),
		cmocka_unit_test(stripped_go),
		cmocka_unit_test(go_with_symbols),
		cmocka_unit_test(mini_debug_info),
		cmocka_unit_test(debug_link),
		cmocka_unit_test(debug_link_of_other_file),
		cmocka_unit_test(debug_info_by_build_id),
		cmocka_unit_test(choice_of_symbols),
		cmocka_unit_test(all_symbols_without_size),
		cmocka_unit_test(exported_symbols_without_size),
		cmocka_unit_test(exported_symbols_without_size_or_fde),
		cmocka_unit_test(stubs),
		cmocka_unit_test(as_addr2line),
		cmocka_unit_test(local_names_have_scopes),
		cmocka_unit_test(few_lines),
		cmocka_unit_test(not_code),
		cmocka_unit_test(vdso_of_this_kernel),
		cmocka_unit_test(released),
		cmocka_unit_test(probes_of_symbols),
		cmocka_unit_test(build_ids),
		cmocka_unit_test(no_section_headers),
		cmocka_unit_test(no_program),
		cmocka_unit_test(bomb),
		cmocka_unit_test(sparse),
		cmocka_unit_test(truncated),
		cmocka_unit_test(damaged),
		cmocka_unit_test(made_to_take_for_ever),
		cmocka_unit_test(shrinks),
		cmocka_unit_test(spans),
		cmocka_unit_test(sym_of_nothing),
	};

	/* test_cache_dir.c tests the cache. */
	unsetenv("CACHE_DIRECTORY");
	setenv("XDG_CACHE_HOME", "/dev/null", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
