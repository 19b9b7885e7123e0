// SPDX-License-Identifier: GPL-2.0
#include "formats/go_comments.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/text_cursor.h"

/*
 * After so many addresses that are not in the stack, the rest of a table is ignored. For each of
 * them the whole stack is searched, so a hostile file would need hours.
 */
#define MAX_STRANGE_ROWS	16

int go_comments_init(struct go_comments *c, struct model *m)
{
	return function_set_init(&c->functions, m);
}

void go_comments_fini(struct go_comments *c)
{
	function_set_fini(&c->functions);
	free(c->rows.items);
	free(c->stack.items);
	free(c->labels.items);
	free(c->text.items);
	*c = (struct go_comments){ 0 };
}

/* Rows */

static void skip_tabs(struct text_cursor *c)
{
	while (c->at < c->end && *c->at == '\t')
		c->at++;
}

static struct text_cursor take_cell(struct text_cursor *c)
{
	struct text_cursor cell = { c->at, c->at };

	while (cell.end < c->end && *cell.end != '\t')
		cell.end++;
	c->at = cell.end;
	skip_tabs(c);
	return cell;
}

/* Cuts the line number: ":12". Returns: it, or 0. */
static int64_t cut_line(struct text_cursor *file)
{
	struct text_cursor rest = *file, digits = text_cut_digits(&rest);
	int64_t line = 0;

	if (text_left(&rest) < 2 || rest.end[-1] != ':')
		return 0;
	file->end = rest.end - 1;
	return text_take_number(&digits, &line) ? line : 0;
}

/* line is what follows "#\t". */
static int take_row(struct go_comments *c, struct text_cursor line)
{
	struct text_cursor address = take_cell(&line), name = take_cell(&line), file = line;
	struct go_comments_row row = { 0 };
	int64_t id;

	if (!text_take_address(&address, &row.address) || address.at != address.end)
		return 0;
	text_cut_offset(&name);
	row.line.line = cut_line(&file);
	if (!text_left(&name))
		return 0;
	id = function_set_add(&c->functions, &name, &file);
	if (id < 0)
		return id;
	row.line.function = id;
	return ARRAY_APPEND(c->rows, &row, 1);
}

/* The number of rows from index on with the same address. */
static size_t nr_rows_at(const struct go_comments *c, size_t index)
{
	size_t end = index;

	while (end < c->rows.nr && c->rows.items[end].address == c->rows.items[index].address)
		end++;
	return end - index;
}

/* Gives a location the functions of nr rows. Only the first table of an address counts. */
static int set_lines(struct go_comments *c, struct model_location *location, size_t index,
		     size_t nr)
{
	struct model *m = c->functions.m;
	int err = 0;

	if (location->nr_lines || !nr)
		return 0;
	if (nr > MODEL_NONE - m->lines.nr)
		return -EOVERFLOW;
	location->first_line = m->lines.nr;
	for (size_t i = 0; !err && i < nr; i++)
		err = ARRAY_APPEND(m->lines, &c->rows.items[index + i].line, 1);
	location->nr_lines = m->lines.nr - location->first_line;
	return err;
}

/* A part of a stack: the locations from first to end - 1 have one address. */
struct run {
	uint32_t first;
	uint32_t end;
};

/*
 * Finds an address in a stack, from index from on. A recursive function has it several times in a
 * row. Returns: false if it is not there.
 */
static bool find_run(const struct model *m, uint32_t stack, uint32_t from, uint64_t address,
		     struct run *run)
{
	uint32_t nr, i = from;
	const uint32_t *locations = model_stack(m, stack, &nr);

	while (i < nr && m->locations.items[locations[i]].address != address)
		i++;
	run->first = i;
	while (i < nr && locations[i] == locations[run->first])
		i++;
	run->end = i;
	return run->first < nr;
}

/* Adds locations of a stack to the stack of those that have a row. */
static int keep_run(struct go_comments *c, uint32_t stack, const struct run *run)
{
	uint32_t nr;
	const uint32_t *locations = model_stack(c->functions.m, stack, &nr);

	return ARRAY_APPEND(c->stack, locations + run->first, run->end - run->first);
}

/* Names the locations that have a row, and puts them into c->stack. */
static int take_rows(struct go_comments *c, uint32_t stack)
{
	struct model *m = c->functions.m;
	struct run run = { 0 };
	size_t nr_rows, nr_strange = 0;
	int err = 0;

	c->stack.nr = 0;
	for (size_t i = 0; !err && i < c->rows.nr && nr_strange < MAX_STRANGE_ROWS; i += nr_rows) {
		uint32_t from = run.end;

		nr_rows = nr_rows_at(c, i);
		if (!find_run(m, stack, from, c->rows.items[i].address, &run)) {
			run.end = from;
			nr_strange++;
			continue;
		}
		err = keep_run(c, stack, &run);
		if (!err)
			err = set_lines(c, &m->locations.items[c->stack.items[c->stack.nr - 1]], i,
					nr_rows / (run.end - run.first));
	}
	c->rows.nr = 0;
	return err;
}

int go_comments_end_sample(struct go_comments *c)
{
	struct model *m = c->functions.m;
	struct model_sample *sample = m->samples.nr ? &m->samples.items[m->samples.nr - 1] : NULL;
	int64_t stack;
	int err;

	if (!sample || !c->rows.nr)
		return 0;
	err = take_rows(c, sample->stack);
	if (err || !c->stack.nr)
		return err;
	stack = model_add_stack(m, c->stack.items, c->stack.nr);
	if (stack < 0)
		return stack;
	sample->stack = stack;
	return 0;
}

/* Labels */

/* Returns how many bytes the UTF-8 form of a character has. */
static size_t put_rune(char *to, uint32_t rune)
{
	size_t len = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;

	if (len == 1) {
		*to = rune;
		return 1;
	}
	for (size_t i = len - 1; i; i--, rune >>= 6)
		to[i] = 0x80 | (rune & 0x3f);
	to[0] = (0xf0 << (4 - len)) | rune;
	return len;
}

/* Takes an escaped character after its backslash: those of strconv.Quote(). */
static size_t take_escaped(struct text_cursor *c, char *to)
{
	static const char names[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
	char name = *c->at++;
	const char *found = strchr(names, name);
	size_t nr_digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
	struct text_cursor digits = { c->at, c->at + nr_digits };
	uint64_t rune;

	if (!nr_digits) {
		*to = name && found ? bytes[found - names] : name;
		return 1;
	}
	if (text_left(c) < nr_digits || !text_take_hex(&digits, &rune) ||
	    digits.at != digits.end || rune > 0x10ffff)
		return 0;
	c->at = digits.at;
	if (name != 'x')
		return put_rune(to, rune);
	*to = rune;
	return 1;
}

/* Takes a text in double quotes. Returns: a string of the model, -EBADMSG, or another errno. */
static int64_t take_quoted(struct go_comments *c, struct text_cursor *line)
{
	int err = 0;

	if (!text_take(line, "\""))
		return -EBADMSG;
	c->text.nr = 0;
	while (!err && line->at < line->end && *line->at != '"') {
		char bytes[4] = { *line->at++ };
		size_t len = 1;

		if (*bytes == '\\' && line->at < line->end)
			len = take_escaped(line, bytes);
		err = len ? ARRAY_APPEND(c->text, bytes, len) : -EBADMSG;
	}
	if (!err && !text_take(line, "\""))
		err = -EBADMSG;
	if (err || !c->text.nr)
		return err;
	return model_add_string(c->functions.m, c->text.items, c->text.nr);
}

static int take_label(struct go_comments *c, struct text_cursor *line)
{
	int64_t key = take_quoted(c, line), value;
	struct model_label label = { 0 };

	if (key < 0)
		return key;
	value = text_take(line, ":") ? take_quoted(c, line) : -EBADMSG;
	if (value < 0)
		return value;
	label.key = key;
	label.str = value;
	return value ? ARRAY_APPEND(c->labels, &label, 1) : 0;
}

/* The labels that the sample has already. */
static int keep_labels(struct go_comments *c, const struct model_sample *sample)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(c->functions.m, sample->label_set, &nr);

	c->labels.nr = 0;
	return ARRAY_APPEND(c->labels, labels, nr);
}

/* line is what follows "# labels: ". If that is no list of labels, it is ignored as a comment. */
static int take_labels(struct go_comments *c, struct text_cursor line)
{
	struct model *m = c->functions.m;
	struct model_sample *sample = &m->samples.items[m->samples.nr - 1];
	int err = keep_labels(c, sample);
	int64_t set;

	if (err || !text_take(&line, "{"))
		return err;
	do
		err = take_label(c, &line);
	while (!err && text_take(&line, ", "));
	if (err == -EBADMSG || (!err && !text_take(&line, "}")))
		return 0;
	set = err ? err : model_add_label_set(m, c->labels.items, c->labels.nr);
	if (set < 0)
		return set;
	sample->label_set = set;
	return 0;
}

int go_comments_take(struct go_comments *c, struct text_cursor line)
{
	if (!c->functions.m->samples.nr)
		return 0;
	if (text_take(&line, "# labels: "))
		return take_labels(c, line);
	return text_take(&line, "#\t") ? take_row(c, line) : 0;
}
