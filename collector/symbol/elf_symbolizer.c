// SPDX-License-Identifier: GPL-2.0
#include "symbol/elf_symbolizer.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debuginfod_cache.h"
#include "symbol/dwarf.h"
#include "symbol/demangle.h"
#include "symbol/function_bounds.h"
#include "symbol/pclntab.h"
#include "elf/go_module.h"
#include "elf/validate.h"
#include "elf/build_id.h"
#include "elf/debug_sections.h"
#include "elf/plt.h"
#include "base/sigbus_guard.h"
#include "base/string_table.h"
#include "elf/symtab.h"

/* Limit of a demangled name. A longer one stays mangled. */
#define MAX_NAME_BYTES	16384

struct elf_symbolizer {
	int fd;				/* belongs to dwfl once mod is set */
	char *path;			/* NULL if not known */
	char *folder;			/* of the file; NULL if not known */
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	GElf_Addr bias;			/* module address - address in elf */
	struct debuginfo *debuginfo;	/* NULL before the first look-up, or if there is none */
	Dwarf_Addr debuginfo_bias;
	struct symtab *symtab;		/* NULL before it is needed */
	bool is_probed;			/* the look-up leaves the symbol table closed */
	struct function_bounds bounds;	/* of elf, for symbols without a size */
	bool bounds_read;
	struct go_module go;		/* of elf, if it is a Go program */
	bool go_read;
	bool is_go;
	struct strtab *strings;
	bool has_alt;			/* the alternate file was found: see open_alt() */
	bool debug_missing;		/* no debug file was found; servers are slow: ask once */
	bool debuginfo_opened;		/* open_debuginfo() has run */
	bool is_broken;			/* a SIGBUS interrupted libdwfl: see base/sigbus_guard.h */
	bool is_released;
	bool failed;			/* symbols may be missing because of an error */
	bool names_alt;			/* the debug info names an alternate file */
	bool is_unread;			/* libelf cannot decompress the file's own debug info */
	bool has_debug_file;
	bool is_split;			/* some debug info is in .dwo or .dwp files */
	struct debug_fault fault;
	char *link;			/* NULL if there is none */
	char build_id[BUILD_ID_HEX_SIZE];
};

/*
 * Opens the alternate file: dwz moves the common parts of several debug files there. libdwfl asks
 * for it after it has opened the debug info, which holds its name.
 * Returns: a descriptor, or a negative errno.
 */
static int open_alt(struct elf_symbolizer *s, const char *holder)
{
	char id[BUILD_ID_HEX_SIZE];
	struct build_id_wanted w = { .build_id = id };
	char *folder = build_id_folder_of(holder);
	const void *bytes;
	Dwarf_Addr bias;
	Dwarf *dw = dwfl_module_getdwarf(s->mod, &bias);
	ssize_t size = dw ? dwelf_dwarf_gnu_debugaltlink(dw, &w.link, &bytes) : -1;
	int fd = -ENOENT;

	if (size > 0 && size <= BUILD_ID_MAX_BYTES) {
		build_id_to_hex(bytes, size, id);
		w.folder = folder ? folder : s->folder;
		fd = build_id_open_alt(BUILD_ID_DEBUG_DIR, &w);
	}
	free(folder);
	return fd;
}

/* libdwfl needs the path of the debug file: an alternate file is searched in its folder. */
static char *path_of_fd(int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path));
	return len > 0 ? strndup(path, len) : NULL;
}

/* Without this check libdwfl would load libdebuginfod and curl, 4 MB, to ask no server at all. */
bool elf_symbolizer_has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls && debuginfod_cache_prepare();
}

/* Returns fd, or -1 if it is negative or elf/validate.h refuses the file; then it is closed. */
static int checked(int fd)
{
	if (fd < 0 || !elf_validate_file(fd))
		return fd;
	close(fd);
	return -1;
}

/* Keeps the first fault. path belongs to the caller. */
static void set_fault(struct elf_symbolizer *s, enum debug_fault_cause cause, const char *path)
{
	if (s->fault.cause)
		return;
	s->fault.cause = cause;
	s->fault.path = path ? strdup(path) : NULL;
}

/*
 * The find_debuginfo callback of libdwfl. The standard callback opens any path that the file names,
 * even a FIFO, and looks in more folders. Here it is called only to ask debuginfod: it does that
 * after its own search has failed, and debuginfo_path below makes the search fail.
 *
 * A link without a CRC is libdwfl's request for the alternate file of dwz.
 * Returns: a descriptor, or a negative number.
 */
static int find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **found)
{
	struct elf_symbolizer *s = *userdata;
	struct build_id_wanted w = {
		.build_id = s->build_id, .link = link, .crc = crc, .folder = s->folder,
	};
	bool is_alt = link && !crc;
	int fd;

	if (s->debug_missing && !is_alt)
		return -1;
	fd = is_alt ? open_alt(s, file) : build_id_open_debug(BUILD_ID_DEBUG_DIR, &w);
	if (fd >= 0)
		*found = path_of_fd(fd);
	else if (elf_symbolizer_has_servers())
		fd = checked(dwfl_standard_find_debuginfo(mod, userdata, name, base, NULL, NULL, 0,
							  found));
	if (fd >= 0 && debug_sections_are_unread(fd))
		set_fault(s, DEBUG_FAULT_COMPRESSION, *found);
	if (is_alt)
		s->has_alt = fd >= 0;
	else
		s->debug_missing = fd < 0;
	s->has_debug_file |= !is_alt && fd >= 0;
	return fd;
}

/*
 * A path that gives ENOENT, in a folder where no user can create files. After any other error
 * libdwfl would not ask debuginfod.
 */
static char *nowhere = "/proc/none";

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_debuginfo,
	.debuginfo_path = &nowhere,
};

static bool is_program(Elf *elf)
{
	GElf_Ehdr ehdr;

	return elf && gelf_getehdr(elf, &ehdr) &&
	       (ehdr.e_type == ET_EXEC || ehdr.e_type == ET_DYN);
}

static int report_module(struct elf_symbolizer *s)
{
	void **userdata;

	s->dwfl = dwfl_begin(&callbacks);
	if (!s->dwfl)
		return -ENOMEM;
	dwfl_report_begin(s->dwfl);
	s->mod = dwfl_report_elf(s->dwfl, "", "", s->fd, 0, true);
	dwfl_report_end(s->dwfl, NULL, NULL);
	if (!s->mod)
		return -ENOEXEC;
	dwfl_module_info(s->mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = s;
	return 0;
}

static int read_link(struct elf_symbolizer *s)
{
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(s->elf, &crc);

	s->link = link ? strdup(link) : NULL;
	return link && !s->link ? -ENOMEM : 0;
}

static int open_file(void *arg)
{
	struct elf_symbolizer *s = arg;
	int err = build_id_read(s->fd, s->build_id);

	/* build_id_read() refuses a file that is no ELF. libdwfl would unpack a kernel image. */
	if (!err) {
		s->is_unread = debug_sections_are_unread(s->fd);
		err = report_module(s);
	}
	if (err)
		return err;
	s->elf = dwfl_module_getelf(s->mod, &s->bias);
	return is_program(s->elf) ? read_link(s) : -ENOEXEC;
}

/* After a SIGBUS has interrupted fn, dwfl may be inconsistent. It is not used any more. */
static int run_guarded(struct elf_symbolizer *s, int (*fn)(void *arg), void *arg)
{
	int ret = s->is_broken ? -EIO : sigbus_guard(fn, arg);

	s->is_broken = ret == -EIO;
	return ret;
}

struct elf_symbolizer *elf_symbolizer_open(int fd, const char *path)
{
	struct elf_symbolizer *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	s->fd = fd;
	s->path = path ? strdup(path) : NULL;
	s->folder = build_id_folder_of(path);
	s->strings = strtab_new();
	if (s->strings)
		err = run_guarded(s, open_file, s);
	if (!err)
		return s;
	elf_symbolizer_free(s);
	errno = -err;
	return NULL;
}

/* libdw decompresses into many small blocks. After free() malloc_trim() gives them back. */
void elf_symbolizer_release(struct elf_symbolizer *s)
{
	if (s->is_released)
		return;
	s->is_released = true;
	debuginfo_free(s->debuginfo, s->is_broken);
	symtab_free(s->symtab);
	function_bounds_fini(&s->bounds);
	if (!s->is_broken)
		dwfl_end(s->dwfl);
	if (s->is_broken || !s->mod)
		close(s->fd);
	if (s->debuginfo)
		malloc_trim(0);
}

void elf_symbolizer_free(struct elf_symbolizer *s)
{
	if (!s)
		return;
	elf_symbolizer_release(s);
	strtab_free(s->strings);
	free(s->path);
	free(s->folder);
	free(s->link);
	free(s->fault.path);
	free(s);
}

const char *elf_symbolizer_build_id(const struct elf_symbolizer *s)
{
	return s->build_id;
}

const char *elf_symbolizer_link(const struct elf_symbolizer *s)
{
	return s->link;
}

bool elf_symbolizer_is_sure(const struct elf_symbolizer *s, bool debug_there)
{
	return !s->failed && !s->fault.cause && !s->names_alt && !s->is_split &&
	       !(debug_there && s->debug_missing);
}

const struct debug_fault *elf_symbolizer_fault(const struct elf_symbolizer *s)
{
	return &s->fault;
}

/* Converts a file offset of code to an address in elf. Returns false for an offset elsewhere. */
static bool to_address(Elf *elf, uint64_t offset, GElf_Addr *addr, struct code_span *span)
{
	GElf_Phdr ph;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || offset - ph.p_offset >= ph.p_filesz)
			continue;
		*addr = offset - ph.p_offset + ph.p_vaddr;
		code_span_pass(span, offset, ph.p_offset, ph.p_offset + ph.p_filesz);
		return true;
	}
	return false;
}

/*
 * Opens the debug info at the first call. Debug info that names an alternate file is not used
 * without it: libdw would search for that file itself, at any path that the debug info names.
 */
static int open_debuginfo(struct elf_symbolizer *s)
{
	const char *alt;
	const void *id;
	Dwarf *dw;

	if (s->debuginfo_opened)
		return 0;
	s->debuginfo_opened = true;
	dw = dwfl_module_getdwarf(s->mod, &s->debuginfo_bias);
	/*
	 * If there is no debug info, libdwfl has called find_debuginfo(), which found no file. If
	 * that is not so, dw is missing because of an error.
	 */
	s->failed |= !dw && !s->debug_missing;
	if (s->is_unread && !s->has_debug_file)
		set_fault(s, DEBUG_FAULT_COMPRESSION, NULL);
	s->names_alt = dw && dwelf_dwarf_gnu_debugaltlink(dw, &alt, &id) > 0;
	if (!dw || (s->names_alt && !s->has_alt))
		return 0;
	s->debuginfo = debuginfo_new(dw, s->strings, s->path);
	if (!s->debuginfo)
		return -ENOMEM;
	s->is_split = debuginfo_is_split(s->debuginfo);
	return 0;
}

static int open_symtab(struct elf_symbolizer *s)
{
	if (!s->symtab && s->is_probed)
		return -ENOENT;
	if (!s->symtab)
		s->symtab = symtab_new(s->mod);
	return s->symtab ? 0 : -ENOMEM;
}

static int read_bounds(struct elf_symbolizer *s)
{
	const char *image;
	size_t bytes;

	if (s->bounds_read)
		return 0;
	image = elf_rawfile(s->elf, &bytes);
	s->bounds_read = true;
	return image ? function_bounds_read(&s->bounds, image, bytes) : 0;
}

/*
 * Finds the symbol at an address of elf. Between a symbol without a size and addr, the code may
 * belong to a function whose symbol was stripped. FDEs show that. If the file has none, no name is
 * better than a wrong one.
 * Returns: 1 if there is one, 0 if not, or an error: see elf_symbolizer_probe().
 */
static int find_in_symtab(struct elf_symbolizer *s, uint64_t addr, struct symtab_symbol *found,
			  struct code_span *span)
{
	int err = open_symtab(s);

	if (err)
		return err;
	symtab_narrow(s->symtab, addr + s->bias, span);
	if (!symtab_find(s->symtab, addr + s->bias, found))
		return 0;
	if (found->is_sized)
		return 1;
	*span = CODE_SPAN_ONE_BYTE;
	err = read_bounds(s);
	if (err || function_bounds_any(&s->bounds, found->start - s->bias, addr))
		return err;
	return s->bounds.nr || symtab_has_locals(s->symtab);
}

struct lookup {
	struct elf_symbolizer *s;
	uint64_t offset;
	struct frame *frames;
	int max;
	struct code_span span;		/* of equal answers */
};

/*
 * Replaces *text by a copy that outlives dwfl and needs no guard. The text is copied twice: a
 * SIGBUS must not interrupt a change of the string table, so the table gets the first copy.
 */
static int intern(struct elf_symbolizer *s, const char **text)
{
	char *copy;
	int64_t index;

	if (!*text)
		return 0;
	copy = strdup(*text);
	if (!copy)
		return -ENOMEM;
	index = strtab_intern(s->strings, copy, strlen(copy));
	free(copy);
	if (index < 0)
		return index;
	*text = strtab_at(s->strings, index);
	return 0;
}

static int intern_frame(struct elf_symbolizer *s, struct frame *l)
{
	char buf[MAX_NAME_BYTES];
	int err;

	if (!l->system_name)
		l->system_name = l->name;
	else if (!l->name || demangle_name(l->system_name, buf, sizeof(buf)) == buf)
		l->name = demangle_name(l->system_name, buf, sizeof(buf));
	err = intern(s, &l->name);
	if (!err)
		err = intern(s, &l->system_name);
	return err ? err : intern(s, &l->file);
}

/*
 * Fills the frame from the symbol table. In a PLT stub the name is that of its target with "@plt",
 * as objdump prints it.
 * Returns: 1 if it found a symbol, 0 if not, or an error: see elf_symbolizer_probe().
 */
static int find_symbol(struct elf_symbolizer *s, uint64_t addr, struct frame *l,
		       struct code_span *span)
{
	char stub[MAX_NAME_BYTES];
	struct symtab_symbol found;
	const char *target;
	int err = find_in_symtab(s, addr, &found, span);

	if (err < 0)
		return err;
	if (err) {
		l->system_name = found.name;
		l->offset = addr + s->bias - found.start;
	} else {
		plt_narrow(s->elf, addr, span);
		target = plt_find(s->elf, addr);
		if (!target || snprintf(stub, sizeof(stub), "%s@plt", target) >= MAX_NAME_BYTES)
			return 0;
		l->system_name = stub;
		l->offset = FRAME_NO_OFFSET;
	}
	err = intern_frame(s, l);
	return err ? err : 1;
}

/* If the debug info gives a function no name, the symbol table is used instead. */
static bool are_named(const struct frame *frames, int nr)
{
	for (int i = 0; i < nr; i++)
		if (!frames[i].system_name && !frames[i].name)
			return false;
	return nr > 0;
}

/*
 * Only the outermost function has a symbol: the inner ones are inlined. The debug info of clang
 * -gline-tables-only gives constructors of a file no name at all. pclntab shortens names.
 * Returns: 0, or an error: see elf_symbolizer_probe().
 */
static int name_outermost(struct elf_symbolizer *s, uint64_t addr, struct frame *outer,
			  struct code_span *span)
{
	struct symtab_symbol found;
	int err = outer->system_name ? 0 : find_in_symtab(s, addr, &found, span);

	if (err > 0 && found.is_sized)
		outer->system_name = found.name;
	return err < 0 ? err : 0;
}

/* A Go program that was stripped, or linked with -w, still has the table of Go's runtime. */
static int find_in_pclntab(struct elf_symbolizer *s, uint64_t addr, struct frame *frames, int max,
			   struct code_span *span)
{
	if (!s->go_read)
		s->is_go = go_module_find(s->elf, &s->go);
	s->go_read = true;
	if (!s->is_go)
		return 0;
	*span = CODE_SPAN_ONE_BYTE;
	return pclntab_lookup(&s->go, addr, frames, max);
}

static int intern_frames(struct elf_symbolizer *s, struct frame *frames, int nr)
{
	int err = 0;

	for (int i = 0; i < nr && !err; i++)
		err = intern_frame(s, &frames[i]);
	return err ? err : nr;
}

/* elf_symbolizer_probe(), inside of the SIGBUS guard. */
static int lookup(void *arg)
{
	struct lookup *q = arg;
	struct elf_symbolizer *s = q->s;
	GElf_Addr addr;
	int nr = 0, err;

	q->frames[0] = (struct frame){ 0 };
	if (!to_address(s->elf, q->offset, &addr, &q->span)) {
		q->span = CODE_SPAN_ONE_BYTE;
		return 0;
	}
	err = open_debuginfo(s);
	if (!err && s->debuginfo)
		nr = debuginfo_lookup(s->debuginfo, addr + s->bias - s->debuginfo_bias,
				      q->frames, q->max, &q->span);
	if (err || nr < 0)
		return err ? err : nr;
	if (s->debuginfo)
		set_fault(s, debuginfo_fault(s->debuginfo)->cause,
			  debuginfo_fault(s->debuginfo)->path);
	if (!nr)
		nr = find_in_pclntab(s, addr, q->frames, q->max, &q->span);
	/* If nr is max, the outermost one may be left out. */
	if (nr > 0 && nr < q->max)
		err = name_outermost(s, addr, &q->frames[nr - 1], &q->span);
	if (err)
		return err;
	if (are_named(q->frames, nr))
		return intern_frames(s, q->frames, nr);
	q->frames[0].name = NULL;
	q->frames[0].start_line = 0;
	return find_symbol(s, addr, &q->frames[0], &q->span);
}

static int guarded_lookup(struct elf_symbolizer *s, struct lookup *q)
{
	int nr;

	q->span = s->is_released ? CODE_SPAN_ONE_BYTE : CODE_SPAN_ALL;
	nr = s->is_released ? 0 : run_guarded(s, lookup, q);
	s->failed |= nr < 0 && nr != -ENOENT;
	return nr;
}

int elf_symbolizer_probe(struct elf_symbolizer *s, uint64_t offset, struct frame *frames, int max,
			 struct code_span *span)
{
	struct lookup q = { .s = s, .offset = offset, .frames = frames, .max = max };
	int nr;

	s->is_probed = true;
	nr = guarded_lookup(s, &q);
	s->is_probed = false;
	*span = q.span;
	return nr;
}

int elf_symbolizer_lookup(struct elf_symbolizer *s, uint64_t offset, struct frame *frames, int max)
{
	struct lookup q = { .s = s, .offset = offset, .frames = frames, .max = max };

	return guarded_lookup(s, &q);
}
