// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a profile in one of Go's text formats: a head, the samples, comments, the mappings.
 *
 * text_layout.c first gives each location its address, since the order of the samples depends on
 * the addresses. Then the samples are sorted (fill_entries()) and written one after the other
 * (put_entry()): the values, the addresses, the labels, and a table of the frames (text_table.c).
 * The formats differ in the value by which samples are sorted (weight()), in the head, in how
 * values are written (put_values()), and in comments.
 */
#include "pprof/legacy_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/gzip_stream.h"
#include "pprof/profile.h"
#include "pprof/profile_data.h"
#include "pprof/text_escape.h"
#include "pprof/text_layout.h"
#include "pprof/text_table.h"
#include "procfs/resource_usage.h"

/* A sample that is to be written. */
struct entry {
	const struct profile_data_sample *sample;
	char *labels;		/* as they are written; NULL: none */
};

struct text {
	FILE *out;
	struct profile *p;
	enum text_form form;
	pid_t pid;
	struct text_layout layout;
	struct entry *entries;	/* of all samples, in the order of the file */
	struct text_table frames;	/* of the current sample */
};

static uint64_t address_of(const struct text *t, uint64_t location_id)
{
	return t->layout.addresses[location_id - 1];
}

/* Order */

static int64_t weight(const struct text *t, const struct profile_data_sample *s)
{
	switch (t->form) {
	case TEXT_COUNT:
		break;
	case TEXT_CONTENTION:
	case TEXT_MUTEX:
	case TEXT_GROWTH:
		return s->values[1];
	case TEXT_HEAP:
		return s->values[3];
	}
	return s->values[0];
}

static unsigned int nr_hex_digits(uint64_t value)
{
	return value ? (67 - __builtin_clzll(value)) / 4 : 1;
}

/* Go sorts addresses as text: 0x10 comes before 0x9. So the first digits are aligned. */
static int compare_hex(uint64_t a, uint64_t b)
{
	unsigned int left = nr_hex_digits(a), right = nr_hex_digits(b);

	a <<= 64 - 4 * left;
	b <<= 64 - 4 * right;
	if (a != b)
		return a < b ? -1 : 1;
	return left < right ? -1 : left > right;
}

static int compare_stacks(const struct text *t, const struct profile_data_sample *a,
			  const struct profile_data_sample *b)
{
	const uint64_t *ids = t->p->ids.items;

	for (size_t i = 0; i < a->nr_ids && i < b->nr_ids; i++) {
		uint64_t left = address_of(t, ids[a->first_id + i]);
		uint64_t right = address_of(t, ids[b->first_id + i]);

		if (left != right)
			return compare_hex(left + 1, right + 1);
	}
	return (a->nr_ids > b->nr_ids) - (a->nr_ids < b->nr_ids);
}

static int compare_entries(const void *left, const void *right, void *text)
{
	const struct entry *a = left, *b = right;
	const struct text *t = text;
	int64_t more = weight(t, b->sample), less = weight(t, a->sample);
	int diff;

	if (more != less)
		return more > less ? 1 : -1;
	diff = compare_stacks(t, a->sample, b->sample);
	return diff ? diff : strcmp(a->labels ? a->labels : "", b->labels ? b->labels : "");
}

/* Labels */

/* Go sorts labels as they are written, so the quote at the end of a key is compared, too. */
static int compare_labels(const void *left, const void *right, void *text)
{
	const struct profile_data_label *a = left, *b = right;
	const struct text *t = text;
	const unsigned char *x = (const unsigned char *)profile_data_string(t->p, a->key);
	const unsigned char *y = (const unsigned char *)profile_data_string(t->p, b->key);

	for (; *x && *x == *y; x++, y++)
		;
	return (*x ? *x : '"') - (*y ? *y : '"');
}

static void put_labels(struct text *t, FILE *out, const struct profile_data_sample *s)
{
	struct profile_data_label *labels = t->p->labels.items + s->first_label;

	qsort_r(labels, s->nr_labels, sizeof(*labels), compare_labels, t);
	for (size_t i = 0; i < s->nr_labels; i++) {
		fputs(i ? ", " : "{", out);
		text_escape_put_quoted(out, profile_data_string(t->p, labels[i].key));
		fputc(':', out);
		if (labels[i].num)
			fprintf(out, "\"%" PRId64 "\"", labels[i].num);
		else
			text_escape_put_quoted(out, profile_data_string(t->p, labels[i].str));
	}
	fputc('}', out);
}

/* Returns the labels as text, which the caller frees, or NULL without memory. */
static char *format_labels(struct text *t, const struct profile_data_sample *s)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	put_labels(t, out, s);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

static int fill_entries(struct text *t)
{
	const struct profile_data_sample *samples = t->p->samples.items;
	size_t nr = t->p->samples.nr;

	for (size_t i = 0; i < nr; i++) {
		t->entries[i].sample = &samples[i];
		if (!samples[i].nr_labels)
			continue;
		t->entries[i].labels = format_labels(t, &samples[i]);
		if (!t->entries[i].labels)
			return -ENOMEM;
	}
	qsort_r(t->entries, nr, sizeof(*t->entries), compare_entries, t);
	return 0;
}

/* Stacks */

static int add_frame(struct text *t, uint64_t address, const struct profile_line *line)
{
	const uint64_t *parts = tuple_map_at(t->p->functions, line->function_id - 1)->frames;
	const struct text_table_row row = {
		.address = address,
		.name = profile_data_string(t->p, parts[FUNCTION_NAME]),
		.offset = line->offset,
		.file = profile_data_string(t->p, parts[FUNCTION_FILENAME]),
		.line = line->line,
	};

	return text_table_add(&t->frames, &row);
}

static int fill_frames(struct text *t, const struct profile_data_sample *s)
{
	const uint64_t *ids = t->p->ids.items + s->first_id;
	const struct profile_line *lines = t->p->lines.items;
	int err = 0;

	text_table_clear(&t->frames);
	for (size_t i = 0; i < s->nr_ids; i++) {
		const struct profile_data_location *l = profile_data_location_at(t->p, ids[i]);

		for (size_t n = 0; !err && n < l->nr_lines; n++)
			err = add_frame(t, address_of(t, ids[i]), &lines[l->first_line + n]);
	}
	return err;
}

/* Of lost samples only the bytes are known. Readers refuse bytes without a page: write one. */
static int64_t pages(const int64_t *v)
{
	return v[0] || !v[1] ? v[0] : 1;
}

static void put_values(const struct text *t, const int64_t *v)
{
	switch (t->form) {
	case TEXT_COUNT:
		fprintf(t->out, "%" PRId64, v[0]);
		break;
	case TEXT_CONTENTION:
	case TEXT_MUTEX:
		fprintf(t->out, "%" PRId64 " %" PRId64, v[1], v[0]);
		break;
	case TEXT_HEAP:
		fprintf(t->out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "]",
			v[2], v[3], v[0], v[1]);
		break;
	case TEXT_GROWTH:
		fprintf(t->out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "]",
			pages(v), v[1], pages(v), v[1]);
		break;
	}
}

static int put_entry(struct text *t, const struct entry *e)
{
	const uint64_t *ids = t->p->ids.items + e->sample->first_id;
	int err = fill_frames(t, e->sample);

	if (err)
		return err;
	put_values(t, e->sample->values);
	fputs(" @", t->out);
	for (size_t i = 0; i < e->sample->nr_ids; i++)
		fprintf(t->out, " 0x%" PRIx64, address_of(t, ids[i]) + 1);
	fputc('\n', t->out);
	if (e->labels)
		fprintf(t->out, "# labels: %s\n", e->labels);
	text_table_write(&t->frames, t->out);
	fputc('\n', t->out);
	return 0;
}

/* The head, comments and mappings */

static void sum(const struct text *t, int64_t *sums)
{
	const struct profile_data_sample *samples = t->p->samples.items;

	for (size_t i = 0; i < t->p->samples.nr; i++)
		for (size_t n = 0; n < t->p->nr_sample_types; n++)
			sums[n] += samples[i].values[n];
}

static void put_growth_head(const struct text *t)
{
	const struct profile_data_sample *samples = t->p->samples.items;
	int64_t nr = 0, bytes = 0;

	for (size_t i = 0; i < t->p->samples.nr; i++) {
		nr += pages(samples[i].values);
		bytes += samples[i].values[1];
	}
	fprintf(t->out, "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64
		"] @ growth\n", nr, bytes, nr, bytes);
}

/*
 * Readers drop the allocated values if these sums equal the sums in use: then one byte is added.
 * They take heap/2 for a rate of 1.
 */
static void put_heap_head(const struct text *t, const int64_t *sums)
{
	bool same = sums[0] == sums[2] && sums[1] == sums[3];

	fprintf(t->out, "heap profile: %" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64
		"] @ heap/2\n", sums[2], sums[3], sums[0], sums[1] + same);
}

static void put_head(const struct text *t, const char *name)
{
	int64_t sums[PROFILE_MAX_VALUES] = { 0 };

	sum(t, sums);
	switch (t->form) {
	case TEXT_COUNT:
		text_escape_put(t->out, name, "_");
		fprintf(t->out, " profile: total %" PRId64 "\n", sums[0]);
		break;
	case TEXT_CONTENTION:
		fputs("--- contention:\ncycles/second=1000000000\n", t->out);
		break;
	case TEXT_MUTEX:
		fputs("--- mutex:\ncycles/second=1000000000\nsampling period=1\n", t->out);
		break;
	case TEXT_HEAP:
		put_heap_head(t, sums);
		break;
	case TEXT_GROWTH:
		put_growth_head(t);
		break;
	}
}

static void put_comments(const struct text *t)
{
	const uint64_t *comments = t->p->comments.items;
	const char *unit = profile_data_string(t->p, t->p->period_type.unit);

	if (t->form == TEXT_COUNT && strcmp(unit, "count")) {
		fprintf(t->out, "# period: %" PRId64 " ", t->p->period);
		text_escape_put(t->out, unit, " ");
		putc('\n', t->out);
	}
	for (size_t i = 0; i < t->p->comments.nr; i++) {
		fputs("# ", t->out);
		text_escape_put(t->out, profile_data_string(t->p, comments[i]), " ");
		fputc('\n', t->out);
	}
	if (t->form == TEXT_HEAP && t->pid) {
		fprintf(t->out, "\n# /proc/%d\n", t->pid);
		resource_usage_print(t->out, t->pid);
	}
}

static void put_mapping(const struct text *t, uint64_t id)
{
	const struct profile_data_mapping *m = profile_data_mapping_at(t->p, id);
	uint64_t base = t->layout.bases[id - 1];

	fprintf(t->out, "%" PRIx64 "-%" PRIx64 " r-xp ", base, base + (m->limit - m->start));
	text_escape_put(t->out, profile_data_string(t->p, m->file), "_");
	fprintf(t->out, " (@%" PRIx64 ")%s", m->offset, m->build_id ? " " : "");
	text_escape_put(t->out, profile_data_string(t->p, m->build_id), "_");
	putc('\n', t->out);
}

/* pprof names code without a symbol after its mapping. It opens no file in brackets. */
static void put_no_code(const struct text *t, uint64_t id)
{
	const struct profile_data_location *location = profile_data_location_at(t->p, id);
	const struct profile_line *line = &t->p->lines.items[location->first_line];
	uint64_t address = address_of(t, id);
	const uint64_t *parts;
	const char *name;

	parts = tuple_map_at(t->p->functions, line->function_id - 1)->frames;
	name = profile_data_string(t->p, parts[FUNCTION_NAME]);
	fprintf(t->out, "%" PRIx64 "-%" PRIx64 " r-xp ", address, address + TEXT_LAYOUT_PAGE_BYTES);
	fputs(name[0] == '[' ? "" : "[", t->out);
	text_escape_put(t->out, name, "_");
	fputs(name[0] == '[' ? "\n" : "]\n", t->out);
}

static void put_map(const struct text *t)
{
	fputs("\n--- Memory map: ---\n", t->out);
	for (uint64_t id = 1; id <= t->p->mappings.nr; id++)
		put_mapping(t, id);
	for (uint64_t id = 1; id <= t->p->locations.nr; id++)
		if (text_layout_is_no_code(profile_data_location_at(t->p, id)))
			put_no_code(t, id);
}

static int put_all(struct text *t, const char *name)
{
	int err = fill_entries(t);

	if (!err)
		put_head(t, name);
	for (size_t i = 0; !err && i < t->p->samples.nr; i++)
		err = put_entry(t, &t->entries[i]);
	if (err)
		return err;
	put_comments(t);
	put_map(t);
	return 0;
}

static int make(struct text *t, const char *name)
{
	int err = text_layout_init(&t->layout, t->p);

	t->entries = calloc(t->p->samples.nr + 1, sizeof(*t->entries));
	if (!t->entries)
		err = -ENOMEM;
	if (!err)
		err = put_all(t, name);
	for (size_t i = 0; t->entries && i < t->p->samples.nr; i++)
		free(t->entries[i].labels);
	free(t->entries);
	text_table_fini(&t->frames);
	text_layout_fini(&t->layout);
	return err;
}

int legacy_text_print(struct profile *p, const char *name, enum text_form form, pid_t pid,
		      FILE *out)
{
	struct text t = { .out = out, .p = p, .form = form, .pid = pid };

	return make(&t, name);
}

int legacy_text_write(struct profile *p, const char *name, enum text_form form, pid_t pid,
		      struct gzip_file *gz)
{
	struct gzip_stream stream;
	FILE *out = gzip_stream_open(&stream, gz);
	int err, write_err;

	if (!out)
		return -ENOMEM;
	err = legacy_text_print(p, name, form, pid, out);
	write_err = gzip_stream_close(&stream, out);
	return err ? err : write_err;
}
