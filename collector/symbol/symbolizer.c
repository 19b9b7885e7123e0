// SPDX-License-Identifier: GPL-2.0
/*
 * A struct symbolizer answers from the cache file of an earlier run while it can. The first look-up
 * that is not in there opens the ELF file (struct elf_symbolizer). New results are collected, and
 * symbolizer_release() writes them, with the old ones, to a new cache file.
 *
 * A cache file is valid only if everything that the symbols depend on is unchanged: see struct
 * symbol_cache_file_origin. What could change without a trace is not cached: symbols of debuginfod,
 * files without a build ID, files that were just written, files whose ctime is not trusted.
 */
#include "symbol/symbolizer.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "elf/build_id.h"
#include "symbol/elf_symbolizer.h"
#include "symbol/file_identity.h"
#include "symbol/build_identity.h"
#include "symbol/cache_dir.h"
#include "symbol/cache_file.h"
#include "base/regular_file.h"

/* Limit of collected frames: more would not fit into SYMBOL_CACHE_FILE_MAX_BYTES. */
#define MAX_FRAMES	(1U << 20)

struct symbolizer {
	int fd;				/* negative once elf has it */
	char *path;			/* NULL if not known */
	struct elf_symbolizer *elf;	/* NULL while all look-ups are in the cache */
	struct symbol_cache_file *cached;	/* of an earlier run, or NULL */
	struct symbol_cache_file_origin origin;
	struct symbol_cache_file_entry *found;	/* in this run; the strings belong to elf */
	size_t nr_found;
	size_t found_room;
	size_t nr_frames;		/* of all found */
	bool is_cacheable;		/* new symbols may be written to the cache */
	bool is_released;
};

/* The identities of the files at the paths where a debug file is searched */

struct paths {
	struct symbol_cache_file_debug *debug;
	size_t nr;
	bool are_known;		/* no file there can change without a new identity */
};

/*
 * A build_id_try_fn. Opens the path as build_id_open_debug() does: a file that it may not read
 * counts as none. Returns -ENOENT always, so that all paths are tried.
 */
static int add_path(void *ctx, const char *path)
{
	struct paths *p = ctx;
	struct symbol_cache_file_debug *debug = &p->debug[p->nr++];
	int fd = regular_open(path);

	if (fd < 0) {
		debug->err = fd;
		return -ENOENT;
	}
	if (file_identity_read(fd, &debug->id))
		p->are_known = false;
	close(fd);
	return -ENOENT;
}

/*
 * Fills o->debug by the build ID and the link in o. Returns false if a change of these files would
 * not be noticed, or without memory.
 */
static bool find_paths(struct symbol_cache_file_origin *o, const char *path)
{
	char *folder = build_id_folder_of(path);
	const struct build_id_wanted w = {
		.build_id = o->build_id, .link = *o->link ? o->link : NULL, .folder = folder,
	};
	struct paths paths = {
		.debug = o->debug, .are_known = folder || !path || !strchr(path, '/'),
	};

	build_id_try_debug(BUILD_ID_DEBUG_DIR, &w, add_path, &paths);
	free(folder);
	return paths.are_known;
}

static bool is_debug_there(const struct symbol_cache_file_origin *o)
{
	for (int i = 0; i < BUILD_ID_MAX_PATHS; i++)
		if (o->debug[i].id.ino)
			return true;
	return false;
}

static bool is_recent(const struct symbol_cache_file_origin *o)
{
	bool any = file_identity_is_recent(&o->file);

	for (int i = 0; i < BUILD_ID_MAX_PATHS && !any; i++)
		any = o->debug[i].id.ino && file_identity_is_recent(&o->debug[i].id);
	return any;
}

/* Symbols from the cache */

/*
 * Is the cache file valid? Its build ID and link are copied, not read from the file again: they are
 * part of the file, and memcmp() compares the identity of the file.
 */
static bool is_valid(struct symbolizer *s, const struct symbol_cache_file_origin *cached)
{
	memcpy(s->origin.build_id, cached->build_id, sizeof(cached->build_id));
	memcpy(s->origin.link, cached->link, sizeof(cached->link));
	return find_paths(&s->origin, s->path) && !memcmp(cached, &s->origin, sizeof(*cached));
}

static void read_cache(struct symbolizer *s)
{
	s->origin.build_identity = build_identity();
	s->is_cacheable = !elf_symbolizer_has_servers() &&
			  !file_identity_read(s->fd, &s->origin.file);
	if (s->is_cacheable)
		s->cached = symbol_cache_read(&s->origin.file);
	if (s->cached && !is_valid(s, symbol_cache_file_origin(s->cached))) {
		symbol_cache_file_free(s->cached);
		s->cached = NULL;
	}
}

/* New symbols */

/*
 * Records the origin before the first look-up in the file. If a file changes after that, its
 * identity differs from the origin, and the cache file is never used.
 */
static void set_origin(struct symbolizer *s)
{
	struct symbol_cache_file_origin *o = &s->origin;
	const char *id = elf_symbolizer_build_id(s->elf), *link = elf_symbolizer_link(s->elf);

	memset(o->build_id, 0, sizeof(o->build_id));
	memset(o->link, 0, sizeof(o->link));
	memset(o->debug, 0, sizeof(o->debug));
	s->is_cacheable = *id && (!link || strlen(link) < sizeof(o->link));
	if (!s->is_cacheable)
		return;
	strcpy(o->build_id, id);
	strcpy(o->link, link ? link : "");
	s->is_cacheable = find_paths(o, s->path) && !is_recent(o);
}

/*
 * Opens the ELF file at the first call.
 * Returns: 0, or a negative errno. Returns -EIO in place of -ENOEXEC, for look-ups. errno is still
 * ENOEXEC then, for symbolizer_open(). A call after a failure returns -EIO.
 */
static int open_elf(struct symbolizer *s)
{
	if (s->elf)
		return 0;
	if (s->fd < 0)
		return -EIO;
	s->elf = elf_symbolizer_open(s->fd, s->path);
	s->fd = -1;
	if (!s->elf)
		return errno == ENOEXEC ? -EIO : -errno;
	if (s->is_cacheable && !s->cached)
		set_origin(s);
	return 0;
}

struct symbolizer *symbolizer_open(int fd, const char *path)
{
	struct symbolizer *s = calloc(1, sizeof(*s));
	int err = ENOMEM;

	if (!s) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	s->fd = fd;
	s->path = path ? strdup(path) : NULL;
	if (!path || s->path) {
		read_cache(s);
		err = s->cached ? 0 : open_elf(s) ? errno : 0;
	}
	if (!err)
		return s;
	symbolizer_free(s);
	errno = err;
	return NULL;
}

/* Collects the result of a look-up. Without memory, or over MAX_FRAMES, it is not collected. */
static void add_found(struct symbolizer *s, uint64_t offset, const struct frame *frames, int nr)
{
	struct symbol_cache_file_entry *found =
		array_grow(s->found, &s->found_room, s->nr_found + 1, sizeof(*found));
	struct frame *copy = malloc((nr + 1) * sizeof(*copy));

	if (found)
		s->found = found;
	if (!found || !copy || s->nr_frames + nr > MAX_FRAMES) {
		free(copy);
		return;
	}
	memcpy(copy, frames, nr * sizeof(*copy));
	found[s->nr_found++] = (struct symbol_cache_file_entry){ offset, nr, copy };
	s->nr_frames += nr;
}

int symbolizer_lookup(struct symbolizer *s, uint64_t offset, struct frame *frames, int max)
{
	const struct symbol_cache_file_entry *cached =
		s->cached ? symbol_cache_file_find(s->cached, offset) : NULL;
	int nr;

	if (s->is_released)
		return 0;
	if (cached && cached->nr < (uint32_t)max) {
		memcpy(frames, cached->frames, cached->nr * sizeof(*frames));
		return cached->nr;
	}
	nr = open_elf(s);
	if (!nr)
		nr = elf_symbolizer_lookup(s->elf, offset, frames, max);
	/* A list that reached max may be incomplete, and a later call may have a larger max. */
	if (s->is_cacheable && nr >= 0 && nr < max)
		add_found(s, offset, frames, nr);
	return nr;
}

int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *frames, int max,
		     struct code_span *span)
{
	if (s->is_released || !s->elf)
		return -ENOENT;
	return elf_symbolizer_probe(s->elf, offset, frames, max, span);
}

static void write_cache(struct symbolizer *s)
{
	size_t bytes;
	void *image;

	if (!s->nr_found || !elf_symbolizer_is_sure(s->elf, is_debug_there(&s->origin)) ||
	    symbol_cache_file_make(&s->origin, s->cached, s->found, s->nr_found, &image, &bytes))
		return;
	cache_dir_write_file(CACHE_DIR_NAMES, &s->origin.file, image, bytes);
	free(image);
}

void symbolizer_release(struct symbolizer *s)
{
	if (s->is_released)
		return;
	s->is_released = true;
	write_cache(s);
	for (size_t i = 0; i < s->nr_found; i++)
		free((void *)s->found[i].frames);
	free(s->found);
	if (s->elf)
		elf_symbolizer_release(s->elf);
	if (s->fd >= 0)
		close(s->fd);
}

void symbolizer_free(struct symbolizer *s)
{
	if (!s)
		return;
	symbolizer_release(s);
	elf_symbolizer_free(s->elf);
	symbol_cache_file_free(s->cached);
	free(s->path);
	free(s);
}

const char *symbolizer_build_id(const struct symbolizer *s)
{
	return s->elf ? elf_symbolizer_build_id(s->elf) : s->origin.build_id;
}

const struct debug_fault *symbolizer_fault(const struct symbolizer *s)
{
	static const struct debug_fault none;

	return s->elf ? elf_symbolizer_fault(s->elf) : &none;
}
