// SPDX-License-Identifier: GPL-2.0
#include "formats/read_count.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/address_profile.h"
#include "formats/line_reader.h"

/* "NAME profile: total 7" */
static bool parse_head(struct text_cursor line, struct text_cursor *name)
{
	int64_t total;

	*name = text_take_token(&line);
	return text_left(name) && text_take(&line, " profile: total ") &&
	       text_take_number(&line, &total) && line.at == line.end;
}

bool read_count_claims(struct text_cursor head)
{
	struct text_cursor name;

	return parse_head(text_first_line(head), &name);
}

static int begin(struct address_profile *p)
{
	struct text_cursor name;
	char *type;
	int err;

	if (!parse_head(p->lines->line, &name))
		return line_reader_fault(p->lines, "'NAME profile: total NUMBER'");
	type = strndup(name.at, text_left(&name));
	if (!type)
		return line_reader_errno(p->lines, -ENOMEM);
	err = address_profile_add_type(p, type, "count");
	if (!err)
		err = address_profile_set_period(p, type, "count", 1);
	free(type);
	return err;
}

static int take_sample(struct address_profile *p)
{
	struct text_cursor c = p->lines->line;
	int64_t count;
	int err;

	if (!text_take_number(&c, &count) || !text_take(&c, " @"))
		return line_reader_fault(p->lines, "'COUNT @ ADDRESSES'");
	err = address_profile_push_all(p, c, 1);
	return err ? err : address_profile_add_sample(p, &count, 0);
}

static int take_samples(struct address_profile *p)
{
	int ret, err = 0;

	while (!err && (ret = line_reader_next(p->lines)) > 0) {
		struct text_cursor c = p->lines->line;

		if (text_take(&c, "---"))
			return 0;
		err = text_is_comment(c) ? address_profile_take_comment(p) :
					   take_sample(p);
	}
	return err ? err : ret;
}

static int skip_comments(struct line_reader *lines)
{
	int ret;

	do
		ret = line_reader_next(lines);
	while (ret > 0 && text_is_comment(lines->line));
	return ret < 0 ? ret : 0;
}

int read_count(struct line_reader *lines, struct model *m)
{
	struct address_profile p;
	int err = address_profile_init(&p, m, lines);

	if (!err)
		err = skip_comments(lines);
	if (!err)
		err = begin(&p);
	if (!err)
		err = take_samples(&p);
	return address_profile_end(&p, err);
}
