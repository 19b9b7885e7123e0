// SPDX-License-Identifier: GPL-2.0
#include "symbol/cache_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/string_table.h"

/* A change of the format needs another magic number. */
#define MAGIC		UINT64_C(0x3173656d616e7070)
#define NO_STRING	UINT32_MAX

/*
 * The head of a file. struct raw_entry, struct raw_frame and the strings follow, in this order.
 * The frames are in the order of the entries. Strings end with a NUL.
 */
struct head {
	uint64_t magic;
	uint64_t hash;		/* of all that follows */
	struct symbol_cache_file_origin origin;
	uint32_t nr_entries;
	uint32_t nr_frames;
	uint32_t strings_bytes;
	uint32_t unused;
};

struct raw_entry {
	uint64_t offset;	/* sorted; no two are equal */
	uint64_t nr;		/* number of frames */
};

struct raw_frame {
	uint64_t offset;
	uint32_t name;		/* offset in the strings, or NO_STRING */
	uint32_t system_name;	/* as name */
	uint32_t file;		/* as name */
	uint32_t line;
	uint32_t column;
	uint32_t start_line;
};

struct symbol_cache_file {
	struct head *head;	/* the image */
	struct symbol_cache_file_entry *entries;
	struct frame *frames;
};

/* The parts of an image after its head. */
struct parts {
	struct raw_entry *entries;
	struct raw_frame *frames;
	char *strings;
};

static size_t image_bytes(const struct head *h)
{
	return sizeof(*h) + (size_t)h->nr_entries * sizeof(struct raw_entry) +
	       (size_t)h->nr_frames * sizeof(struct raw_frame) + h->strings_bytes;
}

static struct parts parts_of(struct head *h)
{
	struct parts p = { .entries = (struct raw_entry *)(h + 1) };

	p.frames = (struct raw_frame *)(p.entries + h->nr_entries);
	p.strings = (char *)(p.frames + h->nr_frames);
	return p;
}

static uint64_t hash_of(const struct head *h, size_t bytes)
{
	size_t start = offsetof(struct head, origin);

	return XXH3_64bits((const char *)h + start, bytes - start);
}

static bool has_nul(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static bool is_complete(struct head *h, size_t bytes)
{
	return bytes >= sizeof(*h) && bytes <= SYMBOL_CACHE_FILE_MAX_BYTES && h->magic == MAGIC &&
	       image_bytes(h) == bytes && h->hash == hash_of(h, bytes) &&
	       h->strings_bytes && !parts_of(h).strings[h->strings_bytes - 1] &&
	       has_nul(h->origin.build_id, BUILD_ID_HEX_SIZE) &&
	       has_nul(h->origin.link, sizeof(h->origin.link));
}

/*
 * Finds the string at an offset. is_complete() has checked that the last byte of all strings is a
 * NUL: so each offset inside leads to a string that ends.
 */
static bool take_string(const struct head *h, const char *strings, uint32_t at, const char **text)
{
	*text = at == NO_STRING ? NULL : strings + at;
	return at == NO_STRING || at < h->strings_bytes;
}

static int take_frames(struct symbol_cache_file *n)
{
	const struct parts p = parts_of(n->head);

	for (uint32_t i = 0; i < n->head->nr_frames; i++) {
		const struct raw_frame *raw = &p.frames[i];
		struct frame *l = &n->frames[i];

		*l = (struct frame){
			.line = raw->line,
			.column = raw->column,
			.start_line = raw->start_line,
			.offset = raw->offset,
		};
		if (!take_string(n->head, p.strings, raw->name, &l->name) || !l->name ||
		    !take_string(n->head, p.strings, raw->system_name, &l->system_name) ||
		    !l->system_name || !take_string(n->head, p.strings, raw->file, &l->file))
			return -EINVAL;
	}
	return 0;
}

static int take_entries(struct symbol_cache_file *n)
{
	const struct raw_entry *raw = parts_of(n->head).entries;
	uint32_t left = n->head->nr_frames;
	const struct frame *frames = n->frames;

	for (uint32_t i = 0; i < n->head->nr_entries; i++) {
		if ((i && raw[i].offset <= raw[i - 1].offset) || raw[i].nr > left)
			return -EINVAL;
		n->entries[i] =
			(struct symbol_cache_file_entry){ raw[i].offset, raw[i].nr, frames };
		frames += raw[i].nr;
		left -= raw[i].nr;
	}
	return left ? -EINVAL : 0;
}

struct symbol_cache_file *symbol_cache_file_parse(void *image, size_t bytes)
{
	struct symbol_cache_file *n = is_complete(image, bytes) ? calloc(1, sizeof(*n)) : NULL;

	if (!n) {
		free(image);
		return NULL;
	}
	n->head = image;
	n->entries = calloc(n->head->nr_entries + 1UL, sizeof(*n->entries));
	n->frames = calloc(n->head->nr_frames + 1UL, sizeof(*n->frames));
	if (n->entries && n->frames && !take_frames(n) && !take_entries(n))
		return n;
	symbol_cache_file_free(n);
	return NULL;
}

void symbol_cache_file_free(struct symbol_cache_file *n)
{
	if (!n)
		return;
	free(n->head);
	free(n->entries);
	free(n->frames);
	free(n);
}

const struct symbol_cache_file_origin *symbol_cache_file_origin(const struct symbol_cache_file *n)
{
	return &n->head->origin;
}

static int by_offset(const void *left, const void *right)
{
	const struct symbol_cache_file_entry *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

const struct symbol_cache_file_entry *symbol_cache_file_find(const struct symbol_cache_file *n,
							     uint64_t offset)
{
	const struct symbol_cache_file_entry key = { .offset = offset };

	return bsearch(&key, n->entries, n->head->nr_entries, sizeof(key), by_offset);
}

/* Making a file */

/* Sorts the entries and removes duplicates. Entries of the same offset have the same frames. */
static size_t sort_unique(struct symbol_cache_file_entry *entries, size_t nr)
{
	size_t kept = 0;

	qsort(entries, nr, sizeof(*entries), by_offset);
	for (size_t i = 0; i < nr; i++)
		if (!kept || entries[i].offset != entries[kept - 1].offset)
			entries[kept++] = entries[i];
	return kept;
}

/*
 * Sets *index to the number of the string in the table; put_strings() replaces it by the offset.
 * No number is as high as NO_STRING: see HASH_INDEX_MAX_IDS.
 */
static int intern(struct strtab *t, const char *text, uint32_t *index)
{
	int64_t id = text ? strtab_intern(t, text, strlen(text)) : NO_STRING;

	*index = id;
	return id < 0 ? id : 0;
}

static int put_frames(struct strtab *t, const struct symbol_cache_file_entry *e,
		      struct raw_frame *raw)
{
	int err = 0;

	for (uint32_t i = 0; i < e->nr && !err; i++) {
		const struct frame *l = &e->frames[i];

		raw[i] = (struct raw_frame){
			.line = l->line,
			.column = l->column,
			.start_line = l->start_line,
			.offset = l->offset,
		};
		err = intern(t, l->name, &raw[i].name);
		if (!err)
			err = intern(t, l->system_name, &raw[i].system_name);
		if (!err)
			err = intern(t, l->file, &raw[i].file);
	}
	return err;
}

static void rebase(const uint32_t *starts, uint32_t *index)
{
	if (*index != NO_STRING)
		*index = starts[*index];
}

static void put_strings(const struct strtab *t, struct head *h, const uint32_t *starts)
{
	struct parts p = parts_of(h);

	for (size_t i = 0; i < strtab_nr(t); i++)
		strcpy(p.strings + starts[i], strtab_at(t, i));
	for (uint32_t i = 0; i < h->nr_frames; i++) {
		rebase(starts, &p.frames[i].name);
		rebase(starts, &p.frames[i].system_name);
		rebase(starts, &p.frames[i].file);
	}
}

/* Adds the strings and the hash. *head may move. */
static int finish(struct head **head, const struct strtab *t)
{
	uint32_t *starts = malloc(strtab_nr(t) * sizeof(*starts));
	size_t bytes = 0, before = image_bytes(*head);
	struct head *h = NULL;

	for (size_t i = 0; starts && i < strtab_nr(t); i++) {
		starts[i] = bytes;
		bytes += strlen(strtab_at(t, i)) + 1;
	}
	if (starts && before + bytes <= SYMBOL_CACHE_FILE_MAX_BYTES)
		h = realloc(*head, before + bytes);
	if (h) {
		*head = h;
		h->strings_bytes = bytes;
		put_strings(t, h, starts);
		h->hash = hash_of(h, image_bytes(h));
	}
	free(starts);
	return h ? 0 : before + bytes > SYMBOL_CACHE_FILE_MAX_BYTES ? -EFBIG : -ENOMEM;
}

static int put_entries(struct head *h, struct strtab *t,
		       const struct symbol_cache_file_entry *entries)
{
	struct parts p = parts_of(h);
	int err = 0;

	for (uint32_t i = 0; i < h->nr_entries && !err; i++) {
		p.entries[i] = (struct raw_entry){ entries[i].offset, entries[i].nr };
		err = put_frames(t, &entries[i], p.frames);
		p.frames += entries[i].nr;
	}
	return err;
}

/* Makes an image of sorted entries. Returns: 0, -EFBIG, or -ENOMEM. */
static int make(const struct symbol_cache_file_origin *origin,
		const struct symbol_cache_file_entry *entries, size_t nr, void **image,
		size_t *bytes)
{
	struct head counts = { .magic = MAGIC, .origin = *origin, .nr_entries = nr }, *h = NULL;
	struct strtab *t = strtab_new();
	int err = -ENOMEM;

	for (size_t i = 0; i < nr; i++)
		counts.nr_frames += entries[i].nr;
	if (t && image_bytes(&counts) <= SYMBOL_CACHE_FILE_MAX_BYTES)
		h = malloc(image_bytes(&counts));
	if (h) {
		*h = counts;
		err = put_entries(h, t, entries);
	}
	if (!err)
		err = finish(&h, t);
	strtab_free(t);
	if (!err) {
		*image = h;
		*bytes = image_bytes(h);
		return 0;
	}
	free(h);
	return image_bytes(&counts) > SYMBOL_CACHE_FILE_MAX_BYTES ? -EFBIG : err;
}

int symbol_cache_file_make(const struct symbol_cache_file_origin *origin,
			   const struct symbol_cache_file *old,
			   const struct symbol_cache_file_entry *entries, size_t nr, void **image,
			   size_t *bytes)
{
	size_t nr_old = old ? old->head->nr_entries : 0;
	struct symbol_cache_file_entry *all = calloc(nr_old + nr, sizeof(*all));
	int err;

	if (!all)
		return -ENOMEM;
	memcpy(all, entries, nr * sizeof(*all));
	if (old)
		memcpy(all + nr, old->entries, nr_old * sizeof(*all));
	err = make(origin, all, sort_unique(all, nr + nr_old), image, bytes);
	if (err == -EFBIG && old) {
		memcpy(all, entries, nr * sizeof(*all));
		err = make(origin, all, sort_unique(all, nr), image, bytes);
	}
	free(all);
	return err;
}
