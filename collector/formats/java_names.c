// SPDX-License-Identifier: GPL-2.0
#include "formats/java_names.h"

#include "formats/address_profile.h"
#include "formats/line_reader.h"

struct java_name {
	struct text_cursor function;
	struct text_cursor file;
	int64_t line;
};

/* Splits "FILE:LINE". Returns: whether it has this form. */
static bool take_file_and_line(struct text_cursor c, struct java_name *name)
{
	struct text_cursor digits = text_cut_digits(&c);
	int64_t line;

	if (!text_take_number(&digits, &line))
		return false;
	/* The line of native code is negative. */
	if (c.end > c.at && c.end[-1] == '-') {
		line = 0;
		c.end--;
	}
	if (c.end - c.at < 2 || c.end[-1] != ':')
		return false;
	c.end--;
	name->file = c;
	name->line = line;
	return true;
}

static struct text_cursor without_folders(struct text_cursor path)
{
	for (const char *at = path.at; at + 1 < path.end; at++)
		if (*at == '/')
			path.at = at + 1;
	return path;
}

/* Splits "FUNCTION (FILE:LINE)" and "FUNCTION (LIBRARY)", at the last parenthesis that fits. */
static struct java_name parse_name(struct text_cursor c)
{
	struct text_cursor none = { c.end, c.end };
	struct java_name name = { .function = c, .file = none };
	const char *at = c.end;

	if (text_contains(&c, "generated stub/JIT")) {
		name.function = (struct text_cursor){ "STUB", NULL };
		name.function.end = name.function.at + 4;
	}
	if (!text_left(&c) || c.end[-1] != ')')
		return name;
	while (--at > c.at)
		if (*at == '(' && text_is_blank(at[-1]))
			break;
	if (at <= c.at)
		return name;
	name.function = (struct text_cursor){ c.at, at };
	text_trim(&name.function);
	c = (struct text_cursor){ at + 1, c.end - 1 };
	if (!take_file_and_line(c, &name))
		name.file = without_folders(c);
	return name;
}

static int take_line(struct address_profile *p)
{
	struct text_cursor c = p->lines->line;
	struct model_location *location;
	struct java_name name;
	uint64_t address;
	int64_t index;

	text_trim(&c);
	if (c.at == c.end)
		return 0;
	if (!text_take_address(&c, &address) || !text_skip_blanks(&c))
		return line_reader_fault(p->lines, "'0xADDRESS NAME'");
	index = address_profile_find(p, address);
	if (index < 0 || (size_t)index >= p->m->locations.nr)
		return index < 0 ? index : 0;
	name = parse_name(c);
	location = &p->m->locations.items[index];
	location->address = 0;
	return address_profile_set_function(p, location, &name.function, &name.file, name.line);
}

int java_names_read(struct address_profile *p)
{
	int ret = 1, err;

	for (; ret > 0; ret = line_reader_next(p->lines)) {
		err = take_line(p);
		if (err)
			return err;
	}
	if (ret)
		return ret;
	err = address_profile_finish(p);
	for (size_t i = 0; !err && i < p->m->locations.nr; i++)
		p->m->locations.items[i].address = 0;
	return err;
}
