// SPDX-License-Identifier: GPL-2.0
#include "formats/read_heap.h"

#include "formats/address_profile.h"
#include "formats/heap_sampling.h"
#include "formats/line_reader.h"

struct counts {
	int64_t objects;
	int64_t bytes;
};

struct heap_head {
	struct counts in_use;
	struct counts allocated;
	int64_t period;
	bool is_sampled;
};

/* "13: 1595680" */
static bool take_counts(struct text_cursor *c, struct counts *out)
{
	text_skip_blanks(c);
	if (!text_take_signed(c, &out->objects) || !text_take(c, ":"))
		return false;
	text_skip_blanks(c);
	if (!text_take_signed(c, &out->bytes))
		return false;
	text_skip_blanks(c);
	return true;
}

/* "13: 1595680 [47: 2584596] @" */
static bool take_values(struct text_cursor *c, struct counts *in_use, struct counts *allocated)
{
	if (!take_counts(c, in_use) || !text_take(c, "[") || !take_counts(c, allocated) ||
	    allocated->objects < 0 || allocated->bytes < 0 || !text_take(c, "]"))
		return false;
	text_skip_blanks(c);
	return text_take(c, "@");
}

/* How a kind of heap profile was sampled. Longer names come before their prefixes. */
static const struct {
	const char *name;
	bool is_sampled;
	int64_t divisor;		/* of the rate; 0: the period is 1 */
} kinds[] = {
	{ "heapprofile", false, 0 }, { "heap_v2", true, 1 }, { "heapz_v2", true, 1 },
	{ "heap", true, 2 }, { "growth", false, 0 }, { "fragmentation", false, 0 },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(*kinds))

static bool take_kind(struct text_cursor *c, struct heap_head *head)
{
	struct text_cursor word = text_take_token(c);
	int64_t rate = 0;
	size_t i = 0;

	while (i < NR_KINDS && !text_take(&word, kinds[i].name))
		i++;
	if (i == NR_KINDS)
		return false;
	if (!kinds[i].divisor)
		text_take(&word, "z");
	else if (text_take(&word, "/"))
		text_take_number(&word, &rate);
	head->period = kinds[i].divisor ? rate / kinds[i].divisor : 1;
	head->is_sampled = kinds[i].is_sampled;
	return word.at == word.end;
}

/* A log may have put a prefix before the head. */
static bool parse_head(struct text_cursor line, struct heap_head *head)
{
	static const char word[] = "heap profile:";

	while (line.at < line.end && !text_take(&line, word))
		line.at++;
	if (!take_values(&line, &head->in_use, &head->allocated))
		return false;
	text_skip_blanks(&line);
	return take_kind(&line, head);
}

bool read_heap_claims(struct text_cursor head)
{
	struct text_cursor line;
	struct heap_head h;

	return text_take_line(&head, &line) && parse_head(line, &h);
}

/* The format always has allocated values. They count only if they differ from those in use. */
static bool has_allocated(const struct heap_head *h)
{
	return (h->allocated.objects && h->allocated.objects != h->in_use.objects) ||
	       (h->allocated.bytes && h->allocated.bytes != h->in_use.bytes);
}

static int begin(struct address_profile *p, const struct heap_head *h)
{
	int err = address_profile_set_period(p, "space", "bytes", h->period);

	if (!err && !has_allocated(h)) {
		err = address_profile_add_type(p, "objects", "count");
		return err ? err : address_profile_add_type(p, "space", "bytes");
	}
	if (!err)
		err = address_profile_add_type(p, "alloc_objects", "count");
	if (!err)
		err = address_profile_add_type(p, "alloc_space", "bytes");
	if (!err)
		err = address_profile_add_type(p, "inuse_objects", "count");
	return err ? err : address_profile_add_type(p, "inuse_space", "bytes");
}

/* Sets *size to the mean size of an object, if there are objects. */
static int scale(struct line_reader *lines, const struct heap_head *h, struct counts *c,
		 int64_t *size)
{
	if (!c->objects && c->bytes)
		return line_reader_fault(lines, "no bytes of 0 objects");
	if (!c->objects)
		return 0;
	*size = c->bytes / c->objects;
	if (h->is_sampled && !heap_sampling_scale(&c->objects, &c->bytes, h->period))
		return line_reader_fault(lines, "estimates of 63 bits");
	return 0;
}

static int take_sample(struct address_profile *p, const struct heap_head *h)
{
	struct text_cursor c = p->lines->line;
	struct counts in_use, allocated;
	bool is_both = has_allocated(h);
	int64_t size = 0;
	int err = 0;

	if (!take_values(&c, &in_use, &allocated))
		return line_reader_fault(p->lines, "'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESSES'");
	if (is_both)
		err = scale(p->lines, h, &allocated, &size);
	if (!err)
		err = scale(p->lines, h, &in_use, &size);
	if (!err)
		err = address_profile_push_all(p, c, 1);
	if (err)
		return err;
	return address_profile_add_sample(p, is_both ?
		(const int64_t[]){ allocated.objects, allocated.bytes, in_use.objects,
				   in_use.bytes } :
		(const int64_t[]){ in_use.objects, in_use.bytes }, size);
}

static int take_samples(struct address_profile *p, const struct heap_head *h)
{
	int ret, err = 0;

	while (!err && (ret = line_reader_next(p->lines)) > 0) {
		if (memory_map_begins(&p->lines->line))
			return 0;
		err = text_is_comment(p->lines->line) ? address_profile_take_comment(p) :
					   take_sample(p, h);
	}
	return err ? err : ret;
}

int read_heap(struct line_reader *lines, struct model *m)
{
	struct address_profile p;
	struct heap_head h;
	int err = address_profile_init(&p, m, lines);

	if (!err)
		err = line_reader_next(lines);
	if (err > 0)
		err = parse_head(lines->line, &h) ? begin(&p, &h) :
		      line_reader_fault(lines, "the head of a heap profile");
	if (!err)
		err = take_samples(&p, &h);
	return address_profile_end(&p, err);
}
