// SPDX-License-Identifier: GPL-2.0
#include "aggregate/named_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string_table.h"
#include "symbol/symbolizer.h"

/*
 * Runs of a function are looked up as far from an address. The samples of a function are close to
 * each other, since they are in its loops.
 */
#define MAX_SPAN	256

#define MAX_LINES	64	/* as LOCATIONS_MAX_LINES */

struct named_code {
	struct {
		struct named_code_run *items;
		size_t nr;
		size_t room;
	} runs;
	size_t nr_sorted;
	struct strtab *strings;
	size_t bytes;		/* of strings */
};

struct named_code *named_code_new(void)
{
	struct named_code *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->strings = strtab_new();
	if (c->strings)
		return c;
	free(c);
	return NULL;
}

static void clear(struct named_code *c)
{
	for (size_t i = 0; i < c->runs.nr; i++)
		free((void *)c->runs.items[i].lines);
	c->runs.nr = 0;
	c->nr_sorted = 0;
}

void named_code_free(struct named_code *c)
{
	if (!c)
		return;
	clear(c);
	free(c->runs.items);
	strtab_free(c->strings);
	free(c);
}

/* Returns the table's own copy of a string. NULL: string is NULL, or memory is short. */
static const char *keep_string(struct named_code *c, const char *string)
{
	size_t nr = strtab_nr(c->strings);
	int64_t index = string ? strtab_intern(c->strings, string, strlen(string)) : -ENOENT;

	if (index == (int64_t)nr)
		c->bytes += strtab_len(c->strings, index) + 1;
	return index < 0 ? NULL : strtab_at(c->strings, index);
}

/*
 * Returns a copy of the lines, which the caller frees, or NULL if memory is short. The strings
 * belong to the table.
 */
static struct frame *copy_lines(struct named_code *c, const struct frame *lines, uint32_t nr)
{
	struct frame *copy = malloc((nr + 1) * sizeof(*copy));

	for (uint32_t i = 0; copy && i < nr; i++) {
		copy[i] = lines[i];
		copy[i].name = keep_string(c, lines[i].name);
		copy[i].system_name = keep_string(c, lines[i].system_name);
		copy[i].file = keep_string(c, lines[i].file);
		if (copy[i].name && copy[i].system_name && !copy[i].file == !lines[i].file)
			continue;
		free(copy);
		return NULL;
	}
	return copy;
}

int named_code_add(struct named_code *c, const struct named_code_run *run)
{
	struct named_code_run copy = *run;
	int err;

	if (run->start >= run->end || run->nr_lines > MAX_LINES ||
	    c->runs.nr >= 2 * NAMED_CODE_MAX || c->bytes >= 2 * NAMED_CODE_MAX_BYTES)
		return 0;
	copy.lines = copy_lines(c, run->lines, run->nr_lines);
	if (!copy.lines)
		return -ENOMEM;
	err = ARRAY_APPEND(c->runs, &copy, 1);
	if (err)
		free((void *)copy.lines);
	return err;
}

static int compare(const void *left, const void *right)
{
	const struct named_code_run *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

/* A string cannot be removed from the table of strings, so that is replaced, too. */
static void begin_again(struct named_code *c)
{
	struct strtab *strings = strtab_new();

	if (!strings)
		return;
	clear(c);
	strtab_free(c->strings);
	c->strings = strings;
	c->bytes = 0;
}

void named_code_sort(struct named_code *c)
{
	if (c->runs.nr > NAMED_CODE_MAX || c->bytes > NAMED_CODE_MAX_BYTES)
		begin_again(c);
	if (c->nr_sorted == c->runs.nr)
		return;
	qsort(c->runs.items, c->runs.nr, sizeof(*c->runs.items), compare);
	c->nr_sorted = c->runs.nr;
}

static bool has(const struct named_code_run *run, uint32_t file, uint64_t offset)
{
	return run->file == file && offset >= run->start && offset < run->end;
}

/* Runs that were added since the last sort are searched one by one: they are of one window. */
static const struct named_code_run *find(const struct named_code *c, uint32_t file,
					 uint64_t offset)
{
	const struct named_code_run key = { .file = file, .start = offset };
	size_t low = 0, high = c->nr_sorted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(&c->runs.items[middle], &key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && has(&c->runs.items[low - 1], file, offset))
		return &c->runs.items[low - 1];
	for (size_t i = c->nr_sorted; i < c->runs.nr; i++)
		if (has(&c->runs.items[i], file, offset))
			return &c->runs.items[i];
	return NULL;
}

/* Adds `by` to the offset of each frame in its function, if that is known. */
static void move_lines(struct frame *lines, uint32_t nr, uint64_t by)
{
	for (uint32_t i = 0; i < nr; i++)
		if (lines[i].offset != FRAME_NO_OFFSET)
			lines[i].offset += by;
}

int named_code_find(const struct named_code *c, uint32_t file, uint64_t offset, struct frame *lines,
		    int max)
{
	const struct named_code_run *run = find(c, file, offset);

	if (!run || run->nr_lines > (uint32_t)max)
		return -ENOENT;
	memcpy(lines, run->lines, run->nr_lines * sizeof(*lines));
	move_lines(lines, run->nr_lines, offset - run->start);
	return run->nr_lines;
}

static bool is_same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_same_function(const struct frame *a, const struct frame *b)
{
	return is_same_string(a->system_name, b->system_name) && is_same_string(a->name, b->name) &&
	       is_same_string(a->file, b->file) && a->start_line == b->start_line;
}

/* Adds a run: lines are the nr frames at an offset, and span is the code that has them, too. */
static void add_span(struct named_code *c, uint32_t file, uint64_t offset, struct frame *lines,
		     int nr, const struct code_span *span)
{
	uint64_t before = span->before < offset ? span->before : offset;
	uint64_t after = span->after < UINT64_MAX - offset ? span->after : UINT64_MAX - offset;

	move_lines(lines, nr, -before);
	named_code_add(c, &(struct named_code_run){
		.file = file, .nr_lines = nr, .start = offset - before, .end = offset + after,
		.lines = lines,
	});
}

/* A function that is looked up run by run. */
struct learning {
	struct named_code *code;
	struct symbolizer *sym;
	uint32_t file;
	uint32_t *left;			/* look-ups */
	const struct frame *function;	/* the outermost frame */
};

/* Returns: the number of frames at an offset, and the code that has them; or a negative number. */
static int probe(const struct learning *l, uint64_t offset, struct frame lines[MAX_LINES],
		 struct code_span *span)
{
	int nr;

	if (!*l->left)
		return -ENOSPC;
	--*l->left;
	nr = symbolizer_probe(l->sym, offset, lines, MAX_LINES, span);
	return nr < MAX_LINES ? nr : -ENOSPC;
}

/* Adds the run at an offset if it is of the function. Returns false if it is not, or is unknown. */
static bool learn_run(const struct learning *l, uint64_t offset, struct code_span *span)
{
	struct frame lines[MAX_LINES];
	int nr = probe(l, offset, lines, span);

	if (nr <= 0 || !is_same_function(&lines[nr - 1], l->function))
		return false;
	add_span(l->code, l->file, offset, lines, nr, span);
	return true;
}

static void learn_after(const struct learning *l, uint64_t offset, struct code_span span)
{
	uint64_t done = span.after;

	for (; done < MAX_SPAN && learn_run(l, offset + done, &span); done += span.after)
		;
}

static void learn_before(const struct learning *l, uint64_t offset, struct code_span span)
{
	uint64_t done = span.before;

	for (; done < MAX_SPAN && done < offset && learn_run(l, offset - done - 1, &span);
	     done += span.before + 1)
		;
}

void named_code_learn(struct named_code *c, struct symbolizer *sym, uint32_t file, uint64_t offset,
		      uint32_t *left)
{
	struct learning l = { .code = c, .sym = sym, .file = file, .left = left };
	struct frame lines[MAX_LINES], function;
	struct code_span span;
	int nr = probe(&l, offset, lines, &span);

	if (nr < 0)
		return;
	add_span(c, file, offset, lines, nr, &span);
	if (!nr)
		return;
	function = lines[nr - 1];
	l.function = &function;
	learn_after(&l, offset, span);
	learn_before(&l, offset, span);
}

size_t named_code_nr(const struct named_code *c)
{
	return c->runs.nr;
}

const struct named_code_run *named_code_at(const struct named_code *c, size_t i)
{
	return &c->runs.items[i];
}

void named_code_keep(struct named_code *c, const bool *keep)
{
	size_t nr = 0;

	for (size_t i = 0; i < c->runs.nr; i++) {
		if (keep[c->runs.items[i].file])
			c->runs.items[nr++] = c->runs.items[i];
		else
			free((void *)c->runs.items[i].lines);
	}
	c->runs.nr = nr;
	c->nr_sorted = 0;
}
