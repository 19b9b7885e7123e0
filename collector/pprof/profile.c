// SPDX-License-Identifier: GPL-2.0
#include "pprof/profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/gzip_file.h"
#include "pprof/profile_data.h"
#include "pprof/protobuf.h"
#include "base/string_table.h"
#include "base/utf8.h"

/* pprof writes labels between quotes into the graphs that it draws, and does not escape them. */
static size_t clean_label(char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (s[i] == '"')
			s[i] = '\'';
		else if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			s[i] = ' ';
	}
	while (len && s[len - 1] == '\\')
		len--;
	return len;
}

/* Returns the index of a string in the string table, 0 for NULL, or -ENOMEM. */
static int64_t intern(struct profile *p, const char *s, bool label)
{
	char *text;
	size_t len;

	if (!s || !*s)
		return 0;
	text = array_grow(p->text, &p->text_room, UTF8_MAX_GROWTH * strlen(s), 1);
	if (!text)
		return -ENOMEM;
	p->text = text;
	len = utf8_clean(text, s, strlen(s));
	if (label)
		len = clean_label(text, len);
	return strtab_intern(p->strings, text, len);
}

static int intern_value_type(struct profile *p, struct profile_data_value_type *out,
			     const struct profile_value_type *in)
{
	out->type = intern(p, in->type, false);
	out->unit = intern(p, in->unit, false);
	return out->type < 0 || out->unit < 0 ? -ENOMEM : 0;
}

static int set_sample_types(struct profile *p, const struct profile_sample_types *types)
{
	size_t i;

	p->strings = strtab_new();
	p->functions = tuple_map_new(SIZE_MAX);
	if (!p->strings || !p->functions)
		return -ENOMEM;
	p->nr_sample_types = types->nr_sample_types;
	for (i = 0; i < types->nr_sample_types; i++)
		if (intern_value_type(p, &p->sample_types[i], &types->sample_types[i]))
			return -ENOMEM;
	p->default_sample_type = intern(p, types->default_sample_type, false);
	if (p->default_sample_type < 0)
		return -ENOMEM;
	return intern_value_type(p, &p->period_type, &types->period_type);
}

struct profile *profile_new(const struct profile_sample_types *types)
{
	struct profile *p;

	if (!types->nr_sample_types || types->nr_sample_types > PROFILE_MAX_VALUES) {
		errno = EINVAL;
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	if (set_sample_types(p, types)) {
		profile_free(p);
		errno = ENOMEM;
		return NULL;
	}
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	strtab_free(p->strings);
	tuple_map_free(p->functions);
	free(p->mappings.items);
	free(p->locations.items);
	free(p->lines.items);
	free(p->samples.items);
	free(p->ids.items);
	free(p->labels.items);
	free(p->comments.items);
	free(p->text);
	free(p);
}

void profile_set_period(struct profile *p, int64_t period)
{
	p->period = period;
}

void profile_set_time(struct profile *p, int64_t time_ns)
{
	p->time_ns = time_ns;
}

void profile_set_duration(struct profile *p, int64_t duration_ns)
{
	p->duration_ns = duration_ns;
}

int profile_set_frames(struct profile *p, const char *drop, const char *keep)
{
	int64_t drop_frames = intern(p, drop, false), keep_frames = intern(p, keep, false);

	if (drop_frames < 0 || keep_frames < 0)
		return -ENOMEM;
	p->drop_frames = drop_frames;
	p->keep_frames = keep_frames;
	return 0;
}

int64_t profile_mapping(struct profile *p, const struct profile_mapping *mapping)
{
	struct profile_data_mapping m = {
		.start = mapping->start,
		.limit = mapping->limit,
		.offset = mapping->offset,
		.file = intern(p, mapping->file, false),
		.build_id = intern(p, mapping->build_id, false),
		.flags = mapping->flags,
	};

	if (m.file < 0 || m.build_id < 0 || ARRAY_APPEND(p->mappings, &m, 1))
		return -ENOMEM;
	return p->mappings.nr;
}

int profile_mapping_flags(struct profile *p, uint64_t mapping_id, unsigned int flags)
{
	if (!mapping_id || mapping_id > p->mappings.nr)
		return -EINVAL;
	p->mappings.items[mapping_id - 1].flags = flags;
	return 0;
}

int64_t profile_function(struct profile *p, const char *name, const char *system_name,
			 const char *filename, int64_t start_line)
{
	uint64_t parts[FUNCTION_NR_PARTS];
	int64_t strings[] = {
		intern(p, name, false),
		intern(p, system_name, false),
		intern(p, filename, false),
	};
	int64_t id;
	size_t i;

	for (i = 0; i < FUNCTION_START_LINE; i++) {
		if (strings[i] < 0)
			return strings[i];
		parts[i] = strings[i];
	}
	parts[FUNCTION_START_LINE] = start_line;
	id = tuple_map_add(p->functions, 0, parts, FUNCTION_NR_PARTS, 0);
	return id < 0 ? id : id + 1;
}

int64_t profile_location(struct profile *p, uint64_t mapping_id, uint64_t address,
			 const struct profile_line *lines, size_t nr_lines)
{
	struct profile_data_location loc = {
		.mapping_id = mapping_id,
		.address = address,
		.first_line = p->lines.nr,
		.nr_lines = nr_lines,
	};
	size_t i;

	if (mapping_id > p->mappings.nr)
		return -EINVAL;
	for (i = 0; i < nr_lines; i++)
		if (!lines[i].function_id || lines[i].function_id > tuple_map_nr(p->functions))
			return -EINVAL;
	if (ARRAY_APPEND(p->lines, lines, nr_lines) || ARRAY_APPEND(p->locations, &loc, 1))
		return -ENOMEM;
	return p->locations.nr;
}

static int append_label(struct profile *p, const struct profile_label *label)
{
	struct profile_data_label l = { .key = intern(p, label->key, true) };

	if (label->str) {
		l.str = intern(p, label->str, true);
	} else {
		l.num = label->num;
		l.unit = intern(p, label->unit, true);
	}
	if (l.key < 0 || l.str < 0 || l.unit < 0)
		return -ENOMEM;
	return ARRAY_APPEND(p->labels, &l, 1);
}

static bool are_locations(const struct profile *p, const uint64_t *ids, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!ids[i] || ids[i] > p->locations.nr)
			return false;
	return nr > 0;
}

int profile_sample(struct profile *p, const uint64_t *location_ids, size_t nr_locations,
		   const int64_t *values, const struct profile_label *labels,
		   size_t nr_labels)
{
	struct profile_data_sample s = {
		.first_id = p->ids.nr,
		.nr_ids = nr_locations,
		.first_label = p->labels.nr,
		.nr_labels = nr_labels,
	};
	size_t i;

	if (!are_locations(p, location_ids, nr_locations))
		return -EINVAL;
	for (i = 0; i < nr_labels; i++)
		if (append_label(p, &labels[i]))
			return -ENOMEM;
	memcpy(s.values, values, p->nr_sample_types * sizeof(*values));
	if (ARRAY_APPEND(p->ids, location_ids, nr_locations))
		return -ENOMEM;
	return ARRAY_APPEND(p->samples, &s, 1);
}

int profile_comment(struct profile *p, const char *fmt, ...)
{
	int64_t index;
	uint64_t item;
	va_list args;
	char *text;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return -ENOMEM;
	index = intern(p, text, false);
	free(text);
	if (index < 0)
		return index;
	item = index;
	return ARRAY_APPEND(p->comments, &item, 1);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_ids(const struct profile *p, const struct profile_data_sample *a,
		       const struct profile_data_sample *b)
{
	const uint64_t *ids = p->ids.items;
	size_t i;
	int diff;

	for (i = 0; i < a->nr_ids && i < b->nr_ids; i++) {
		diff = compare_numbers(ids[a->first_id + i], ids[b->first_id + i]);
		if (diff)
			return diff;
	}
	return compare_numbers(a->nr_ids, b->nr_ids);
}

static int compare_strings(const struct profile *p, int64_t a, int64_t b)
{
	return strcmp(strtab_at(p->strings, a), strtab_at(p->strings, b));
}

static int compare_label(const struct profile *p, const struct profile_data_label *a,
			 const struct profile_data_label *b)
{
	int diff = compare_strings(p, a->key, b->key);

	if (!diff)
		diff = compare_strings(p, a->str, b->str);
	if (!diff)
		diff = (a->num > b->num) - (a->num < b->num);
	return diff ? diff : compare_strings(p, a->unit, b->unit);
}

static int compare_labels(const struct profile *p, const struct profile_data_sample *a,
			  const struct profile_data_sample *b)
{
	const struct profile_data_label *labels = p->labels.items;
	size_t i;
	int diff;

	for (i = 0; i < a->nr_labels && i < b->nr_labels; i++) {
		diff = compare_label(p, &labels[a->first_label + i],
				     &labels[b->first_label + i]);
		if (diff)
			return diff;
	}
	return compare_numbers(a->nr_labels, b->nr_labels);
}

static int compare_samples(const void *left, const void *right, void *profile)
{
	const struct profile_data_sample *a = left, *b = right;
	const struct profile *p = profile;
	int diff;

	if (a->values[0] != b->values[0])
		return a->values[0] > b->values[0] ? -1 : 1;
	diff = compare_ids(p, a, b);
	return diff ? diff : compare_labels(p, a, b);
}

/* Below, the numbers of fields are those of profile.proto. */

static void put_value_type(struct proto *out, uint32_t field,
			   const struct profile_data_value_type *t)
{
	proto_begin(out, field);
	proto_int(out, 1, t->type);
	proto_int(out, 2, t->unit);
	proto_end(out);
}

static void put_label(struct proto *out, const struct profile_data_label *l)
{
	proto_begin(out, 3);
	proto_int(out, 1, l->key);
	proto_int(out, 2, l->str);
	proto_int(out, 3, l->num);
	proto_int(out, 4, l->unit);
	proto_end(out);
}

static void put_sample(struct proto *out, const struct profile *p,
		       const struct profile_data_sample *s)
{
	const struct profile_data_label *labels = p->labels.items;
	const uint64_t *ids = p->ids.items;
	size_t i;

	proto_begin(out, 2);
	proto_packed(out, 1, ids + s->first_id, s->nr_ids);
	proto_packed(out, 2, (const uint64_t *)s->values, p->nr_sample_types);
	for (i = 0; i < s->nr_labels; i++)
		put_label(out, &labels[s->first_label + i]);
	proto_end(out);
}

static void put_mapping(struct proto *out, uint64_t id, const struct profile_data_mapping *m)
{
	proto_begin(out, 3);
	proto_uint(out, 1, id);
	proto_uint(out, 2, m->start);
	proto_uint(out, 3, m->limit);
	proto_uint(out, 4, m->offset);
	proto_int(out, 5, m->file);
	proto_int(out, 6, m->build_id);
	proto_uint(out, 7, !!(m->flags & PROFILE_HAS_FUNCTIONS));
	proto_uint(out, 8, !!(m->flags & PROFILE_HAS_FILENAMES));
	proto_uint(out, 9, !!(m->flags & PROFILE_HAS_LINE_NUMBERS));
	proto_uint(out, 10, !!(m->flags & PROFILE_HAS_INLINE_FRAMES));
	proto_end(out);
}

static void put_line(struct proto *out, const struct profile_line *line)
{
	proto_begin(out, 4);
	proto_uint(out, 1, line->function_id);
	proto_int(out, 2, line->line);
	proto_int(out, 3, line->column);
	proto_end(out);
}

static void put_location(struct proto *out, const struct profile *p, uint64_t id,
			 const struct profile_data_location *loc)
{
	const struct profile_line *lines = p->lines.items;
	size_t i;

	proto_begin(out, 4);
	proto_uint(out, 1, id);
	proto_uint(out, 2, loc->mapping_id);
	proto_uint(out, 3, loc->address);
	for (i = 0; i < loc->nr_lines; i++)
		put_line(out, &lines[loc->first_line + i]);
	proto_end(out);
}

static void put_function(struct proto *out, uint64_t id, const uint64_t *parts)
{
	proto_begin(out, 5);
	proto_uint(out, 1, id);
	proto_uint(out, 2, parts[FUNCTION_NAME]);
	proto_uint(out, 3, parts[FUNCTION_SYSTEM_NAME]);
	proto_uint(out, 4, parts[FUNCTION_FILENAME]);
	proto_uint(out, 5, parts[FUNCTION_START_LINE]);
	proto_end(out);
}

static void put_tables(struct proto *out, const struct profile *p)
{
	const struct profile_data_location *locations = p->locations.items;
	const struct profile_data_mapping *mappings = p->mappings.items;
	const char *s;
	size_t i;

	for (i = 0; i < p->mappings.nr; i++)
		put_mapping(out, i + 1, &mappings[i]);
	for (i = 0; i < p->locations.nr; i++)
		put_location(out, p, i + 1, &locations[i]);
	for (i = 0; i < tuple_map_nr(p->functions); i++)
		put_function(out, i + 1, tuple_map_at(p->functions, i)->frames);
	for (i = 0; i < strtab_nr(p->strings); i++) {
		s = strtab_at(p->strings, i);
		proto_bytes(out, 6, s, strlen(s));
	}
}

static void put_profile(struct proto *out, const struct profile *p)
{
	const struct profile_data_sample *samples = p->samples.items;
	size_t i;

	for (i = 0; i < p->nr_sample_types; i++)
		put_value_type(out, 1, &p->sample_types[i]);
	for (i = 0; i < p->samples.nr; i++)
		put_sample(out, p, &samples[i]);
	put_tables(out, p);
	proto_int(out, 7, p->drop_frames);
	proto_int(out, 8, p->keep_frames);
	proto_int(out, 9, p->time_ns);
	proto_int(out, 10, p->duration_ns);
	put_value_type(out, 11, &p->period_type);
	proto_int(out, 12, p->period);
	proto_packed(out, 13, p->comments.items, p->comments.nr);
	proto_int(out, 14, p->default_sample_type);
}

int profile_encode(struct profile *p, proto_sink *sink, void *ctx)
{
	struct proto *out = proto_new(sink, ctx);
	int err;

	if (!out)
		return -ENOMEM;
	if (p->samples.nr)
		qsort_r(p->samples.items, p->samples.nr, sizeof(struct profile_data_sample),
			compare_samples, p);
	put_profile(out, p);
	err = proto_flush(out);
	proto_free(out);
	return err;
}

static int to_gzip_file(void *gz, const void *data, size_t len)
{
	return gzip_file_write(gz, data, len);
}

int profile_write(struct profile *p, struct gzip_file *gz)
{
	return profile_encode(p, to_gzip_file, gz);
}
