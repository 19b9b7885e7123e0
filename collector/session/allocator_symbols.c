// SPDX-License-Identifier: GPL-2.0
#include "session/allocator_symbols.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/machine.h"
#include "arch/machine_code.h"
#include "elf/validate.h"
#include "elf/string_section.h"
#include "elf/plt.h"
#include "pprof.h"

struct name {
	const char *name;
	uint32_t function;
};

/* Functions of C. Those that are not listed, such as reallocarray() and strdup(), call these. */
static const struct name c_names[] = {
	{ "free", PPROF_HEAP_FREE },
	{ "cfree", PPROF_HEAP_FREE },
	{ "free_sized", PPROF_HEAP_FREE },
	{ "free_aligned_sized", PPROF_HEAP_FREE },
	{ "dallocx", PPROF_HEAP_FREE },
	{ "sdallocx", PPROF_HEAP_FREE },
	{ "realloc", PPROF_HEAP_REALLOC },
	{ "rallocx", PPROF_HEAP_REALLOC },
	{ "malloc", PPROF_HEAP_MALLOC },
	{ "mallocx", PPROF_HEAP_MALLOC },
	{ "calloc", PPROF_HEAP_CALLOC },
	{ "aligned_alloc", PPROF_HEAP_ALIGNED },
	{ "memalign", PPROF_HEAP_ALIGNED },
	{ "posix_memalign", PPROF_HEAP_POSIX_MEMALIGN },
	{ "valloc", PPROF_HEAP_VALLOC },
	{ "pvalloc", PPROF_HEAP_VALLOC },
};

/*
 * operator new and delete, mangled as in the Itanium C++ ABI, section 5.1. operator new with an
 * alignment calls aligned_alloc() in jemalloc.
 */
static const struct name cxx_names[] = {
	{ "_ZdlPv", PPROF_HEAP_FREE },
	{ "_ZdaPv", PPROF_HEAP_FREE },
	{ "_ZdlPvm", PPROF_HEAP_FREE },
	{ "_ZdaPvm", PPROF_HEAP_FREE },
	{ "_ZdlPvRKSt9nothrow_t", PPROF_HEAP_FREE },
	{ "_ZdaPvRKSt9nothrow_t", PPROF_HEAP_FREE },
	{ "_ZdlPvSt11align_val_t", PPROF_HEAP_FREE },
	{ "_ZdaPvSt11align_val_t", PPROF_HEAP_FREE },
	{ "_ZdlPvmSt11align_val_t", PPROF_HEAP_FREE },
	{ "_ZdaPvmSt11align_val_t", PPROF_HEAP_FREE },
	{ "_Znwm", PPROF_HEAP_NEW },
	{ "_Znam", PPROF_HEAP_NEW },
	{ "_ZnwmRKSt9nothrow_t", PPROF_HEAP_MALLOC },
	{ "_ZnamRKSt9nothrow_t", PPROF_HEAP_MALLOC },
	{ "_ZnwmSt11align_val_t", PPROF_HEAP_NEW_ALIGNED },
	{ "_ZnamSt11align_val_t", PPROF_HEAP_NEW_ALIGNED },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", PPROF_HEAP_VALLOC },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", PPROF_HEAP_VALLOC },
};

#define NR(array)	(sizeof(array) / sizeof(*(array)))

/* Names in allocators whose operator new does not call malloc(), unlike that of libstdc++. */
static const char *const own_cxx[] = { "mallocx", "tc_malloc", "mi_malloc" };

/*
 * Names in the runtimes of sanitizers: libasan and its like, or a program that clang links with
 * one. Their operators and calloc() call no other probed function. If memory is short they end the
 * program, so their operator new never throws.
 */
static const char *const sanitizers[] = {
	"__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init",
};

/*
 * mimalloc also ends the program if memory is short, if it was compiled as C, as Debian's is. Its
 * operator new throws, or calls a new handler that may throw, if it was compiled as C++. Then it
 * uses some of these names.
 */
static const char *const throws[] = {
	"__cxa_throw", "_ZSt17__throw_bad_allocv", "_ZSt15get_new_handlerv",
	"_ZSt15set_new_handlerPFvvE",
};

/*
 * Names in allocators whose calloc() calls no other probed function. That of musl calls malloc().
 */
static const char *const own_calloc[] = { "__libc_malloc", "mallocx", "tc_malloc", "mi_malloc" };

/*
 * std::get_new_handler() and std::set_new_handler(): operator new calls one of them before it
 * throws. The probe is at the function in this file, or at the stub by which this file calls it. A
 * probe in another file is not enough: another process may have another version of that file. See
 * PPROF_HEAP_NEW_HANDLER.
 */
static const char *const fails[] = { "_ZSt15get_new_handlerv", "_ZSt15set_new_handlerPFvvE" };

static const char *const prefixes[] = { "_rjem_", "je_", "tc_" };

#define MAX_JUMPS	4

/*
 * Further names of functions of libc.a. No program has them for functions of its own.
 * aligned_alloc() and memalign() are one function.
 */
static const char *const libc_names[] = {
	"__libc_malloc", "__libc_free", "__libc_calloc", "__libc_realloc", "__libc_memalign",
	"__libc_valloc", "__libc_pvalloc", "__posix_memalign",
};

/* Limit of a symbol table. A hostile file may claim any size. */
#define MAX_TABLE_BYTES	(UINT64_C(256) << 20)

struct reading {
	Elf *elf;
	int fd;
	struct allocator *to;
	enum allocator_names names;
	bool is_dynamic;	/* has .dynsym: other files look up only symbols there */
	bool in_source;		/* the symbol is listed under a source file: see is_local() */
	bool has_own_cxx;
	bool has_own_calloc;
	bool is_sanitizer;
	bool is_mimalloc;
	bool may_throw;		/* uses one of throws[] */
	bool has_malloc;
	bool has_handler;	/* has a probe for NEW_HANDLER */
	unsigned int nr_stubs;	/* stubs that were looked up */
	uint64_t libc[NR(libc_names)];	/* their addresses; 0: not found */
};

static const struct name *find(const struct name *names, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(names[i].name, name))
			return &names[i];
	return NULL;
}

static const struct name *find_common(const struct reading *r, const char *name)
{
	const struct name *found = find(c_names, NR(c_names), name);

	if (!found && r->has_own_cxx)
		found = find(cxx_names, NR(cxx_names), name);
	return found;
}

static const struct name *find_prefixed(const char *name)
{
	for (size_t i = 0; i < NR(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], len))
			return find(c_names, NR(c_names), name + len);
	}
	return NULL;
}

/* Returns the file offset of an address in executable memory, or UINT64_MAX. */
static uint64_t offset_of(Elf *elf, uint64_t vaddr)
{
	GElf_Phdr phdr;
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD &&
		    (phdr.p_flags & PF_X) && vaddr - phdr.p_vaddr < phdr.p_filesz)
			return vaddr - phdr.p_vaddr + phdr.p_offset;
	return UINT64_MAX;
}

/* Reads the code at an offset. Returns the number of bytes, 0 if there are none. */
static size_t read_code(int fd, uint64_t offset, uint8_t code[ARCH_ENTRY_BYTES])
{
	ssize_t nr = pread(fd, code, ARCH_ENTRY_BYTES, offset);

	return nr < 0 ? 0 : nr;
}

/* Returns the offset near the start of a function at which a uprobe costs least. */
static uint64_t cheap_offset(int fd, uint64_t offset)
{
	uint8_t code[ARCH_ENTRY_BYTES];

	return offset + arch_cheap_probe(code, read_code(fd, offset, code));
}

/*
 * Returns the file offset to which a function jumps at once, or offset if it does not jump. Returns
 * UINT64_MAX if it jumps through the GOT, as a PLT stub does. Returns UINT64_MAX also if its code
 * cannot be read.
 */
static uint64_t jump_of(int fd, uint64_t offset)
{
	uint8_t code[ARCH_ENTRY_BYTES];

	return arch_jump_target(code, read_code(fd, offset, code), offset);
}

/*
 * Returns the last target of a chain of jumps. Sets *stub if that is a PLT stub, or if its code
 * cannot be read.
 */
static uint64_t follow_jumps(int fd, uint64_t offset, bool *stub)
{
	uint64_t next = offset;

	*stub = false;
	for (int i = 0; i < MAX_JUMPS; i++) {
		next = jump_of(fd, offset);
		*stub = next == UINT64_MAX;
		if (*stub || next == offset)
			break;
		offset = next;
	}
	return offset;
}

/*
 * Does the stub jump to a function that is probed in its own file? A function whose name is in no
 * list, such as __interceptor_malloc in libasan, is not. The answer is also yes if no name is
 * found, or after ALLOCATOR_MAX look-ups. Only a hostile file has more stubs.
 */
static bool is_counted_elsewhere(struct reading *r, uint64_t stub)
{
	const char *name = r->nr_stubs++ < ALLOCATOR_MAX ? plt_find(r->elf, stub) : NULL;

	return !name || find(c_names, NR(c_names), name) ||
	       find(cxx_names, NR(cxx_names), name) || find_prefixed(name);
}

/*
 * A function that only jumps, as some operators do, stands for the target of the jump: probes at
 * both would count an object twice.
 * Returns: the file offset for the probe, or UINT64_MAX for none.
 */
static uint64_t find_function(struct reading *r, uint64_t vaddr)
{
	uint64_t offset = offset_of(r->elf, vaddr), last;
	bool stub;

	if (offset == UINT64_MAX)
		return UINT64_MAX;
	last = follow_jumps(r->fd, offset, &stub);
	if (!stub)
		return last;
	return is_counted_elsewhere(r, vaddr + (last - offset)) ? UINT64_MAX : offset;
}

/*
 * Several names of one function get one probe. It has the largest of their PPROF_HEAP_*, which
 * assumes least about the function.
 */
static void add_at(struct reading *r, uint32_t function, uint64_t offset)
{
	struct allocator *a = r->to;

	for (unsigned int i = 0; i < a->nr; i++)
		if (a->list[i].offset == offset) {
			if (a->list[i].function < function)
				a->list[i].function = function;
			return;
		}
	if (a->nr < ALLOCATOR_MAX)
		a->list[a->nr++] =
			(struct allocator_function){ .function = function, .offset = offset };
}

static void add(struct reading *r, const struct name *name, uint64_t vaddr)
{
	uint64_t offset = find_function(r, vaddr);

	if (offset == UINT64_MAX)
		return;
	r->has_malloc |= !strcmp(name->name, "malloc");
	add_at(r, name->function, cheap_offset(r->fd, offset));
}

static bool is_of_libc(const struct reading *r, const GElf_Sym *sym)
{
	for (size_t i = 0; i < NR(libc_names); i++)
		if (r->libc[i] && r->libc[i] == sym->st_value)
			return true;
	return false;
}

/*
 * Static functions of source files do not count. In a static PIE, linkers make hidden symbols of
 * libc.a local, malloc among them. ld lists them after an STT_FILE symbol without a name. lld lists
 * them after the STT_FILE symbol of a source file, but they stay hidden, which no static function
 * is. mold makes all symbols local, most of them not hidden. There a function of libc.a is known by
 * its second name: see libc_names.
 */
static bool is_local(const struct reading *r, const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) == STB_LOCAL &&
	       (r->is_dynamic ||
		(r->in_source && GELF_ST_VISIBILITY(sym->st_other) != STV_HIDDEN &&
		 !is_of_libc(r, sym)));
}

static bool is_function(const struct reading *r, const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
	       !is_local(r, sym);
}

typedef void (*symbol_fn)(struct reading *r, const char *name, const GElf_Sym *sym);

static bool is_one_of(const char *const *list, size_t nr, const char *name)
{
	while (nr--)
		if (!strcmp(list[nr], name))
			return true;
	return false;
}

static void note_marks(struct reading *r, const char *name, const GElf_Sym *sym)
{
	for (size_t i = 0; i < NR(libc_names); i++)
		if (sym->st_shndx != SHN_UNDEF && !strcmp(libc_names[i], name))
			r->libc[i] = sym->st_value;
	r->may_throw |= is_one_of(throws, NR(throws), name);
	if (!is_function(r, sym))
		return;
	r->is_mimalloc |= !strcmp(name, "mi_malloc");
	r->has_own_cxx |= r->names == ALLOCATOR_COMMON && is_one_of(own_cxx, NR(own_cxx), name);
	r->has_own_calloc |= is_one_of(own_calloc, NR(own_calloc), name);
	r->is_sanitizer |= r->names == ALLOCATOR_COMMON &&
			   is_one_of(sanitizers, NR(sanitizers), name);
}

/* Does operator new return an object or end the program? */
static bool never_throws(const struct reading *r)
{
	return r->is_sanitizer || (r->is_mimalloc && !r->may_throw);
}

static void add_handler(struct reading *r, uint64_t vaddr)
{
	uint64_t offset = offset_of(r->elf, vaddr);

	if (offset == UINT64_MAX)
		return;
	r->has_handler = true;
	add_at(r, PPROF_HEAP_NEW_HANDLER, offset);
}

static void note_function(struct reading *r, const char *name, const GElf_Sym *sym)
{
	const struct name *found = r->names == ALLOCATOR_COMMON ? find_common(r, name) :
								  find_prefixed(name);

	if (!is_function(r, sym))
		return;
	if (r->has_own_cxx && !never_throws(r) && is_one_of(fails, NR(fails), name))
		add_handler(r, sym->st_value);
	if (found)
		add(r, found, sym->st_value);
}

static void visit_table(struct reading *r, Elf_Scn *scn, const GElf_Shdr *shdr, symbol_fn fn)
{
	const Elf_Data *names = string_section_get(r->elf, shdr->sh_link);
	Elf_Data *data = names && shdr->sh_size <= MAX_TABLE_BYTES ? elf_getdata(scn, NULL) : NULL;
	size_t nr = data ? data->d_size / sizeof(Elf64_Sym) : 0;
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getsym(data, i, &sym))
			continue;
		name = string_section_at(names, sym.st_name);
		if (!name)
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			r->in_source = *name;
		fn(r, name, &sym);
	}
}

/* Visits the first symbol table of this type. Only a hostile file has a second one. */
static void visit_tables(struct reading *r, GElf_Word type, symbol_fn fn)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(r->elf, scn)))
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == type) {
			/* The .dynsym of a static PIE has only the null symbol. */
			r->is_dynamic |= type == SHT_DYNSYM && shdr.sh_size > sizeof(Elf64_Sym);
			visit_table(r, scn, &shdr, fn);
			return;
		}
}

static void visit_symbols(struct reading *r, symbol_fn fn)
{
	visit_tables(r, SHT_DYNSYM, fn);
	if (!r->is_dynamic || r->names == ALLOCATOR_PREFIXED)
		visit_tables(r, SHT_SYMTAB, fn);
}

static int by_function(const void *left, const void *right)
{
	const struct allocator_function *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool is_ours(Elf *elf)
{
	GElf_Ehdr ehdr;

	return elf && gelf_getehdr(elf, &ehdr) && ehdr.e_machine == ARCH_MACHINE &&
	       ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

static bool open_elf(struct reading *r)
{
	if (elf_validate_file(r->fd))
		return false;
	elf_version(EV_CURRENT);
	r->elf = elf_begin(r->fd, ELF_C_READ, NULL);
	if (is_ours(r->elf))
		return true;
	elf_end(r->elf);
	return false;
}

static void set_callocs(struct allocator *a)
{
	for (unsigned int i = 0; i < a->nr; i++)
		if (a->list[i].function == PPROF_HEAP_CALLOC)
			a->list[i].function = PPROF_HEAP_OUTER_CALLOC;
}

static void find_stubs(struct reading *r)
{
	for (size_t i = 0; i < NR(fails); i++) {
		uint64_t stub = plt_stub(r->elf, fails[i]);

		if (stub)
			add_handler(r, stub);
	}
}

/*
 * An operator new that may throw gets a uretprobe only if NEW_HANDLER is probed in this file (see
 * PPROF_HEAP_NEW_HANDLER). Without it, operator new with an alignment gets no probe at all: it may
 * call another probed function, and the object would count twice.
 */
static void settle_throws(struct reading *r)
{
	struct allocator *a = r->to;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < a->nr; i++) {
		if (a->list[i].function == PPROF_HEAP_NEW && r->has_handler)
			a->list[i].function = PPROF_HEAP_NEW_HANDLED;
		if (a->list[i].function != PPROF_HEAP_NEW_ALIGNED || r->has_handler)
			a->list[nr++] = a->list[i];
	}
	a->nr = nr;
}

static void set_news(struct allocator *a)
{
	for (unsigned int i = 0; i < a->nr; i++) {
		if (a->list[i].function == PPROF_HEAP_NEW)
			a->list[i].function = PPROF_HEAP_MALLOC;
		if (a->list[i].function == PPROF_HEAP_NEW_ALIGNED)
			a->list[i].function = PPROF_HEAP_VALLOC;
	}
}

/* A file counts as an allocator only with both malloc and free. */
int allocator_read(int fd, enum allocator_names names, struct allocator *a)
{
	struct reading r = { .fd = fd, .to = a, .names = names, .in_source = true };

	a->nr = 0;
	if (!open_elf(&r))
		return -ENOEXEC;
	visit_symbols(&r, note_marks);
	r.has_own_cxx |= r.is_sanitizer;
	r.has_own_calloc |= r.is_sanitizer;
	visit_symbols(&r, note_function);
	if (never_throws(&r))
		set_news(a);
	else if (r.has_own_cxx)
		find_stubs(&r);
	elf_end(r.elf);
	settle_throws(&r);
	if (names == ALLOCATOR_COMMON && !r.has_own_calloc)
		set_callocs(a);
	if (a->nr)
		qsort(a->list, a->nr, sizeof(*a->list), by_function);
	if (!r.has_malloc || a->list[0].function != PPROF_HEAP_FREE)
		a->nr = 0;
	return 0;
}
