// SPDX-License-Identifier: GPL-2.0
#include "formats/read_contention.h"

#include "formats/address_profile.h"
#include "formats/line_reader.h"

struct contention_head {
	int64_t cycles_per_second;	/* 0 if the delays are nanoseconds already */
	int64_t period;
	int64_t duration_ms;
};

/* "KEY = VALUE" */
static bool take_attribute(struct text_cursor line, struct text_cursor *key,
			   struct text_cursor *value)
{
	const char *sign = text_left(&line) ? memchr(line.at, '=', text_left(&line)) : NULL;

	if (!sign)
		return false;
	*key = (struct text_cursor){ line.at, sign };
	*value = (struct text_cursor){ sign + 1, line.end };
	text_trim(key);
	text_trim(value);
	return true;
}

/* Java's profiles have the same head, but other attributes. */
static bool is_java(struct text_cursor head)
{
	struct text_cursor line, key, value;

	while (text_take_line(&head, &line)) {
		if (text_is_comment(line))
			continue;
		if (!take_attribute(line, &key, &value))
			return false;
		if (text_is(&key, "format") || text_is(&key, "resolution"))
			return true;
	}
	return false;
}

bool read_contention_claims(struct text_cursor head)
{
	struct text_cursor line;

	return text_take_line(&head, &line) &&
	       (text_take(&line, "--- contentionz ") || text_take(&line, "--- mutex:") ||
		text_take(&line, "--- contention:")) && !is_java(head);
}

static int take_head_line(struct line_reader *lines, struct contention_head *h,
			  struct text_cursor key, struct text_cursor value)
{
	int64_t ignored, *number = text_is(&key, "cycles/second") ? &h->cycles_per_second :
				   text_is(&key, "sampling period") ? &h->period :
				   text_is(&key, "ms since reset") ? &h->duration_ms :
				   text_is(&key, "discarded samples") ? &ignored : NULL;

	if (!number)
		return line_reader_fault(lines, "'cycles/second' or another attribute");
	if (!text_take_signed(&value, number) || value.at != value.end)
		return line_reader_fault(lines, "a number of 63 bits after '='");
	return 0;
}

/*
 * Reads attributes. Returns: 1 if the current line is the first one after them; 0 at the end of
 * the data; or a negative errno.
 */
static int take_head(struct line_reader *lines, struct contention_head *h)
{
	struct text_cursor key, value;
	int ret, err = 0;

	while (!err && (ret = line_reader_next(lines)) > 0) {
		if (text_is_comment(lines->line))
			continue;
		if (!take_attribute(lines->line, &key, &value))
			return 1;
		err = take_head_line(lines, h, key, value);
	}
	return err ? err : ret;
}

/* Converts cycles to nanoseconds, and multiplies both values by the sampling period. */
static int scale(struct line_reader *lines, const struct contention_head *h, int64_t *delay,
		 int64_t *count)
{
	double ns = *delay;

	if (h->period <= 0)
		return 0;
	ns = ns * h->period / (h->cycles_per_second > 0 ? h->cycles_per_second / 1e9 : 1);
	if (!(ns < 0x1p63) || __builtin_mul_overflow(*count, h->period, count))
		return line_reader_fault(lines, "values of 63 bits");
	if (h->cycles_per_second > 0)
		*delay = ns;
	return 0;
}

static int take_sample(struct address_profile *p, const struct contention_head *h)
{
	struct text_cursor c = p->lines->line;
	int64_t delay, count;
	int err;

	text_skip_blanks(&c);
	if (!text_take_number(&c, &delay) || !text_skip_blanks(&c) ||
	    !text_take_number(&c, &count) || !text_skip_blanks(&c) || !text_take(&c, "@"))
		return line_reader_fault(p->lines, "'DELAY COUNT @ ADDRESSES'");
	err = scale(p->lines, h, &delay, &count);
	if (!err)
		err = address_profile_push_all(p, c, 1);
	return err ? err : address_profile_add_sample(p, (const int64_t[]){ count, delay }, 0);
}

/* Reads samples from the current line on, up to a line of dashes. */
static int take_samples(struct address_profile *p, const struct contention_head *h)
{
	int ret = 1, err = 0;

	for (; !err && ret > 0; ret = err ? err : line_reader_next(p->lines)) {
		struct text_cursor c = p->lines->line;

		text_skip_blanks(&c);
		if (text_take(&c, "---") || memory_map_begins(&c))
			return 0;
		err = text_is_comment(c) ? address_profile_take_comment(p) :
					   take_sample(p, h);
	}
	return ret;
}

static int begin(struct address_profile *p, const struct contention_head *h)
{
	int err = address_profile_set_period(p, "contentions", "count", h->period);

	if (__builtin_mul_overflow(h->duration_ms, 1000000, &p->m->duration_ns))
		return line_reader_fault(p->lines, "a duration of 63 bits");
	if (!err)
		err = address_profile_add_type(p, "contentions", "count");
	return err ? err : address_profile_add_type(p, "delay", "nanoseconds");
}

/* Returns: 0, or a negative errno. */
static int read_samples(struct address_profile *p)
{
	struct contention_head h = { .period = 1 };
	int has_line, err = line_reader_next(p->lines);

	if (err < 0)
		return err;
	has_line = take_head(p->lines, &h);
	if (has_line < 0)
		return has_line;
	err = begin(p, &h);
	return err || !has_line ? err : take_samples(p, &h);
}

int read_contention(struct line_reader *lines, struct model *m)
{
	struct address_profile p;
	int err = address_profile_init(&p, m, lines);

	if (!err)
		err = read_samples(&p);
	return address_profile_end(&p, err);
}
