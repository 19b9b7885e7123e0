// SPDX-License-Identifier: GPL-2.0
#include "formats/memory_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/line_reader.h"
#include "formats/perf_script_line.h"
#include "formats/text_cursor.h"

/* More variables are ignored: a line is searched for each of them. */
#define MAX_VARIABLES	64

/* Limit of all expanded lines together. Without it a small file could need any amount of memory. */
#define MAX_EXPANDED_BYTES	(1U << 20)

/* Where an ELF program without PIE begins. */
#define PROGRAM_START	0x400000

/* A line, taken apart. Texts may be empty. */
struct entry {
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	struct text_cursor permissions;
	struct text_cursor file;
	struct text_cursor build_id;
};

/* A mapping, and its start before extends_to() moved it. */
struct sorted_mapping {
	uint64_t start;
	uint32_t mapping;		/* index */
};

void memory_map_fini(struct memory_map *map)
{
	free(map->mappings.items);
	free(map->variables.items);
	free(map->expanded.items);
	*map = (struct memory_map){ 0 };
}

bool memory_map_begins(const struct text_cursor *line)
{
	return text_contains(line, "--- Memory map: ---") ||
	       text_contains(line, "MAPPED_LIBRARIES:");
}

/* Lines */

static bool take_bound(struct text_cursor *c, uint64_t *out)
{
	text_skip_blanks(c);
	text_take(c, "0x");
	return text_take_hex(c, out);
}

static bool take_range(struct text_cursor *c, struct entry *e)
{
	if (!take_bound(c, &e->start) || (!text_take(c, "-") && !text_skip_blanks(c)) ||
	    !take_bound(c, &e->limit))
		return false;
	text_take(c, ":");
	return c->at == c->end || text_is_blank(*c->at);
}

static struct text_cursor take_word(struct text_cursor *c)
{
	text_skip_blanks(c);
	return text_take_token(c);
}

static struct text_cursor take_permissions(struct text_cursor *c)
{
	struct text_cursor rest = *c, word = take_word(&rest);

	for (const char *at = word.at; at < word.end; at++)
		if (!strchr("-rwxps", *at))
			return (struct text_cursor){ c->end, c->end };
	*c = rest;
	return word;
}

/* Takes a whole word that is a hexadecimal number. */
static bool take_hex_word(struct text_cursor *c, uint64_t *out)
{
	struct text_cursor rest = *c, word = take_word(&rest);

	if (!text_take_hex(&word, out) || word.at != word.end)
		return false;
	*c = rest;
	return true;
}

static bool take_device_and_inode(struct text_cursor *c)
{
	struct text_cursor device = take_word(c), inode = take_word(c);
	uint64_t number;
	int64_t decimal;

	return text_take_hex(&device, &number) && text_take(&device, ":") &&
	       text_take_hex(&device, &number) && text_take_number(&inode, &decimal);
}

/* OFFSET MAJOR:MINOR INODE [FILE], as in /proc/PID/maps. */
static bool take_proc_fields(struct text_cursor *c, struct entry *e)
{
	struct text_cursor rest = *c;

	take_hex_word(&rest, &e->offset);
	if (!take_device_and_inode(&rest)) {
		e->offset = 0;
		return false;
	}
	*c = rest;
	e->file = take_word(c);
	return true;
}

static bool take_offset(struct text_cursor *c, struct entry *e)
{
	struct text_cursor rest = *c, word = take_word(&rest);

	if (!text_take(&word, "(@") || !text_take_hex(&word, &e->offset))
		return false;
	*c = rest;
	return true;
}

static bool is_hex(struct text_cursor word)
{
	while (word.at < word.end && text_hex_digit(*word.at) >= 0)
		word.at++;
	return word.at == word.end;
}

/* [FILE] [(@OFFSET)] [BUILD-ID] */
static void take_short_fields(struct text_cursor *c, struct entry *e)
{
	if (!take_offset(c, e)) {
		e->file = take_word(c);
		take_offset(c, e);
	}
	e->build_id = take_word(c);
	if (!is_hex(e->build_id))
		e->build_id.at = e->build_id.end;
}

static bool parse_entry(struct text_cursor c, struct entry *e)
{
	struct text_cursor none = { c.end, c.end };

	*e = (struct entry){ .permissions = none, .file = none, .build_id = none };
	if (!take_range(&c, e))
		return false;
	e->permissions = take_permissions(&c);
	if (!take_proc_fields(&c, e))
		take_short_fields(&c, e);
	return true;
}

/* Cuts the prefix "FILE:LINE] " of a log. */
static void cut_log_prefix(struct text_cursor *line)
{
	struct text_cursor c = *line, before, digits;

	while (c.at < c.end && *c.at != '[' && *c.at != ']')
		c.at++;
	if (c.at + 1 >= c.end || *c.at != ']' || !text_is_blank(c.at[1]))
		return;
	before = (struct text_cursor){ line->at, c.at };
	digits = text_cut_digits(&before);
	if (text_left(&digits) && text_left(&before) > 1 && before.end[-1] == ':')
		line->at = c.at + 2;
}

/* Variables */

static int add_variable(struct memory_map *map, const struct text_cursor *line)
{
	const char *sign = text_left(line) ? memchr(line->at, '=', text_left(line)) : NULL;
	struct text_cursor name = { line->at, sign }, value = { sign, line->end };
	int64_t name_id, value_id;

	if (!sign || map->variables.nr == MAX_VARIABLES)
		return 0;
	value.at++;
	text_trim(&name);
	text_trim(&value);
	name_id = model_add_string(map->m, name.at, text_left(&name));
	value_id = model_add_string(map->m, value.at, text_left(&value));
	if (name_id < 0 || value_id < 0)
		return -ENOMEM;
	return ARRAY_APPEND(map->variables,
			    (&(struct memory_map_variable){ name_id, value_id }), 1);
}

/* Takes $NAME and adds its value to map->expanded, or takes one byte and adds it. */
static int expand_next(struct memory_map *map, struct text_cursor *c)
{
	const struct memory_map_variable *v = map->variables.items;
	struct text_cursor rest = *c;

	if (text_take(&rest, "$"))
		for (size_t i = 0; i < map->variables.nr; i++) {
			const char *value = model_string(map->m, v[i].value);

			if (!text_take(&rest, model_string(map->m, v[i].name)))
				continue;
			*c = rest;
			return ARRAY_APPEND(map->expanded, value, strlen(value));
		}
	return ARRAY_APPEND(map->expanded, c->at++, 1);
}

/* Replaces the variables in a line. Returns: 0, -ENOMEM, or -E2BIG. */
static int expand(struct memory_map *map, struct text_cursor *line)
{
	int err = 0;

	if (!map->variables.nr || !text_contains(line, "$"))
		return 0;
	map->expanded.nr = 0;
	while (!err && line->at < line->end) {
		err = expand_next(map, line);
		if (map->nr_expanded_bytes + map->expanded.nr > MAX_EXPANDED_BYTES)
			return -E2BIG;
	}
	map->nr_expanded_bytes += map->expanded.nr;
	*line = (struct text_cursor){ map->expanded.items,
				      map->expanded.items + map->expanded.nr };
	return err;
}

/* Reading */

static int add_entry(struct memory_map *map, const struct entry *e)
{
	int64_t file = model_add_string(map->m, e->file.at, text_left(&e->file));
	int64_t build_id = model_add_string(map->m, e->build_id.at, text_left(&e->build_id));
	const struct model_mapping mapping = {
		.start = e->start, .limit = e->limit, .offset = e->offset,
		.file = file, .build_id = build_id,
	};

	if (file < 0 || build_id < 0)
		return -ENOMEM;
	if (map->mappings.nr == MODEL_NONE - 1)
		return -EOVERFLOW;
	return ARRAY_APPEND(map->mappings, &mapping, 1);
}

static int add_line(struct memory_map *map, struct text_cursor line)
{
	struct entry e;
	int err;

	cut_log_prefix(&line);
	err = expand(map, &line);
	if (err)
		return err;
	if (!parse_entry(line, &e))
		return add_variable(map, &line);
	if (text_left(&e.permissions) && !text_contains(&e.permissions, "x"))
		return 0;
	return add_entry(map, &e);
}

static bool is_folded_stack(struct text_cursor line)
{
	struct text_cursor digits = text_cut_digits(&line);

	return text_left(&digits) && text_left(&line) && text_is_blank(line.end[-1]) &&
	       text_contains(&line, ";");
}

/* A file with two profiles would lose the second one. */
static bool is_other_profile(const struct text_cursor *line)
{
	static const char *const heads[] = {
		"heap profile: ", " profile: total ", "--- contention", "--- mutex:",
		"--- threadz ", "--- heapz ",
	};
	struct perf_script_head sample;

	if (text_is_comment(*line))
		return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (text_contains(line, heads[i]))
			return true;
	return is_folded_stack(*line) ||
	       (perf_script_parse_head(*line, &sample) && sample.has_time);
}

int memory_map_read(struct memory_map *map, struct line_reader *r, bool has_begun)
{
	int ret, err;

	has_begun = has_begun || memory_map_begins(&r->line);
	while ((ret = line_reader_next(r)) > 0) {
		if (is_other_profile(&r->line))
			return line_reader_fault(r, "mappings, found another profile");
		err = has_begun ? add_line(map, r->line) : 0;
		if (err == -E2BIG)
			return line_reader_fault(r, "at most 1 MiB of lines with variables");
		if (err)
			return line_reader_errno(r, err);
		has_begun = has_begun || memory_map_begins(&r->line);
	}
	return ret;
}

/* Repairs */

static bool differ(uint32_t a, uint32_t b)
{
	return a && b && a != b;
}

/* Are the two parts of one mapping? A field that one of them lacks makes no difference. */
static bool are_adjacent(const struct model_mapping *a, const struct model_mapping *b)
{
	if (differ(a->file, b->file) || differ(a->build_id, b->build_id) || a->limit != b->start)
		return false;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

static void join_adjacent(struct memory_map *map)
{
	struct model_mapping *all = map->mappings.items;
	size_t nr = 0;

	for (size_t i = 0; i < map->mappings.nr; i++) {
		struct model_mapping *last = nr ? &all[nr - 1] : NULL;

		if (!last || !are_adjacent(last, &all[i])) {
			all[nr++] = all[i];
			continue;
		}
		last->limit = all[i].limit;
		last->file = all[i].file ? all[i].file : last->file;
		last->build_id = all[i].build_id ? all[i].build_id : last->build_id;
	}
	map->mappings.nr = nr;
}

/* Does the name end in ".so", or contain ".so.N"? */
static bool is_library(const char *file)
{
	for (const char *at = file; (at = strstr(at, ".so")); at += 3)
		if (!at[3] || ((at[3] == '.' || at[3] == '_') && text_is_digit(at[4])))
			return true;
	return false;
}

bool memory_map_is_program(const char *file)
{
	return *file && *file != '[' && !is_library(file);
}

static void put_program_first(struct memory_map *map)
{
	struct model_mapping *all = map->mappings.items, first;

	for (size_t i = 0; i < map->mappings.nr; i++) {
		if (!memory_map_is_program(model_string(map->m, all[i].file)))
			continue;
		first = all[0];
		all[0] = all[i];
		all[i] = first;
		return;
	}
}

/*
 * Repairs the mappings of a program that was moved into huge pages: its first part has another
 * name, or the start is not that of the file.
 */
static void repair_program(struct memory_map *map)
{
	struct model_mapping *all = map->mappings.items;

	if (map->mappings.nr > 1 && all[0].limit == all[1].start &&
	    !strncmp(model_string(map->m, all[0].file), "/anon_hugepage", 14)) {
		map->mappings.nr--;
		memmove(all, all + 1, map->mappings.nr * sizeof(*all));
	}
	if (map->mappings.nr && all[0].start - all[0].offset == PROGRAM_START) {
		all[0].start = PROGRAM_START;
		all[0].offset = 0;
	}
}

/* Locations */

static int compare_starts(const void *left, const void *right)
{
	const struct sorted_mapping *a = left, *b = right;

	if (a->start != b->start)
		return a->start > b->start ? 1 : -1;
	return (a->mapping < b->mapping) - (a->mapping > b->mapping);
}

/* Returns the mappings by rising start, which the caller frees; or NULL. */
static struct sorted_mapping *sort_mappings(const struct memory_map *map)
{
	struct sorted_mapping *sorted = calloc(map->mappings.nr + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < map->mappings.nr; i++)
		sorted[i] = (struct sorted_mapping){ map->mappings.items[i].start, i };
	if (sorted)
		qsort(sorted, map->mappings.nr, sizeof(*sorted), compare_starts);
	return sorted;
}

/* The number of mappings that start at the address or below. */
static size_t nr_below(const struct sorted_mapping *sorted, size_t nr, uint64_t address)
{
	size_t low = 0;

	while (low < nr) {
		size_t middle = low + (nr - low) / 2;

		if (sorted[middle].start <= address)
			low = middle + 1;
		else
			nr = middle;
	}
	return low;
}

/*
 * Profilers may report only the last part of a mapping that is split. Its offset shows where the
 * first part began: the mapping above the address is extended downwards.
 */
static bool extends_to(struct model_mapping *mapping, uint64_t address)
{
	if (mapping->offset && mapping->start - mapping->offset <= address) {
		mapping->start -= mapping->offset;
		mapping->offset = 0;
	}
	return mapping->start <= address;
}

static uint32_t find_mapping(struct memory_map *map, const struct sorted_mapping *sorted,
			     uint64_t address)
{
	struct model_mapping *all = map->mappings.items;
	size_t nr = map->mappings.nr, below = nr_below(sorted, nr, address);

	if (below && address < all[sorted[below - 1].mapping].limit)
		return sorted[below - 1].mapping;
	if (below < nr && extends_to(&all[sorted[below].mapping], address))
		return sorted[below].mapping;
	return MODEL_NONE;
}

static int add_mappings(struct memory_map *map, bool needs_whole_memory)
{
	const struct model_mapping whole_memory = { .limit = UINT64_MAX };
	int64_t id = 0;

	for (size_t i = 0; id >= 0 && i < map->mappings.nr; i++)
		id = model_add_mapping(map->m, &map->mappings.items[i]);
	if (id >= 0 && needs_whole_memory)
		id = model_add_mapping(map->m, &whole_memory);
	return id < 0 ? id : 0;
}

int memory_map_attach(struct memory_map *map)
{
	struct model_location *locations = map->m->locations.items;
	bool needs_whole_memory = false;
	struct sorted_mapping *sorted;

	join_adjacent(map);
	put_program_first(map);
	repair_program(map);
	sorted = sort_mappings(map);
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < map->m->locations.nr; i++) {
		if (!locations[i].address)
			continue;
		locations[i].mapping = find_mapping(map, sorted, locations[i].address);
		if (locations[i].mapping != MODEL_NONE)
			continue;
		locations[i].mapping = map->mappings.nr;
		needs_whole_memory = true;
	}
	free(sorted);
	return add_mappings(map, needs_whole_memory);
}
