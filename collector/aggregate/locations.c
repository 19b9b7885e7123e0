// SPDX-License-Identifier: GPL-2.0
#include "aggregate/locations.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/named_code.h"
#include "base/array.h"
#include "base/tuple_map.h"
#include "base/string_table.h"

struct entry {
	struct location location;
	bool resolved;		/* the look-up of its symbols is over */
	bool is_set;		/* its symbols are from locations_set() */
	struct frame made_up;	/* the only line if the location has no symbol */
};

struct locations {
	struct mapped_files *files;
	/*
	 * A tuple is a location: one number. The tag is its mapping, and the number its address;
	 * or the tag is TAG_UNMAPPED or TAG_SYNTHETIC. The id of the tuple is that of the location.
	 */
	struct tuple_map *ids;
	struct entry *entries;		/* by id */
	size_t room;			/* of entries */
	/*
	 * A tuple is a mapping: the number of its file, and its offset in the file. The tag is 0.
	 * The id of the tuple is that of the mapping.
	 */
	struct tuple_map *mapping_ids;
	struct locations_mapping *mappings;	/* by id */
	size_t mapping_room;
	struct strtab *names;		/* of synthetic locations, and of files */
	size_t nr_unmapped;		/* locations in no mapping */
	size_t nr_lines;		/* lines of all locations with symbols */
	struct named_code *code;	/* NULL: no whole functions are looked up */
	uint32_t nr_probes;		/* addresses that may still be looked up for it */
};

/* Tags of tuples in ids that are in no mapping. The number is an address, or an index in names. */
#define TAG_UNMAPPED	((uint64_t)LOCATIONS_NO_MAPPING)
#define TAG_SYNTHETIC	(TAG_UNMAPPED + 1)

/* All locations in no mapping have one name. Wrong frames could add new ones without end. */
#define MAX_UNMAPPED	(LOCATIONS_MAX / 16)

/* Limit of lines: 200 MB. Beyond it a location has only its outermost function. */
#define MAX_LINES	(4 * (size_t)LOCATIONS_MAX)

struct locations *locations_new(struct mapped_files *files)
{
	struct locations *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->files = files;
	l->ids = tuple_map_new(UINT32_MAX);
	l->mapping_ids = tuple_map_new(LOCATIONS_MAX);
	l->names = strtab_new();
	if (!l->ids || !l->mapping_ids || !l->names) {
		locations_free(l);
		return NULL;
	}
	return l;
}

static void free_lines(struct locations *l)
{
	for (size_t id = 0; l->ids && id < tuple_map_nr(l->ids); id++)
		if (l->entries[id].location.named)
			free((void *)l->entries[id].location.lines);
}

void locations_clear(struct locations *l)
{
	free_lines(l);
	tuple_map_clear(l->ids);
	tuple_map_clear(l->mapping_ids);
	l->nr_unmapped = 0;
	l->nr_lines = 0;
}

/* Numbers the mappings that have kept locations, and main_mapping. The others are removed. */
static void number_mappings(const struct locations *l, const uint32_t *new_ids,
			    int64_t main_mapping, uint32_t *new_mappings)
{
	size_t nr = locations_nr_mappings(l);
	uint32_t next = 0;

	memset(new_mappings, 0, nr * sizeof(*new_mappings));
	if (main_mapping >= 0)
		new_mappings[main_mapping] = 1;
	for (size_t id = 0; id < locations_nr(l); id++)
		if (new_ids[id] != LOCATIONS_REMOVED &&
		    l->entries[id].location.mapping != LOCATIONS_NO_MAPPING)
			new_mappings[l->entries[id].location.mapping] = 1;
	for (size_t id = 0; id < nr; id++)
		new_mappings[id] = new_mappings[id] ? next++ : LOCATIONS_REMOVED;
}

/* Copies the keys of mappings and locations that are kept, with the new numbers of mappings. */
static int copy_keys(const struct locations *l, const uint32_t *new_ids,
		     const uint32_t *new_mappings, struct tuple_map *ids,
		     struct tuple_map *mapping_ids)
{
	int64_t id = 0;

	for (size_t i = 0; id >= 0 && i < locations_nr_mappings(l); i++)
		if (new_mappings[i] != LOCATIONS_REMOVED)
			id = tuple_map_add(mapping_ids, 0, tuple_map_at(l->mapping_ids, i)->frames,
					   2, 1);
	for (size_t i = 0; id >= 0 && i < locations_nr(l); i++) {
		const struct tuple *tuple = tuple_map_at(l->ids, i);
		uint64_t tag = tuple->tag < TAG_UNMAPPED ? new_mappings[tuple->tag] : tuple->tag;

		if (new_ids[i] != LOCATIONS_REMOVED)
			id = tuple_map_add(ids, tag, tuple->frames, 1, 1);
	}
	return id < 0 ? -ENOMEM : 0;
}

static void move_mappings(struct locations *l, const uint32_t *new_mappings)
{
	for (size_t id = 0; id < locations_nr_mappings(l); id++)
		if (new_mappings[id] != LOCATIONS_REMOVED)
			l->mappings[new_mappings[id]] = l->mappings[id];
}

/* Moves the entries that are kept to their new ids, and frees the others. */
static void move_entries(struct locations *l, const uint32_t *new_ids,
			 const uint32_t *new_mappings)
{
	l->nr_unmapped = 0;
	l->nr_lines = 0;
	for (size_t id = 0; id < locations_nr(l); id++) {
		struct entry *entry = &l->entries[id];

		if (new_ids[id] == LOCATIONS_REMOVED) {
			if (entry->location.named)
				free((void *)entry->location.lines);
			continue;
		}
		l->nr_unmapped += tuple_map_at(l->ids, id)->tag == TAG_UNMAPPED;
		l->nr_lines += entry->location.named ? entry->location.nr_lines : 0;
		if (entry->location.mapping != LOCATIONS_NO_MAPPING)
			entry->location.mapping = new_mappings[entry->location.mapping];
		l->entries[new_ids[id]] = *entry;
	}
}

int locations_keep(struct locations *l, const uint32_t *new_ids, int64_t *main_mapping)
{
	struct tuple_map *ids = tuple_map_new(UINT32_MAX), *old_ids = l->ids;
	struct tuple_map *mapping_ids = tuple_map_new(LOCATIONS_MAX), *old_mapping_ids;
	uint32_t *new_mappings = malloc((locations_nr_mappings(l) + 1) * sizeof(*new_mappings));
	int err = -ENOMEM;

	if (ids && mapping_ids && new_mappings) {
		number_mappings(l, new_ids, *main_mapping, new_mappings);
		err = copy_keys(l, new_ids, new_mappings, ids, mapping_ids);
	}
	old_mapping_ids = l->mapping_ids;
	if (err) {
		old_ids = ids;
		old_mapping_ids = mapping_ids;
	} else {
		move_entries(l, new_ids, new_mappings);
		move_mappings(l, new_mappings);
		if (*main_mapping >= 0)
			*main_mapping = new_mappings[*main_mapping];
		l->ids = ids;
		l->mapping_ids = mapping_ids;
	}
	tuple_map_free(old_ids);
	tuple_map_free(old_mapping_ids);
	free(new_mappings);
	return err;
}

void locations_free(struct locations *l)
{
	if (!l)
		return;
	free_lines(l);
	free(l->entries);
	free(l->mappings);
	tuple_map_free(l->ids);
	tuple_map_free(l->mapping_ids);
	strtab_free(l->names);
	free(l);
}

/* Grows entries before it adds the id: each id must have an entry. */
static int64_t new_id(struct locations *l, uint64_t tag, uint64_t word, bool *is_new)
{
	struct entry *entries =
		array_grow(l->entries, &l->room, tuple_map_nr(l->ids) + 1, sizeof(*entries));
	size_t nr = tuple_map_nr(l->ids);
	int64_t id;

	if (!entries)
		return -ENOMEM;
	l->entries = entries;
	id = tuple_map_add(l->ids, tag, &word, 1, 1);
	*is_new = id >= 0 && (size_t)id == nr;
	return id;
}

int64_t locations_mapping(struct locations *l, const struct maps_range *range)
{
	uint64_t key[2] = { range->file, range->offset };
	struct locations_mapping *mappings = array_grow(l->mappings, &l->mapping_room,
							tuple_map_nr(l->mapping_ids) + 1,
							sizeof(*mappings));
	size_t nr = tuple_map_nr(l->mapping_ids);
	int64_t id;

	if (!mappings)
		return -ENOMEM;
	l->mappings = mappings;
	id = tuple_map_add(l->mapping_ids, 0, key, 2, 1);
	if (id < 0)
		return id;
	if ((size_t)id == nr)
		mappings[id] = (struct locations_mapping){ range->start, range->end, range->offset,
							   range->file };
	else if (mappings[id].end - mappings[id].start < range->end - range->start)
		mappings[id].end = mappings[id].start + (range->end - range->start);
	return id;
}

/* Returns the id, -ENOSPC if a new location is over a limit, or -ENOMEM. */
static int64_t intern_at(struct locations *l, uint64_t tag, uint64_t addr)
{
	bool is_new;
	int64_t id;

	if (locations_nr(l) >= LOCATIONS_MAX ||
	    (tag == TAG_UNMAPPED && l->nr_unmapped >= MAX_UNMAPPED)) {
		id = tuple_map_find(l->ids, tag, &addr, 1);
		return id == -ENOENT ? -ENOSPC : id;
	}
	id = new_id(l, tag, addr, &is_new);
	if (id < 0 || !is_new)
		return id;
	l->entries[id] = (struct entry){
		.location = { .address = addr, .mapping = (uint32_t)tag },
	};
	l->nr_unmapped += tag == TAG_UNMAPPED;
	return id;
}

/* range: NULL if no mapping has addr. */
static int64_t intern(struct locations *l, const struct maps_range *range, uint64_t addr)
{
	int64_t mapping, id;

	if (range) {
		mapping = locations_mapping(l, range);
		id = mapping < 0 ? mapping :
			intern_at(l, mapping, addr - range->start + l->mappings[mapping].start);
	} else {
		id = intern_at(l, TAG_UNMAPPED, addr);
	}
	return id == -ENOSPC ? locations_synthetic(l, LOCATIONS_OVER_NAME) : id;
}

int64_t locations_intern(struct locations *l, const struct maps *maps, uint64_t addr)
{
	return intern(l, maps_find(maps, addr), addr);
}

int64_t locations_intern_kernel(struct locations *l, uint64_t addr)
{
	struct maps_range range;
	int err = mapped_files_find_kernel(l->files, addr, &range);

	return err == -ENOMEM ? err : intern(l, err ? NULL : &range, addr);
}

bool locations_is_tracepoint(const struct locations *l, uint64_t addr)
{
	static const char prefix[] = "__traceiter_";
	const char *name = mapped_files_kernel_name(l->files, addr);

	return name && !strncmp(name, prefix, strlen(prefix));
}

static void make_up(struct entry *entry, const char *name)
{
	entry->made_up = (struct frame){ .name = name, .system_name = name,
					    .offset = FRAME_NO_OFFSET };
	entry->location.nr_lines = 1;
}

int64_t locations_synthetic(struct locations *l, const char *name)
{
	int64_t index = strtab_intern(l->names, name, strlen(name));
	bool is_new;
	int64_t id;

	if (index < 0)
		return index;
	id = new_id(l, TAG_SYNTHETIC, index, &is_new);
	if (id < 0 || !is_new)
		return id;
	l->entries[id] = (struct entry){ .location.mapping = LOCATIONS_NO_MAPPING,
					 .resolved = true };
	make_up(&l->entries[id], strtab_at(l->names, index));
	return id;
}

/*
 * Code without a symbol gets the name of its file. Readers of profiles drop a location without a
 * name. If the address were the name, they would show each address on its own.
 */
static const char *name_by_file(struct locations *l, const struct location *location)
{
	const char *path;
	char name[NAME_MAX + 3];
	int64_t index;

	if (location->mapping == LOCATIONS_NO_MAPPING)
		return "[unknown]";
	path = mapped_files_path(l->files, l->mappings[location->mapping].file);
	snprintf(name, sizeof(name), path[0] == '[' ? "%s" : "[%s]", basename(path));
	index = strtab_intern(l->names, name, strlen(name));
	return index < 0 ? "[unknown]" : strtab_at(l->names, index);
}

/* Looks up the function around a location, too, if the file is open. */
static void learn(struct locations *l, uint32_t file, uint64_t offset)
{
	struct symbolizer *sym = mapped_files_symbolizer(l->files, file);

	if (sym)
		named_code_learn(l->code, sym, file, offset, &l->nr_probes);
}

static int find_lines(struct locations *l, uint32_t file, uint64_t offset, struct frame *lines)
{
	int nr = -ENOENT;

	if (l->code)
		nr = named_code_find(l->code, file, offset, lines, LOCATIONS_MAX_LINES);
	if (nr >= 0)
		return nr;
	nr = mapped_files_lookup(l->files, file, offset, lines, LOCATIONS_MAX_LINES);
	if (l->code && nr >= 0)
		learn(l, file, offset);
	return nr;
}

static void resolve(struct locations *l, struct location *location)
{
	const struct locations_mapping *mapping = &l->mappings[location->mapping];
	struct frame lines[LOCATIONS_MAX_LINES];
	uint64_t offset = location->address - mapping->start + mapping->offset;
	int nr = find_lines(l, mapping->file, offset, lines);

	if (nr <= 0)
		return;
	if (l->nr_lines + nr > MAX_LINES) {
		lines[0] = lines[nr - 1];
		nr = 1;
	}
	location->lines = malloc(nr * sizeof(*lines));
	if (!location->lines)
		return;
	l->nr_lines += nr;
	memcpy((void *)location->lines, lines, nr * sizeof(*lines));
	location->nr_lines = nr;
	location->named = true;
}

/*
 * Sets lines again in each call: a made-up line is in the entry, and the entry moves when the array
 * grows.
 */
const struct location *locations_at(struct locations *l, size_t id)
{
	struct entry *entry = &l->entries[id];

	if (!entry->resolved && entry->location.mapping != LOCATIONS_NO_MAPPING)
		resolve(l, &entry->location);
	entry->resolved = true;
	if (!entry->location.nr_lines)
		make_up(entry, name_by_file(l, &entry->location));
	if (!entry->location.named)
		entry->location.lines = &entry->made_up;
	return &entry->location;
}

static size_t block_bytes(const struct frame *lines, uint32_t nr)
{
	size_t bytes = nr * sizeof(*lines);

	for (uint32_t i = 0; i < nr; i++)
		bytes += strlen(lines[i].name) + strlen(lines[i].system_name) +
			 (lines[i].file ? strlen(lines[i].file) : 0) + 3;
	return bytes;
}

/* Copies a string to *text, and moves *text past it. */
static const char *copy_string(char **text, const char *string)
{
	char *copy = *text;

	if (!string)
		return NULL;
	*text = stpcpy(copy, string) + 1;
	return copy;
}

/* Returns the lines, with their strings in the same block, or NULL without memory. */
static struct frame *copy_lines(const struct frame *lines, uint32_t nr)
{
	struct frame *copy = malloc(block_bytes(lines, nr));
	char *text = (char *)(copy + nr);

	for (uint32_t i = 0; copy && i < nr; i++) {
		copy[i] = lines[i];
		copy[i].name = copy_string(&text, lines[i].name);
		copy[i].system_name = copy_string(&text, lines[i].system_name);
		copy[i].file = copy_string(&text, lines[i].file);
	}
	return copy;
}

static bool is_in_file(const struct locations *l, const struct entry *entry)
{
	uint32_t mapping = entry->location.mapping;

	return mapping != LOCATIONS_NO_MAPPING &&
	       !mapped_files_is_memory(l->files, l->mappings[mapping].file);
}

int locations_set(struct locations *l, size_t id, const struct frame *lines, uint32_t nr)
{
	struct entry *entry = &l->entries[id];

	if (id >= locations_nr(l) || nr > LOCATIONS_MAX_LINES)
		return -EINVAL;
	if (entry->resolved || !is_in_file(l, entry) || l->nr_lines + nr > MAX_LINES ||
	    mapped_files_is_outdated(l->files, locations_file(l, id)))
		return 0;
	entry->location.lines = nr ? copy_lines(lines, nr) : NULL;
	if (nr && !entry->location.lines)
		return -ENOMEM;
	l->nr_lines += nr;
	entry->location.nr_lines = nr;
	entry->location.named = nr;
	entry->resolved = true;
	entry->is_set = true;
	return 0;
}

void locations_forget_names(struct locations *l, const bool *keep)
{
	for (size_t id = 0; id < locations_nr(l); id++) {
		struct entry *entry = &l->entries[id];

		if (keep[locations_file(l, id)] || !entry->location.named)
			continue;
		l->nr_lines -= entry->location.nr_lines;
		free((void *)entry->location.lines);
		entry->location.lines = NULL;
		entry->location.nr_lines = 0;
		entry->location.named = false;
	}
}

const struct location *locations_next_found(struct locations *l, size_t *id)
{
	for (; *id < locations_nr(l); ++*id) {
		const struct entry *entry = &l->entries[*id];

		if (entry->resolved && !entry->is_set && is_in_file(l, entry))
			return locations_at(l, *id);
	}
	return NULL;
}

uint32_t locations_file(const struct locations *l, size_t id)
{
	uint32_t mapping = l->entries[id].location.mapping;

	return mapping == LOCATIONS_NO_MAPPING ? MAPPED_FILES_NONE : l->mappings[mapping].file;
}

/* Returns the file that holds the symbols of a location. */
static uint32_t named_by(const struct locations *l, size_t id)
{
	return mapped_files_first(l->files, locations_file(l, id));
}

static int by_file(const void *left, const void *right, void *locations)
{
	uint32_t a = named_by(locations, *(const uint32_t *)left);
	uint32_t b = named_by(locations, *(const uint32_t *)right);

	return (a > b) - (a < b);
}

/* Without memory for the order, locations_at() looks up each location as it is read. */
int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx)
{
	uint32_t *order = malloc((locations_nr(l) + 1) * sizeof(*order)), file;
	bool over = false;
	size_t nr = 0;

	if (!order)
		return 0;
	for (size_t id = 0; id < locations_nr(l); id++)
		if (!l->entries[id].resolved)
			order[nr++] = id;
	qsort_r(order, nr, sizeof(*order), by_file, l);
	for (size_t i = 0; i < nr; i++) {
		file = named_by(l, order[i]);
		over = over || is_over(ctx);
		if (over)
			l->entries[order[i]].resolved = true;
		locations_at(l, order[i]);
		if (file != MAPPED_FILES_NONE && (i + 1 == nr || named_by(l, order[i + 1]) != file))
			mapped_files_release_names(l->files, file);
	}
	free(order);
	return over ? -EINTR : 0;
}

size_t locations_nr(const struct locations *l)
{
	return tuple_map_nr(l->ids);
}

size_t locations_nr_mappings(const struct locations *l)
{
	return tuple_map_nr(l->mapping_ids);
}

const struct locations_mapping *locations_mapping_at(const struct locations *l, size_t id)
{
	return &l->mappings[id];
}

void locations_mark_files(const struct locations *l, bool *marks)
{
	for (size_t id = 0; id < locations_nr_mappings(l); id++)
		marks[l->mappings[id].file] = true;
}

void locations_learn(struct locations *l, struct named_code *code, uint32_t nr_probes)
{
	l->code = code;
	l->nr_probes = nr_probes;
}
