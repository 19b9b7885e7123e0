// SPDX-License-Identifier: GPL-2.0
#include "procfs/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define DELETED		" (deleted)"
#define NEWLINE_ESCAPE	"\\012"

void maps_trim_deleted(char *name)
{
	size_t len = strlen(name), deleted = strlen(DELETED);

	if (len > deleted && !strcmp(name + len - deleted, DELETED))
		name[len - deleted] = 0;
}

/* The part of a line that is not parsed yet. */
struct cursor {
	const char *at;
	const char *end;
};

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Reads a number of at least one digit. Returns false for a number above max. */
static bool take_number(struct cursor *c, unsigned int base, uint64_t max, uint64_t *out)
{
	const char *first = c->at;
	uint64_t value = 0;
	int digit;

	for (; c->at < c->end; c->at++) {
		digit = digit_value(*c->at);
		if (digit < 0 || digit >= (int)base)
			break;
		if (value > (max - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = value;
	return c->at > first;
}

static bool take_char(struct cursor *c, char want)
{
	if (c->at == c->end || *c->at != want)
		return false;
	c->at++;
	return true;
}

/* Reads a field like "r-xp". Only the x is used, but all four characters must be there. */
static bool take_perms(struct cursor *c, bool *executable)
{
	if (c->end - c->at < 4 || (c->at[2] != 'x' && c->at[2] != '-'))
		return false;
	*executable = c->at[2] == 'x';
	c->at += 4;
	return true;
}

static bool take_device(struct cursor *c, struct maps_entry *out)
{
	uint64_t major, minor;

	if (!take_number(c, 16, UINT32_MAX, &major) || !take_char(c, ':') ||
	    !take_number(c, 16, UINT32_MAX, &minor))
		return false;
	out->dev_major = major;
	out->dev_minor = minor;
	return true;
}

static bool take_name(struct cursor *c, struct maps_entry *out)
{
	size_t deleted = strlen(DELETED);

	if (c->at < c->end && *c->at != ' ')
		return false;
	while (take_char(c, ' '))
		;
	out->name = c->at;
	out->name_len = c->end - c->at;
	out->deleted = out->name_len > deleted &&
		       !memcmp(c->end - deleted, DELETED, deleted);
	if (out->deleted)
		out->name_len -= deleted;
	return !memchr(out->name, '\0', out->name_len);
}

int maps_parse_line(const char *line, size_t len, struct maps_entry *out)
{
	const char *newline;
	struct cursor c;

	if (!len)
		return -EINVAL;
	newline = memchr(line, '\n', len);
	c = (struct cursor){ line, newline ? newline : line + len };
	if (take_number(&c, 16, UINT64_MAX, &out->start) && take_char(&c, '-') &&
	    take_number(&c, 16, UINT64_MAX, &out->end) && take_char(&c, ' ') &&
	    take_perms(&c, &out->executable) && take_char(&c, ' ') &&
	    take_number(&c, 16, UINT64_MAX, &out->offset) && take_char(&c, ' ') &&
	    take_device(&c, out) && take_char(&c, ' ') &&
	    take_number(&c, 10, UINT64_MAX, &out->ino) && take_name(&c, out) &&
	    out->start < out->end)
		return 0;
	return -EINVAL;
}

int maps_entry_name(const struct maps_entry *e, char *buf, size_t size)
{
	size_t i = 0, n = 0, escape = strlen(NEWLINE_ESCAPE);

	while (i < e->name_len) {
		if (n >= size)
			return -ENAMETOOLONG;
		if (e->name_len - i >= escape && !memcmp(e->name + i, NEWLINE_ESCAPE, escape)) {
			buf[n++] = '\n';
			i += escape;
		} else {
			buf[n++] = e->name[i++];
		}
	}
	if (n >= size)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return n;
}

struct maps {
	struct maps_range *ranges;
	size_t nr;
	size_t room;
};

struct maps *maps_new(void)
{
	return calloc(1, sizeof(struct maps));
}

size_t maps_bytes(const struct maps *m)
{
	return sizeof(*m) + m->room * sizeof(*m->ranges);
}

void maps_free(struct maps *m)
{
	if (!m)
		return;
	free(m->ranges);
	free(m);
}

static int reserve(struct maps *m, size_t nr)
{
	struct maps_range *more = array_grow(m->ranges, &m->room, nr, sizeof(*more));

	if (!more)
		return -ENOMEM;
	m->ranges = more;
	return 0;
}

struct maps *maps_copy(const struct maps *m)
{
	struct maps *copy = maps_new();

	if (!copy || reserve(copy, m->nr)) {
		maps_free(copy);
		errno = ENOMEM;
		return NULL;
	}
	if (m->nr)
		memcpy(copy->ranges, m->ranges, m->nr * sizeof(*m->ranges));
	copy->nr = m->nr;
	return copy;
}

/* Returns the index of the first range that ends at addr or after it; m->nr if there is none. */
static size_t first_ending_at(const struct maps *m, uint64_t addr)
{
	size_t low = 0, high = m->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->ranges[mid].end < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool overlap(const struct maps_range *a, const struct maps_range *b)
{
	return a->start < b->end && b->start < a->end;
}

static bool same_mapping(const struct maps_range *a, const struct maps_range *b)
{
	return a->file == b->file && a->start - a->offset == b->start - b->offset;
}

/*
 * The ranges that replace those which an insertion overlaps or touches. There are at most three:
 * the rest of the first old range, the new range, and the rest of the last old range.
 */
struct patch {
	struct maps_range range[3];
	size_t nr;
	/* A part of another mapping was replaced. */
	bool replaces;
};

static void patch_add(struct patch *p, struct maps_range r, uint64_t start, uint64_t end)
{
	if (start >= end)
		return;
	r.offset += start - r.start;
	r.start = start;
	r.end = end;
	p->range[p->nr++] = r;
}

/* Fills p. The ranges old[0] to old[nr - 1] all overlap or touch `range`. */
static void patch_make(struct patch *p, const struct maps_range *old, size_t nr,
		       const struct maps_range *range)
{
	uint64_t start = range->start, end = range->end;
	struct maps_range whole = *range;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!same_mapping(&old[i], range)) {
			p->replaces |= overlap(&old[i], range);
			continue;
		}
		start = old[i].start < start ? old[i].start : start;
		end = old[i].end > end ? old[i].end : end;
		if (old[i].since_ns > whole.since_ns)
			whole.since_ns = old[i].since_ns;
	}
	if (nr && !same_mapping(&old[0], range))
		patch_add(p, old[0], old[0].start, old[0].end < start ? old[0].end : start);
	patch_add(p, whole, start, end);
	if (nr && !same_mapping(&old[nr - 1], range))
		patch_add(p, old[nr - 1],
			  old[nr - 1].start > end ? old[nr - 1].start : end, old[nr - 1].end);
}

int maps_insert(struct maps *m, const struct maps_range *range)
{
	size_t first = first_ending_at(m, range->start), last = first;
	struct patch p = { .nr = 0 };

	if (range->start >= range->end)
		return -EINVAL;
	while (last < m->nr && m->ranges[last].start <= range->end)
		last++;
	if (reserve(m, m->nr + 2))	/* a split turns one range into three */
		return -ENOMEM;
	patch_make(&p, m->ranges + first, last - first, range);
	memmove(m->ranges + first + p.nr, m->ranges + last,
		(m->nr - last) * sizeof(*m->ranges));
	memcpy(m->ranges + first, p.range, p.nr * sizeof(*m->ranges));
	m->nr += p.nr - (last - first);
	return p.replaces;
}

bool maps_replaces(const struct maps *m, const struct maps_range *range)
{
	size_t i;

	for (i = first_ending_at(m, range->start);
	     i < m->nr && m->ranges[i].start < range->end; i++)
		if (overlap(&m->ranges[i], range) && !same_mapping(&m->ranges[i], range) &&
		    m->ranges[i].since_ns <= range->since_ns)
			return true;
	return false;
}

/* Returns the first range of another mapping that overlaps `range` and is newer, or NULL. */
static const struct maps_range *find_newer(const struct maps *m, const struct maps_range *range)
{
	size_t i;

	for (i = first_ending_at(m, range->start);
	     i < m->nr && m->ranges[i].start < range->end; i++)
		if (overlap(&m->ranges[i], range) && !same_mapping(&m->ranges[i], range) &&
		    m->ranges[i].since_ns > range->since_ns)
			return &m->ranges[i];
	return NULL;
}

int maps_insert_late(struct maps *m, const struct maps_range *range)
{
	struct maps_range rest = *range, part;
	const struct maps_range *newer;
	int err = 0, replaces = 0;

	if (range->start >= range->end)
		return -EINVAL;
	while (err >= 0 && rest.start < rest.end) {
		part = rest;
		newer = find_newer(m, &rest);
		if (newer)
			part.end = newer->start;
		rest.start = newer ? newer->end : rest.end;
		rest.offset += rest.start - part.start;
		if (part.start < part.end)
			err = maps_insert(m, &part);
		replaces |= err > 0;
	}
	return err < 0 ? err : replaces;
}

struct maps *maps_copy_below(const struct maps *m, const struct maps *over)
{
	struct maps *copy = maps_copy(m);

	for (size_t i = 0; copy && i < maps_nr(over); i++) {
		if (maps_insert(copy, maps_at(over, i)) >= 0)
			continue;
		maps_free(copy);
		return NULL;
	}
	return copy;
}

void maps_replace_file(struct maps *m, uint32_t file, uint32_t by)
{
	for (size_t i = 0; i < m->nr; i++)
		if (m->ranges[i].file == file)
			m->ranges[i].file = by;
}

const struct maps_range *maps_find(const struct maps *m, uint64_t addr)
{
	size_t i = first_ending_at(m, addr);

	if (i < m->nr && m->ranges[i].end == addr)
		i++;
	return i < m->nr && m->ranges[i].start <= addr ? &m->ranges[i] : NULL;
}

size_t maps_nr(const struct maps *m)
{
	return m->nr;
}

const struct maps_range *maps_at(const struct maps *m, size_t i)
{
	return &m->ranges[i];
}
