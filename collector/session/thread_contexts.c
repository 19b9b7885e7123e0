// SPDX-License-Identifier: GPL-2.0
#include "session/thread_contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "elf/tls_symbol.h"
#include "process/mapped_files.h"
#include "process/processes.h"
#include "procfs/live_thread.h"
#include "procfs/time_namespace.h"

#define PAGE_BYTES	UINT64_C(4096)

/*
 * The dynamic linker maps the code of a library, and needs some ms more to fill in the words. After
 * this time the variable counts as not found.
 */
#define LINKER_NS	UINT64_C(2000000000)

/* By PPROF_CONTEXT_*: the search is in this order. */
static const struct variable {
	const char *name;
	const char *version;	/* of the layout: a constant that must be 1; NULL: there is none */
} variables[] = {
	[PPROF_CONTEXT_OTEL] = { "otel_thread_ctx_v1", NULL },
	[PPROF_CONTEXT_LABELS] = { "custom_labels_current_set", "custom_labels_abi_version" },
};

_Static_assert(sizeof(variables) / sizeof(*variables) == PPROF_NR_CONTEXTS, "a format is missing");

struct entry {
	bool is_read;
	struct tls_symbol symbols[PPROF_NR_CONTEXTS];
};

struct thread_contexts {
	const struct mapped_files *files;
	struct entry *entries;	/* by file number */
	size_t room;
	int64_t clock_offset_ns;	/* see processes.c */
};

struct thread_contexts *thread_contexts_new(const struct mapped_files *files)
{
	struct thread_contexts *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->files = files;
	c->clock_offset_ns = time_namespace_offset_ns();
	return c;
}

void thread_contexts_free(struct thread_contexts *c)
{
	if (!c)
		return;
	free(c->entries);
	free(c);
}

static void read_symbols(int fd, struct tls_symbol *symbols)
{
	const struct variable *v = variables;

	for (int i = 0; i < PPROF_NR_CONTEXTS; i++, v++)
		if (tls_symbol_read(fd, v->name, &symbols[i]) ||
		    (v->version && symbols[i].access != TLS_ACCESS_NONE &&
		     !tls_symbol_has_version(fd, v->version, 1)))
			symbols[i].access = TLS_ACCESS_NONE;
}

/*
 * Returns the variables in a file. The access of one is TLS_ACCESS_NONE if the file does not define
 * it or cannot be read. The pointer is valid until the next call. Returns NULL if memory is short.
 */
static const struct tls_symbol *read_file(struct thread_contexts *c, uint32_t file)
{
	size_t room = c->entries ? c->room : 0;
	struct entry *entry =
		array_grow(c->entries, &c->room, (size_t)file + 1, sizeof(*entry));
	int fd;

	if (!entry)
		return NULL;
	c->entries = entry;
	memset(entry + room, 0, (c->room - room) * sizeof(*entry));
	entry += file;
	if (entry->is_read)
		return entry->symbols;
	entry->is_read = true;
	fd = mapped_files_open(c->files, file);
	if (fd < 0)
		return entry->symbols;
	read_symbols(fd, entry->symbols);
	close(fd);
	return entry->symbols;
}

void thread_contexts_keep(struct thread_contexts *c, const bool *keep, uint32_t nr)
{
	for (uint32_t file = 0; file < nr && file < c->room; file++)
		if (!keep[file])
			c->entries[file] = (struct entry){ 0 };
}

/* Which libc a process has. musl's libc is its dynamic linker, too, and has two names. */
struct libcs {
	bool has_glibc;
	bool has_musl;
};

static void note_libc(struct libcs *libcs, const char *path)
{
	const char *name = basename(path);

	libcs->has_glibc |= !strcmp(name, "libc.so.6") || !strncmp(name, "libc-2.", 7);
	libcs->has_musl |= !strcmp(name, "libc.so") || !strncmp(name, "ld-musl-", 8);
}

/* A search for a variable in the files of a process. */
struct search {
	int format;		/* PPROF_CONTEXT_* */
	struct tls_symbol symbol;	/* a copy: the list of files moves when it grows */
	uint64_t bias;		/* address in the process - address in the file */
	uint64_t since_ns;
	unsigned int nr_libraries;	/* that define the variable */
	struct libcs libcs;
};

/*
 * Looks for the variable in the file of a mapping. A program that defines it comes before all
 * libraries, as for the dynamic linker.
 * Returns: 0 or -ENOMEM.
 */
static int search_file(struct thread_contexts *c, const struct maps_range *range,
		       struct search *s)
{
	const struct tls_symbol *symbol;

	if (range->file == MAPPED_FILES_NONE)
		return 0;
	note_libc(&s->libcs, mapped_files_path(c->files, range->file));
	symbol = read_file(c, mapped_files_first(c->files, range->file));
	if (!symbol)
		return -ENOMEM;
	symbol += s->format;
	if (symbol->access == TLS_ACCESS_NONE ||
	    range->offset != symbol->code_offset / PAGE_BYTES * PAGE_BYTES)
		return 0;
	if (s->symbol.access == TLS_ACCESS_PROGRAM)
		return 0;
	s->nr_libraries += symbol->access != TLS_ACCESS_PROGRAM;
	s->symbol = *symbol;
	s->bias = range->start - range->offset + symbol->code_offset - symbol->code_address;
	s->since_ns = range->since_ns;
	return 0;
}

static bool read_words(pid_t pid, uint64_t address, uint64_t words[2])
{
	char path[32];
	bool is_read;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", live_thread(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_read = pread(fd, words, 16, address) == 16;
	close(fd);
	return is_read;
}

/* Returns: false if the module would refuse the offset. Then the words are not filled in yet. */
static bool set_static(struct pprof_tls_address *context, int64_t offset)
{
	if (offset >= 0 || offset < -PPROF_MAX_TLS_OFFSET || offset % 8)
		return false;
	*context = (struct pprof_tls_address){ .kind = PPROF_TLS_STATIC, .offset = offset };
	return true;
}

/*
 * The layout of the DTV depends on the libc. If the process has no known libc, or two, it gets no
 * context.
 * Returns: false if the module would refuse the numbers. Then the words are not filled in yet.
 */
static bool set_dynamic(struct pprof_tls_address *context, const struct libcs *libcs,
			uint64_t module, uint64_t offset)
{
	if (!module || module > PPROF_MAX_TLS_MODULE || offset % 8 ||
	    offset >= PPROF_MAX_TLS_OFFSET)
		return false;
	if (libcs->has_glibc == libcs->has_musl)
		return true;
	*context = (struct pprof_tls_address){
		.kind = libcs->has_glibc ? PPROF_TLS_DTV_GLIBC : PPROF_TLS_DTV_MUSL,
		.module = module, .offset = offset,
	};
	return true;
}

/*
 * The second word of a TLS descriptor is its argument. A negative one is the offset from the thread
 * pointer. Any other is the address of two words: the module, and the offset in its block.
 * Returns: false while the dynamic linker has not filled in the words.
 */
static bool read_descriptor(pid_t pid, const struct search *s, const uint64_t words[2],
			    struct pprof_tls_address *context)
{
	uint64_t index[2];

	if (!words[0] || (int64_t)words[1] < 0)
		return words[0] && set_static(context, words[1]);
	return read_words(pid, words[1], index) && index[1] == (uint64_t)s->symbol.offset &&
	       set_dynamic(context, &s->libcs, index[0], index[1]);
}

/* Returns false while the dynamic linker has not filled in the words. */
static bool read_library(pid_t pid, const struct search *s, struct pprof_tls_address *context)
{
	uint64_t words[2];

	if (!read_words(pid, s->bias + s->symbol.slot, words))
		return false;
	switch (s->symbol.access) {
	case TLS_ACCESS_OFFSET:
		return set_static(context, words[0]);
	case TLS_ACCESS_DESCRIPTOR:
		return read_descriptor(pid, s, words, context);
	case TLS_ACCESS_MODULE:
		return words[1] == s->symbol.second &&
		       set_dynamic(context, &s->libcs, words[0], s->symbol.offset);
	default:
		return true;
	}
}

/* Looks for the variable of s->format. Returns: 0 or -ENOMEM. */
static int search_process(struct thread_contexts *c, const struct processes_exec *exec,
			  struct search *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < maps_nr(exec->maps); i++)
		err = search_file(c, maps_at(exec->maps, i), s);
	return err;
}

int thread_contexts_find(struct thread_contexts *c, const struct processes_exec *exec,
			 struct pprof_tls_address *context)
{
	struct search s = { 0 };
	int err = 0;

	*context = (struct pprof_tls_address){ .kind = PPROF_TLS_NONE };
	for (int i = 0; !err && s.symbol.access == TLS_ACCESS_NONE && i < PPROF_NR_CONTEXTS; i++) {
		s = (struct search){ .format = i };
		err = search_process(c, exec, &s);
	}
	if (err || s.symbol.access == TLS_ACCESS_NONE)
		return err;
	if (s.symbol.access == TLS_ACCESS_PROGRAM)
		set_static(context, s.symbol.offset);
	else if (s.nr_libraries == 1 && !read_library(exec->pid, &s, context) &&
		 clock_ns(CLOCK_MONOTONIC) - c->clock_offset_ns - s.since_ns < LINKER_NS)
		return -EAGAIN;
	if (context->kind != PPROF_TLS_NONE)
		context->format = s.format;
	return 0;
}
