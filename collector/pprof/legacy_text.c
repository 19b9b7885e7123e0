// SPDX-License-Identifier: GPL-2.0
#include "pprof/legacy_text.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "procfs/resource_usage.h"
#include "pprof/gzip_stream.h"
#include "pprof/profile.h"
#include "pprof/profile_data.h"
#include "base/utf8.h"

enum { TAB = 8, PAGE_BYTES = 4096 };
/* Not canonical on any CPU: no code is there. */
#define NO_CODE		(UINT64_C(1) << 63)
/* pprof gives up at a line of 64 KiB. */
#define MAX_CELL_BYTES	16384

/* A sample on its way out. */
struct shown {
	const struct profile_data_sample *sample;
	char *labels;		/* as they are shown; NULL: none */
};

/* A line about a function: name, and the place in its source if that is known. */
struct row {
	uint64_t address;
	const char *name;
	uint64_t offset;
	const char *file;	/* "": none */
	int64_t line;
};

struct text {
	FILE *out;
	struct profile *p;
	enum text_form form;
	pid_t pid;
	uint64_t *bases;	/* by mapping: where it is shown */
	uint64_t *addresses;	/* by location: where it is shown */
	uint64_t end;		/* behind what was moved */
	struct shown *entries;	/* of the samples, in order */
	struct row *rows;	/* of one stack */
	size_t nr_rows;
	size_t room;
};

static const struct profile_data_mapping *mapping_at(const struct text *t, uint64_t id)
{
	return (const struct profile_data_mapping *)t->p->mappings.items + id - 1;
}

static const struct profile_data_location *location_at(const struct text *t, uint64_t id)
{
	return (const struct profile_data_location *)t->p->locations.items + id - 1;
}

static const char *string(const struct text *t, int64_t index)
{
	return strtab_at(t->p->strings, index);
}

/* Text that does not end the line, the cell or the quotes that it is in. */
static size_t put_clean(FILE *out, const char *s, const char *instead_of_space)
{
	size_t len = strnlen(s, MAX_CELL_BYTES), width = 0, n;
	uint32_t rune = 0;

	for (; len; s += n, len -= n, width++) {
		n = utf8_next(s, len, &rune);
		if (!n || utf8_is_control(rune))
			fputc('?', out);
		else if (rune == ' ')
			fputs(instead_of_space, out);
		else
			fwrite(s, 1, n, out);
		n = n ? n : 1;
	}
	return width;
}

/* Addresses */

/* Those that are where they were do not overlap: for each other one at most one is alike. */
static int compare_ranges(const void *left, const void *right)
{
	const struct profile_data_mapping *a = left, *b = right;

	return a->limit <= b->start ? -1 : b->limit <= a->start;
}

static uint64_t take_no_code(struct text *t, uint64_t nr_bytes)
{
	uint64_t start = t->end;

	t->end += nr_bytes;
	return start;
}

static void keep(void *mapping)
{
	(void)mapping;
}

/* The first one at a place has it. */
static int lay_out_mappings(struct text *t)
{
	const struct profile_data_mapping *m, **first;
	void *placed = NULL;
	uint64_t i;

	for (i = 0; i < t->p->mappings.nr; i++) {
		m = mapping_at(t, i + 1);
		first = tsearch(m, &placed, compare_ranges);
		if (!first)
			break;
		t->bases[i] = *first == m ? m->start : take_no_code(t, m->limit - m->start);
	}
	tdestroy(placed, keep);
	return i < t->p->mappings.nr ? -ENOMEM : 0;
}

static bool is_no_code(const struct profile_data_location *l)
{
	return !l->mapping_id && !l->address;
}

static void lay_out_locations(struct text *t)
{
	for (uint64_t i = 0; i < t->p->locations.nr; i++) {
		const struct profile_data_location *l = location_at(t, i + 1);
		uint64_t id = l->mapping_id;

		t->addresses[i] = l->address;
		if (id)
			t->addresses[i] += t->bases[id - 1] - mapping_at(t, id)->start;
		else if (is_no_code(l))
			t->addresses[i] = take_no_code(t, PAGE_BYTES);
	}
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

/* As text, since Go does so: 0x10 is before 0x9. */
static int compare_hex(uint64_t a, uint64_t b)
{
	char left[20], right[20];

	snprintf(left, sizeof(left), "%" PRIx64 " ", a);
	snprintf(right, sizeof(right), "%" PRIx64 " ", b);
	return strcmp(left, right);
}

static int compare_stacks(const struct text *t, const struct profile_data_sample *a,
			  const struct profile_data_sample *b)
{
	const uint64_t *ids = t->p->ids.items;

	for (size_t i = 0; i < a->nr_ids && i < b->nr_ids; i++) {
		uint64_t left = t->addresses[ids[a->first_id + i] - 1];
		uint64_t right = t->addresses[ids[b->first_id + i] - 1];

		if (left != right)
			return compare_hex(left + 1, right + 1);
	}
	return (a->nr_ids > b->nr_ids) - (a->nr_ids < b->nr_ids);
}

static int compare_entries(const void *left, const void *right, void *text)
{
	const struct shown *a = left, *b = right;
	const struct text *t = text;
	int64_t more = weight(t, b->sample), less = weight(t, a->sample);
	int diff;

	if (more != less)
		return more > less ? 1 : -1;
	diff = compare_stacks(t, a->sample, b->sample);
	return diff ? diff : strcmp(a->labels ? a->labels : "", b->labels ? b->labels : "");
}

/* Labels */

static void put_quoted(FILE *out, const char *s)
{
	size_t len = strlen(s), n;
	uint32_t rune;

	fputc('"', out);
	for (; *s; s += n, len -= n) {
		n = utf8_next(s, len, &rune);
		if (rune == '\\')
			fputs("\\\\", out);
		else if (utf8_is_control(rune))
			fprintf(out, "\\u%04x", rune);
		else
			fwrite(s, 1, n, out);
	}
	fputc('"', out);
}

/* The quote behind a key takes part, as it does where Go sorts what it shows. */
static int compare_labels(const void *left, const void *right, void *text)
{
	const struct profile_data_label *a = left, *b = right;
	const unsigned char *x = (const unsigned char *)string(text, a->key);
	const unsigned char *y = (const unsigned char *)string(text, b->key);

	for (; *x && *x == *y; x++, y++)
		;
	return (*x ? *x : '"') - (*y ? *y : '"');
}

static void put_labels(struct text *t, FILE *out, const struct profile_data_sample *s)
{
	struct profile_data_label *labels = t->p->labels.items;

	labels += s->first_label;
	qsort_r(labels, s->nr_labels, sizeof(*labels), compare_labels, t);
	for (size_t i = 0; i < s->nr_labels; i++) {
		fputs(i ? ", " : "{", out);
		put_quoted(out, string(t, labels[i].key));
		fputc(':', out);
		if (labels[i].num)
			fprintf(out, "\"%" PRId64 "\"", labels[i].num);
		else
			put_quoted(out, string(t, labels[i].str));
	}
	fputc('}', out);
}

static char *show_labels(struct text *t, const struct profile_data_sample *s)
{
	char *shown = NULL;
	size_t len;
	FILE *out = open_memstream(&shown, &len);

	if (!out)
		return NULL;
	put_labels(t, out, s);
	if (!fclose(out))
		return shown;
	free(shown);
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
		t->entries[i].labels = show_labels(t, &samples[i]);
		if (!t->entries[i].labels)
			return -ENOMEM;
	}
	qsort_r(t->entries, nr, sizeof(*t->entries), compare_entries, t);
	return 0;
}

/* Stacks */

static int add_row(struct text *t, uint64_t address, const struct profile_line *line)
{
	const uint64_t *parts = tuple_map_at(t->p->functions, line->function_id - 1)->frames;
	struct row *rows = array_grow(t->rows, &t->room, t->nr_rows + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	t->rows = rows;
	rows[t->nr_rows++] = (struct row){
		.address = address,
		.name = string(t, parts[FUNCTION_NAME]),
		.offset = line->offset,
		.file = string(t, parts[FUNCTION_FILENAME]),
		.line = line->line,
	};
	return 0;
}

static int fill_rows(struct text *t, const struct profile_data_sample *s)
{
	const uint64_t *ids = (const uint64_t *)t->p->ids.items + s->first_id;
	const struct profile_line *lines = t->p->lines.items;
	int err = 0;

	t->nr_rows = 0;
	for (size_t i = 0; i < s->nr_ids; i++) {
		const struct profile_data_location *l = location_at(t, ids[i]);

		for (size_t n = 0; !err && n < l->nr_lines; n++)
			err = add_row(t, t->addresses[ids[i] - 1], &lines[l->first_line + n]);
	}
	return err;
}

static size_t name_width(const struct row *row)
{
	size_t len = strnlen(row->name, MAX_CELL_BYTES), width = 0, n;
	uint32_t rune;

	for (const char *s = row->name; len; s += n, len -= n, width++) {
		n = utf8_next(s, len, &rune);
		n = n ? n : 1;
	}
	if (row->offset != PROFILE_NO_OFFSET)
		width += snprintf(NULL, 0, "+0x%" PRIx64, row->offset);
	return width;
}

/* From a cell of this width to the next column, whose widest cell is `widest`. */
static void put_tabs(const struct text *t, size_t width, size_t widest)
{
	size_t column = (widest + 1 + TAB - 1) / TAB * TAB;

	for (size_t at = width; at < column; at += TAB)
		fputc('\t', t->out);
}

static void put_row(const struct text *t, const struct row *row, size_t widest_address,
		    size_t widest_name)
{
	fputs("#\t", t->out);
	put_tabs(t, fprintf(t->out, "0x%" PRIx64, row->address), widest_address);
	put_clean(t->out, row->name, " ");
	if (row->offset != PROFILE_NO_OFFSET)
		fprintf(t->out, "+0x%" PRIx64, row->offset);
	if (row->file[0]) {
		put_tabs(t, name_width(row), widest_name);
		put_clean(t->out, row->file, " ");
		fprintf(t->out, ":%" PRId64, row->line);
	}
	fputc('\n', t->out);
}

/*
 * A column is as wide as its widest cell; names of lines that follow each other
 * are one only while a place follows each, as Go's tabwriter has it.
 */
static size_t widest_name(const struct text *t, size_t first)
{
	size_t widest = 0, width;

	for (size_t i = first; i < t->nr_rows && t->rows[i].file[0]; i++) {
		width = name_width(&t->rows[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

static void put_rows(const struct text *t)
{
	size_t address = 0, name = 0;

	for (size_t i = 0; i < t->nr_rows; i++) {
		size_t width = snprintf(NULL, 0, "0x%" PRIx64, t->rows[i].address);

		address = width > address ? width : address;
	}
	for (size_t i = 0; i < t->nr_rows; i++) {
		if (!i || !t->rows[i - 1].file[0])
			name = widest_name(t, i);
		put_row(t, &t->rows[i], address, name);
	}
	fputc('\n', t->out);
}

/* Of lost samples the bytes alone are known: readers refuse bytes of no page. */
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

static int put_entry(struct text *t, const struct shown *e)
{
	const uint64_t *ids = (const uint64_t *)t->p->ids.items + e->sample->first_id;
	int err = fill_rows(t, e->sample);

	if (err)
		return err;
	put_values(t, e->sample->values);
	fputs(" @", t->out);
	for (size_t i = 0; i < e->sample->nr_ids; i++)
		fprintf(t->out, " 0x%" PRIx64, t->addresses[ids[i] - 1] + 1);
	fputc('\n', t->out);
	if (e->labels)
		fprintf(t->out, "# labels: %s\n", e->labels);
	put_rows(t);
	return 0;
}

/* Before and after them */

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
 * Readers leave the allocated out where they are the same as what is in use:
 * one byte is too much then. They take heap/2 for a rate of 1.
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
		fprintf(t->out, "%s profile: total %" PRId64 "\n", name, sums[0]);
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
	const char *unit = string(t, t->p->period_type.unit);

	if (t->form == TEXT_COUNT && strcmp(unit, "count"))
		fprintf(t->out, "# period: %" PRId64 " %s\n", t->p->period, unit);
	for (size_t i = 0; i < t->p->comments.nr; i++) {
		fputs("# ", t->out);
		put_clean(t->out, string(t, comments[i]), " ");
		fputc('\n', t->out);
	}
	if (t->form == TEXT_HEAP && t->pid) {
		fprintf(t->out, "\n# /proc/%d\n", t->pid);
		resource_usage_print(t->out, t->pid);
	}
}

static void put_mapping(const struct text *t, uint64_t id)
{
	const struct profile_data_mapping *m = mapping_at(t, id);
	uint64_t base = t->bases[id - 1];

	fprintf(t->out, "%" PRIx64 "-%" PRIx64 " r-xp ", base, base + (m->limit - m->start));
	put_clean(t->out, string(t, m->file), "_");
	fprintf(t->out, " (@%" PRIx64 ")%s%s\n", m->offset, m->build_id ? " " : "",
		string(t, m->build_id));
}

/* pprof calls what has no symbol after its mapping, and opens none in brackets. */
static void put_no_code(const struct text *t, uint64_t id)
{
	const struct profile_line *line = t->p->lines.items;
	const uint64_t *parts;
	const char *name;

	line += location_at(t, id)->first_line;
	parts = tuple_map_at(t->p->functions, line->function_id - 1)->frames;
	name = string(t, parts[FUNCTION_NAME]);
	fprintf(t->out, "%" PRIx64 "-%" PRIx64 " r-xp ", t->addresses[id - 1],
		t->addresses[id - 1] + PAGE_BYTES);
	fputs(name[0] == '[' ? "" : "[", t->out);
	put_clean(t->out, name, "_");
	fputs(name[0] == '[' ? "\n" : "]\n", t->out);
}

static void put_map(const struct text *t)
{
	fputs("\n--- Memory map: ---\n", t->out);
	for (uint64_t id = 1; id <= t->p->mappings.nr; id++)
		put_mapping(t, id);
	for (uint64_t id = 1; id <= t->p->locations.nr; id++)
		if (is_no_code(location_at(t, id)))
			put_no_code(t, id);
}

static int put_all(struct text *t, const char *name)
{
	int err = lay_out_mappings(t);

	lay_out_locations(t);
	if (!err)
		err = fill_entries(t);
	if (!err)
		put_head(t, name);
	for (size_t i = 0; !err && i < t->p->samples.nr; i++)
		err = put_entry(t, &t->entries[i]);
	put_comments(t);
	put_map(t);
	return err;
}

static int make(struct text *t, const char *name)
{
	int err = -ENOMEM;

	t->end = NO_CODE;
	t->bases = calloc(t->p->mappings.nr + 1, sizeof(*t->bases));
	t->addresses = calloc(t->p->locations.nr + 1, sizeof(*t->addresses));
	t->entries = calloc(t->p->samples.nr + 1, sizeof(*t->entries));
	if (t->bases && t->addresses && t->entries)
		err = put_all(t, name);
	for (size_t i = 0; t->entries && i < t->p->samples.nr; i++)
		free(t->entries[i].labels);
	free(t->bases);
	free(t->addresses);
	free(t->entries);
	free(t->rows);
	return err;
}

int legacy_text_write(struct profile *p, const char *name, enum text_form form, pid_t pid,
		      struct gzip_file *gz)
{
	struct text t = { .p = p, .form = form, .pid = pid };
	struct gzip_stream stream;
	int err, write_err;

	t.out = gzip_stream_open(&stream, gz);
	if (!t.out)
		return -ENOMEM;
	err = make(&t, name);
	write_err = gzip_stream_close(&stream, t.out);
	return err ? err : write_err;
}
