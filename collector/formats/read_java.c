// SPDX-License-Identifier: GPL-2.0
#include "formats/read_java.h"

#include <errno.h>
#include <stdlib.h>

#include "formats/address_profile.h"
#include "formats/heap_sampling.h"
#include "formats/java_names.h"
#include "formats/line_reader.h"

/* The heap profiler samples a byte in each 512 KiB. */
#define HEAP_RATE	524288

struct java_head {
	bool is_heap;
	bool has_types;
	int64_t period;			/* 0 if values need no scaling */
};

static bool is_line(struct text_cursor line, const char *text)
{
	text_trim(&line);
	return text_is(&line, text);
}

bool read_java_claims(struct text_cursor head)
{
	struct text_cursor line;

	return text_take_line(&head, &line) && (is_line(line, "--- heapz 1 ---") ||
						is_line(line, "--- contentionz 1 ---"));
}

static int add_types(struct address_profile *p, struct java_head *h, struct text_cursor unit)
{
	char *name = strndup(unit.at, text_left(&unit));
	int err = name ? 0 : line_reader_errno(p->lines, -ENOMEM);

	if (!err && h->has_types)
		err = line_reader_fault(p->lines, "one resolution, found two");
	if (!err)
		err = address_profile_add_type(p, h->is_heap ? "inuse_objects" : "contentions",
					       "count");
	if (!err)
		err = address_profile_add_type(p, h->is_heap ? "inuse_space" : "delay", name);
	h->has_types = true;
	free(name);
	return err;
}

static int take_number(struct address_profile *p, struct text_cursor c, int64_t scale,
		       int64_t *out)
{
	if (!text_take_signed(&c, out) || c.at != c.end ||
	    __builtin_mul_overflow(*out, scale, out))
		return line_reader_fault(p->lines, "a number of 63 bits after '='");
	return 0;
}

static int take_attribute(struct address_profile *p, struct java_head *h, const char *sign)
{
	struct text_cursor key = { p->lines->line.at, sign };
	struct text_cursor value = { sign + 1, p->lines->line.end };
	int err;

	text_trim(&key);
	text_trim(&value);
	if (text_is(&key, "format") && text_is(&value, "java"))
		return 0;
	if (text_is(&key, "resolution"))
		return add_types(p, h, value);
	if (!h->is_heap && text_is(&key, "ms since reset"))
		return take_number(p, value, 1000000, &p->m->duration_ns);
	if (h->is_heap || !text_is(&key, "sampling period"))
		return line_reader_fault(p->lines, "'format = java' or another attribute");
	err = take_number(p, value, 1, &h->period);
	return err ? err : address_profile_set_period(p, "contentions", "count", h->period);
}

/*
 * Reads attributes. Returns: 1 if the current line is the first one after them; 0 at the end of
 * the data; or a negative errno.
 */
static int take_head(struct address_profile *p, struct java_head *h)
{
	const char *sign;
	int ret, err = 0;

	while (!err && (ret = line_reader_next(p->lines)) > 0) {
		size_t len = text_left(&p->lines->line);

		if (text_is_comment(p->lines->line))
			continue;
		sign = memchr(p->lines->line.at, '=', len);
		if (!sign || memchr(p->lines->line.at, '@', len))
			return 1;
		err = take_attribute(p, h, sign);
	}
	return err ? err : ret;
}

static int scale(struct line_reader *lines, const struct java_head *h, int64_t *values,
		 int64_t *size)
{
	if (h->is_heap) {
		if (!values[0])
			return line_reader_fault(lines, "a number of objects that is not 0");
		*size = values[1] / values[0];
		if (!heap_sampling_scale(&values[0], &values[1], HEAP_RATE))
			return line_reader_fault(lines, "estimates of 63 bits");
	} else if (h->period && (__builtin_mul_overflow(values[0], h->period, &values[0]) ||
				 __builtin_mul_overflow(values[1], h->period, &values[1]))) {
		return line_reader_fault(lines, "values of 63 bits");
	}
	return 0;
}

static int take_sample(struct address_profile *p, const struct java_head *h)
{
	struct text_cursor c = p->lines->line;
	int64_t values[2], size = 0;
	int err;

	text_skip_blanks(&c);
	if (!text_take_number(&c, &values[1]) || !text_skip_blanks(&c) ||
	    !text_take_number(&c, &values[0]) || !text_skip_blanks(&c) || !text_take(&c, "@"))
		return line_reader_fault(p->lines, "'VALUE COUNT @ ADDRESSES'");
	if (!h->has_types)
		return line_reader_fault(p->lines, "'resolution = UNIT' above the samples");
	err = scale(p->lines, h, values, &size);
	if (!err)
		err = address_profile_push_all(p, c, 0);
	return err ? err : address_profile_add_sample(p, values, size);
}

/* Reads samples from the current line on. Returns: 1 if the names begin there; 0; or an errno. */
static int take_samples(struct address_profile *p, const struct java_head *h)
{
	int ret = 1, err = 0;

	for (; !err && ret > 0; ret = err ? err : line_reader_next(p->lines)) {
		struct text_cursor c = p->lines->line;

		text_skip_blanks(&c);
		if (text_take(&c, "0x"))
			return 1;
		err = c.at < c.end ? take_sample(p, h) : 0;
	}
	return ret;
}

static int read_all(struct address_profile *p)
{
	struct java_head h = { 0 };
	int ret = line_reader_next(p->lines);

	h.is_heap = ret > 0 && is_line(p->lines->line, "--- heapz 1 ---");
	if (ret > 0)
		ret = take_head(p, &h);
	if (ret > 0)
		ret = take_samples(p, &h);
	return ret < 0 ? ret : java_names_read(p);
}

int read_java(struct line_reader *lines, struct model *m)
{
	struct address_profile p;
	int err = address_profile_init(&p, m, lines);

	if (!err)
		err = read_all(&p);
	address_profile_fini(&p);
	return err;
}
