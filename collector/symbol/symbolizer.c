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

/* More have no room in what is kept of a file: see NAMEFILE_MAX_BYTES. */
#define MAX_LINES	(1U << 20)

struct sym {
	int fd;				/* negative: elf's by now */
	char *path;			/* NULL if not known */
	struct elfsym *elf;		/* NULL until a name is missing */
	struct namefile *kept;		/* by an earlier run; NULL: none */
	struct namefile_origin origin;
	struct namefile_entry *found;	/* in this run; strings are elf's */
	size_t nr_found;
	size_t found_room;
	size_t nr_lines;		/* of all found */
	bool is_kept;			/* what is found is for later runs, too */
	bool is_released;
};

/* Which file stands where a debug file is looked for */

struct places {
	struct namefile_debug *debug;
	size_t nr;
	bool are_known;		/* none can change unseen */
};

/* Opened as elfid_open_debug() does: what it may not read is none. Takes none. */
static int note_place(void *ctx, const char *path)
{
	struct places *p = ctx;
	struct namefile_debug *debug = &p->debug[p->nr++];
	int fd = regular_open(path);

	if (fd < 0) {
		debug->err = fd;
		return -ENOENT;
	}
	if (fileid_read(fd, &debug->id))
		p->are_known = false;
	close(fd);
	return -ENOENT;
}

/* By the build ID and the link in there. False: what is there says nothing. */
static bool find_places(struct namefile_origin *o, const char *path)
{
	char *folder = elfid_folder_of(path);
	const struct elfid_wanted w = {
		.build_id = o->build_id, .link = *o->link ? o->link : NULL, .folder = folder,
	};
	struct places places = {
		.debug = o->debug, .are_known = folder || !path || !strchr(path, '/'),
	};

	elfid_try_debug(ELFID_DEBUG_DIR, &w, note_place, &places);
	free(folder);
	return places.are_known;
}

static bool is_debug_there(const struct namefile_origin *o)
{
	for (int i = 0; i < ELFID_MAX_PATHS; i++)
		if (o->debug[i].id.ino)
			return true;
	return false;
}

static bool is_recent(const struct namefile_origin *o)
{
	bool any = fileid_is_recent(&o->file);

	for (int i = 0; i < ELFID_MAX_PATHS && !any; i++)
		any = o->debug[i].id.ino && fileid_is_recent(&o->debug[i].id);
	return any;
}

/* What was kept */

/* If the file is the same, what is written in it is. */
static bool is_valid(struct sym *s, const struct namefile_origin *kept)
{
	memcpy(s->origin.build_id, kept->build_id, sizeof(kept->build_id));
	memcpy(s->origin.link, kept->link, sizeof(kept->link));
	return find_places(&s->origin, s->path) && !memcmp(kept, &s->origin, sizeof(*kept));
}

static void read_kept(struct sym *s)
{
	s->origin.maker = maker_id();
	s->is_kept = !elfsym_has_servers() && !fileid_read(s->fd, &s->origin.file);
	if (s->is_kept)
		s->kept = namecache_read(&s->origin.file);
	if (s->kept && !is_valid(s, namefile_origin(s->kept))) {
		namefile_free(s->kept);
		s->kept = NULL;
	}
}

/* What is not */

/* Before a name is looked for: whatever changes after that makes it void. */
static void set_origin(struct sym *s)
{
	struct namefile_origin *o = &s->origin;
	const char *id = elfsym_build_id(s->elf), *link = elfsym_link(s->elf);

	memset(o->build_id, 0, sizeof(o->build_id));
	memset(o->link, 0, sizeof(o->link));
	memset(o->debug, 0, sizeof(o->debug));
	s->is_kept = *id && (!link || strlen(link) < sizeof(o->link));
	if (!s->is_kept)
		return;
	strcpy(o->build_id, id);
	strcpy(o->link, link ? link : "");
	s->is_kept = find_places(o, s->path) && !is_recent(o);
}

static int open_elf(struct sym *s)
{
	if (s->elf)
		return 0;
	if (s->fd < 0)
		return -EIO;
	s->elf = elfsym_open(s->fd, s->path);
	s->fd = -1;
	if (!s->elf)
		return errno == ENOEXEC ? -EIO : -errno;
	if (s->is_kept && !s->kept)
		set_origin(s);
	return 0;
}

struct sym *sym_open(int fd, const char *path)
{
	struct sym *s = calloc(1, sizeof(*s));
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
	sym_free(s);
	errno = err;
	return NULL;
}

/* Without memory for it, or beyond that, it is looked for again the next time. */
static void note_found(struct sym *s, uint64_t offset, const struct sym_line *lines, int nr)
{
	struct namefile_entry *found = array_grow(s->found, &s->found_room, s->nr_found + 1,
						  sizeof(*found));
	struct sym_line *copy = malloc((nr + 1) * sizeof(*copy));

	if (found)
		s->found = found;
	if (!found || !copy || s->nr_lines + nr > MAX_LINES) {
		free(copy);
		return;
	}
	memcpy(copy, lines, nr * sizeof(*copy));
	found[s->nr_found++] = (struct namefile_entry){ offset, nr, copy };
	s->nr_lines += nr;
}

int sym_lookup(struct sym *s, uint64_t offset, struct sym_line *lines, int max)
{
	const struct namefile_entry *kept = s->kept ? namefile_find(s->kept, offset) : NULL;
	int nr;

	if (s->is_released)
		return 0;
	if (kept && kept->nr < (uint32_t)max) {
		memcpy(lines, kept->lines, kept->nr * sizeof(*lines));
		return kept->nr;
	}
	nr = open_elf(s);
	if (!nr)
		nr = elfsym_lookup(s->elf, offset, lines, max);
	/* Only whole ones: of what was cut short, more may be asked for later. */
	if (s->is_kept && nr >= 0 && nr < max)
		note_found(s, offset, lines, nr);
	return nr;
}

static void keep_found(struct sym *s)
{
	size_t bytes;
	void *image;

	if (!s->nr_found || !elfsym_is_sure(s->elf, is_debug_there(&s->origin)) ||
	    namefile_make(&s->origin, s->kept, s->found, s->nr_found, &image, &bytes))
		return;
	namecache_write(&s->origin.file, image, bytes);
	free(image);
}

void sym_release(struct sym *s)
{
	if (s->is_released)
		return;
	s->is_released = true;
	keep_found(s);
	for (size_t i = 0; i < s->nr_found; i++)
		free((void *)s->found[i].lines);
	free(s->found);
	if (s->elf)
		elfsym_release(s->elf);
	if (s->fd >= 0)
		close(s->fd);
}

void sym_free(struct sym *s)
{
	if (!s)
		return;
	sym_release(s);
	elfsym_free(s->elf);
	namefile_free(s->kept);
	free(s->path);
	free(s);
}

const char *sym_build_id(const struct sym *s)
{
	return s->elf ? elfsym_build_id(s->elf) : s->origin.build_id;
}
