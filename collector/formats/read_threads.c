// SPDX-License-Identifier: GPL-2.0
#include "formats/read_threads.h"

#include "formats/address_profile.h"
#include "formats/line_reader.h"

/* "--- threadz 1 ---" */
static bool is_threadz(struct text_cursor line)
{
	int64_t number;

	return text_take(&line, "--- threadz ") && text_take_number(&line, &number) &&
	       text_take(&line, " ---");
}

/* "--- Thread 7f794ab90940 (name: main/14748) stack: ---" */
static bool is_thread(struct text_cursor line)
{
	uint64_t id;

	return text_take(&line, "--- Thread ") && text_take_hex(&line, &id) &&
	       text_take(&line, " (name: ") && text_contains(&line, ") stack: ---");
}

bool read_threads_claims(struct text_cursor head)
{
	struct text_cursor line = text_first_line(head);

	return is_threadz(line) || is_thread(line);
}

/* Takes all addresses of a line, also those among other words. */
static int take_addresses(struct address_profile *p, struct text_cursor c)
{
	uint64_t address;
	int err = 0;

	while (!err && c.at < c.end) {
		if (text_take_address(&c, &address))
			/* The leaf is at its own address. Callers are before the return address. */
			err = address_profile_push(p, p->stack.nr ? address - 1 : address);
		else
			c.at++;
	}
	return err;
}

/* "0x0040be31: main": gives the last location of the stack its name. */
static int take_name(struct address_profile *p, struct text_cursor c)
{
	const struct text_cursor no_file = { c.end, c.end };
	struct model_location *location;
	uint64_t address;

	text_take(&c, "PC:");
	text_skip_blanks(&c);
	if (!text_take_address(&c, &address) || !text_take(&c, ": ") || c.at == c.end)
		return 0;
	location = &p->m->locations.items[p->stack.items[p->stack.nr - 1]];
	if (location->nr_lines)
		return 0;
	return address_profile_set_function(p, location, &c, &no_file, 0);
}

/* The leaf may be there twice: by the signal's context, and by the walk. */
static void drop_second_leaf(struct address_profile *p)
{
	const struct model_location *all = p->m->locations.items;
	uint32_t *stack = p->stack.items;

	if (p->stack.nr < 2 || all[stack[0]].address != all[stack[1]].address + 1)
		return;
	p->stack.nr--;
	memmove(stack + 1, stack + 2, (p->stack.nr - 1) * sizeof(*stack));
}

/* Adds a sample. is_same: the dump says that the stack is that of the thread before. */
static int add_thread(struct address_profile *p, bool is_same)
{
	if (p->stack.nr && !is_same) {
		drop_second_leaf(p);
		return address_profile_add_sample(p, (const int64_t[]){ 1 }, 0);
	}
	p->stack.nr = 0;
	if (p->m->samples.nr)
		model_values(p->m, p->m->samples.nr - 1)[0]++;
	return 0;
}

/* Reads the stack of a thread, up to a line of dashes. */
static int take_thread(struct address_profile *p)
{
	bool is_same = false;
	int ret, err = 0;

	while (!err && (ret = line_reader_next(p->lines)) > 0) {
		struct text_cursor c = p->lines->line;

		text_trim(&c);
		if (text_take(&c, "---") || memory_map_begins(&c))
			return add_thread(p, is_same);
		if (text_contains(&c, "same as previous thread")) {
			is_same = true;
			continue;
		}
		err = take_addresses(p, c);
		if (!err)
			err = take_name(p, c);
	}
	return err ? err : ret ? ret : line_reader_fault(p->lines, "the next thread or mappings");
}

static int take_threads(struct address_profile *p)
{
	int err = 0;

	while (!err && !memory_map_begins(&p->lines->line)) {
		struct text_cursor c = p->lines->line;

		text_skip_blanks(&c);
		if (text_take(&c, "---- no stack trace for"))
			return 0;
		if (!is_thread(c))
			return line_reader_fault(p->lines,
						 "'--- Thread ID (name: NAME/TID) stack: ---'");
		err = take_thread(p);
	}
	return err;
}

static bool begins_with_dash(struct text_cursor line)
{
	return text_take(&line, "-");
}

/* Goes to the first thread, or to the mappings. After a head, the next line of dashes counts. */
static int skip_head(struct line_reader *lines)
{
	bool has_head = false;
	int ret;

	while ((ret = line_reader_next(lines)) > 0) {
		if (has_head ? begins_with_dash(lines->line) : is_thread(lines->line))
			return 0;
		has_head = has_head || is_threadz(lines->line);
		if (memory_map_begins(&lines->line))
			return 0;
	}
	return ret ? ret : line_reader_fault(lines, "a thread");
}

int read_threads(struct line_reader *lines, struct model *m)
{
	struct address_profile p;
	int err = address_profile_init(&p, m, lines);

	if (!err)
		err = address_profile_add_type(&p, "thread", "count");
	if (!err)
		err = address_profile_set_period(&p, "thread", "count", 1);
	if (!err)
		err = skip_head(lines);
	if (!err)
		err = take_threads(&p);
	return address_profile_end(&p, err);
}
