// SPDX-License-Identifier: GPL-2.0
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

/* More have no room in what is kept of a file: see SYMBOL_CACHE_FILE_MAX_BYTES. */
#define MAX_LINES	(1U << 20)

struct symbolizer {
	int fd;				/* negative: elf's by now */
	char *path;			/* NULL if not known */
	struct elf_symbolizer *elf;		/* NULL until a name is missing */
	struct symbol_cache_file *kept;		/* by an earlier run; NULL: none */
	struct symbol_cache_file_origin origin;
	struct symbol_cache_file_entry *found;	/* in this run; strings are elf's */
	size_t nr_found;
	size_t found_room;
	size_t nr_lines;		/* of all found */
	bool is_kept;			/* what is found is for later runs, too */
	bool is_released;
};

/* Which file stands where a debug file is looked for */

struct paths {
	struct symbol_cache_file_debug *debug;
	size_t nr;
	bool are_known;		/* none can change unseen */
};

/* Opened as build_id_open_debug() does: what it may not read is none. Takes none. */
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

/* By the build ID and the link in there. False: what is there says nothing. */
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

/* What was kept */

/* If the file is the same, what is written in it is. */
static bool is_valid(struct symbolizer *s, const struct symbol_cache_file_origin *kept)
{
	memcpy(s->origin.build_id, kept->build_id, sizeof(kept->build_id));
	memcpy(s->origin.link, kept->link, sizeof(kept->link));
	return find_paths(&s->origin, s->path) && !memcmp(kept, &s->origin, sizeof(*kept));
}

static void read_kept(struct symbolizer *s)
{
	s->origin.build_identity = build_identity();
	s->is_kept = !elf_symbolizer_has_servers() && !file_identity_read(s->fd, &s->origin.file);
	if (s->is_kept)
		s->kept = symbol_cache_read(&s->origin.file);
	if (s->kept && !is_valid(s, symbol_cache_file_origin(s->kept))) {
		symbol_cache_file_free(s->kept);
		s->kept = NULL;
	}
}

/* What is not */

/* Before a name is looked for: whatever changes after that makes it void. */
static void set_origin(struct symbolizer *s)
{
	struct symbol_cache_file_origin *o = &s->origin;
	const char *id = elf_symbolizer_build_id(s->elf), *link = elf_symbolizer_link(s->elf);

	memset(o->build_id, 0, sizeof(o->build_id));
	memset(o->link, 0, sizeof(o->link));
	memset(o->debug, 0, sizeof(o->debug));
	s->is_kept = *id && (!link || strlen(link) < sizeof(o->link));
	if (!s->is_kept)
		return;
	strcpy(o->build_id, id);
	strcpy(o->link, link ? link : "");
	s->is_kept = find_paths(o, s->path) && !is_recent(o);
}

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
	if (s->is_kept && !s->kept)
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
		read_kept(s);
		err = s->kept ? 0 : open_elf(s) ? errno : 0;
	}
	if (!err)
		return s;
	symbolizer_free(s);
	errno = err;
	return NULL;
}

/* Without memory for it, or beyond that, it is looked for again the next time. */
static void note_found(struct symbolizer *s, uint64_t offset, const struct frame *lines, int nr)
{
	struct symbol_cache_file_entry *found =
		array_grow(s->found, &s->found_room, s->nr_found + 1, sizeof(*found));
	struct frame *copy = malloc((nr + 1) * sizeof(*copy));

	if (found)
		s->found = found;
	if (!found || !copy || s->nr_lines + nr > MAX_LINES) {
		free(copy);
		return;
	}
	memcpy(copy, lines, nr * sizeof(*copy));
	found[s->nr_found++] = (struct symbol_cache_file_entry){ offset, nr, copy };
	s->nr_lines += nr;
}

int symbolizer_lookup(struct symbolizer *s, uint64_t offset, struct frame *lines, int max)
{
	const struct symbol_cache_file_entry *kept =
		s->kept ? symbol_cache_file_find(s->kept, offset) : NULL;
	int nr;

	if (s->is_released)
		return 0;
	if (kept && kept->nr < (uint32_t)max) {
		memcpy(lines, kept->lines, kept->nr * sizeof(*lines));
		return kept->nr;
	}
	nr = open_elf(s);
	if (!nr)
		nr = elf_symbolizer_lookup(s->elf, offset, lines, max);
	/* Only whole ones: of what was cut short, more may be asked for later. */
	if (s->is_kept && nr >= 0 && nr < max)
		note_found(s, offset, lines, nr);
	return nr;
}

static void keep_found(struct symbolizer *s)
{
	size_t bytes;
	void *image;

	if (!s->nr_found || !elf_symbolizer_is_sure(s->elf, is_debug_there(&s->origin)) ||
	    symbol_cache_file_make(&s->origin, s->kept, s->found, s->nr_found, &image, &bytes))
		return;
	symbol_cache_write(&s->origin.file, image, bytes);
	free(image);
}

void symbolizer_release(struct symbolizer *s)
{
	if (s->is_released)
		return;
	s->is_released = true;
	keep_found(s);
	for (size_t i = 0; i < s->nr_found; i++)
		free((void *)s->found[i].lines);
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
	symbol_cache_file_free(s->kept);
	free(s->path);
	free(s);
}

const char *symbolizer_build_id(const struct symbolizer *s)
{
	return s->elf ? elf_symbolizer_build_id(s->elf) : s->origin.build_id;
}
