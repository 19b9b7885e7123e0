// SPDX-License-Identifier: GPL-2.0
#include "analysis/raw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/label_groups.h"
#include "analysis/report.h"
#include "base/utf8.h"
#include "pprof/model.h"

#define NS_PER_SECOND		1000000000
/* pprof prints only the first characters of a duration. */
#define DURATION_CHARACTERS	4

static void put(FILE *out, const struct model *m, uint32_t string)
{
	report_print_string(out, m, string);
}

/* Prints ".5" for 500 of 1000: a fraction without zeroes at its end. */
static void put_fraction(FILE *out, uint64_t fraction, uint64_t one)
{
	if (fraction)
		putc('.', out);
	for (; fraction; fraction = fraction * 10 % one)
		putc('0' + fraction * 10 / one, out);
}

static void print_time(FILE *out, int64_t time_ns)
{
	int64_t ns = (time_ns % NS_PER_SECOND + NS_PER_SECOND) % NS_PER_SECOND;
	time_t seconds = time_ns / NS_PER_SECOND - (time_ns % NS_PER_SECOND < 0);
	char date[64], zone[64];
	struct tm tm;

	if (!time_ns || !localtime_r(&seconds, &tm))
		return;
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	strftime(zone, sizeof(zone), " %z %Z", &tm);
	fprintf(out, "Time: %s", date);
	put_fraction(out, ns, NS_PER_SECOND);
	fprintf(out, "%s\n", zone);
}

/* As Go prints a time.Duration. */
static void put_duration(FILE *out, int64_t duration)
{
	uint64_t ns = duration < 0 ? 0 - (uint64_t)duration : (uint64_t)duration;
	uint64_t seconds = ns / NS_PER_SECOND, one = 1;
	const char *unit = "ns";

	if (duration < 0)
		putc('-', out);
	if (ns >= NS_PER_SECOND) {
		if (seconds >= 3600)
			fprintf(out, "%" PRIu64 "h", seconds / 3600);
		if (seconds >= 60)
			fprintf(out, "%" PRIu64 "m", seconds / 60 % 60);
		ns = seconds % 60 * NS_PER_SECOND + ns % NS_PER_SECOND;
		one = NS_PER_SECOND;
		unit = "s";
	} else if (ns >= 1000) {
		one = ns < 1000000 ? 1000 : 1000000;
		unit = ns < 1000000 ? "µs" : "ms";
	}
	fprintf(out, "%" PRIu64, ns / one);
	put_fraction(out, ns % one, one);
	fputs(unit, out);
}

static int print_duration(FILE *out, int64_t duration)
{
	size_t len = 0, cut = 0;
	char *text = NULL;
	FILE *memory;
	uint32_t rune;

	if (!duration)
		return 0;
	memory = open_memstream(&text, &len);
	if (!memory)
		return -ENOMEM;
	put_duration(memory, duration);
	if (fclose(memory)) {
		free(text);
		return -ENOMEM;
	}
	for (int i = 0; i < DURATION_CHARACTERS; i++)
		cut += utf8_next(text + cut, len - cut, &rune);
	fprintf(out, "Duration: %.*s\n", (int)cut, text);
	free(text);
	return 0;
}

static int print_header(FILE *out, const struct model *m)
{
	for (size_t i = 0; i < m->comments.nr; i++) {
		fputs("Comment: ", out);
		put(out, m, m->comments.items[i]);
		putc('\n', out);
	}
	if (m->doc_url) {
		fputs("Doc: ", out);
		put(out, m, m->doc_url);
		putc('\n', out);
	}
	fputs("PeriodType: ", out);
	put(out, m, m->period_type.type);
	putc(' ', out);
	put(out, m, m->period_type.unit);
	fprintf(out, "\nPeriod: %" PRId64 "\n", m->period);
	print_time(out, m->time_ns);
	return print_duration(out, m->duration_ns);
}

static void print_types(FILE *out, const struct model *m)
{
	for (size_t i = 0; i < m->sample_types.nr; i++) {
		const struct model_value_type *type = &m->sample_types.items[i];

		if (i)
			putc(' ', out);
		put(out, m, type->type);
		putc('/', out);
		put(out, m, type->unit);
		if (type->type == m->default_sample_type)
			fputs("[dflt]", out);
	}
	putc('\n', out);
}

static void print_texts(FILE *out, const struct model *m, const struct model_label *labels,
			uint32_t nr, const void *ctx)
{
	(void)ctx;
	put(out, m, labels->key);
	for (uint32_t i = 0; i < nr; i++) {
		fputs(i ? " " : ":[", out);
		put(out, m, labels[i].str);
	}
	putc(']', out);
}

/* If one number of a key has a unit, a blank and the unit follow each of them. */
static void print_numbers(FILE *out, const struct model *m, const struct model_label *labels,
			  uint32_t nr, const void *ctx)
{
	bool has_unit = false;

	(void)ctx;
	for (uint32_t i = 0; i < nr; i++)
		has_unit |= labels[i].unit != 0;
	put(out, m, labels->key);
	for (uint32_t i = 0; i < nr; i++) {
		fprintf(out, "%s%" PRId64 "%s", i ? " " : ":[", labels[i].num,
			has_unit ? " " : "");
		put(out, m, labels[i].unit);
	}
	putc(']', out);
}

static int print_label_line(FILE *out, const struct model *m, const struct model_label *labels,
			    uint32_t nr, const struct label_printer *printer)
{
	int err;

	if (!nr)
		return 0;
	fputs("                ", out);
	err = label_groups_print(out, m, labels, nr, printer);
	putc('\n', out);
	return err;
}

static int print_labels(FILE *out, const struct model *m, uint32_t label_set)
{
	static const struct label_printer texts = { .print = print_texts, .separator = " " };
	static const struct label_printer numbers = { .print = print_numbers, .separator = " " };
	uint32_t nr, nr_texts;
	const struct model_label *labels = model_labels(m, label_set, &nr);

	nr_texts = label_groups_nr_texts(labels, nr);
	return print_label_line(out, m, labels, nr_texts, &texts) ?:
	       print_label_line(out, m, labels + nr_texts, nr - nr_texts, &numbers);
}

/* Locations that were added after the file was read get the numbers after the largest id. */
static uint64_t location_id(const struct model *m, uint64_t max_id, size_t location)
{
	return location < m->location_ids.nr ? m->location_ids.items[location] :
					       max_id + (location - m->location_ids.nr) + 1;
}

static uint64_t mapping_id(const struct model *m, size_t mapping)
{
	return mapping < m->mapping_ids.nr ? m->mapping_ids.items[mapping] : mapping + 1;
}

static uint64_t max_location_id(const struct model *m)
{
	uint64_t max = 0;

	for (size_t i = 0; i < m->location_ids.nr; i++)
		if (m->location_ids.items[i] > max)
			max = m->location_ids.items[i];
	return max;
}

static int print_sample(FILE *out, const struct model *m, size_t sample, uint64_t max_id)
{
	const struct model_sample *s = &m->samples.items[sample];
	const int64_t *values = model_values(m, sample);
	uint32_t nr;
	const uint32_t *stack = model_stack(m, s->stack, &nr);

	for (size_t i = 0; i < m->sample_types.nr; i++)
		fprintf(out, " %10" PRId64, values[i]);
	fputs(": ", out);
	for (uint32_t i = 0; i < nr; i++)
		fprintf(out, "%" PRIu64 " ", location_id(m, max_id, stack[i]));
	putc('\n', out);
	return print_labels(out, m, s->label_set);
}

static void print_line(FILE *out, const struct model *m, const struct model_line *line)
{
	const struct model_function *f = &m->functions.items[line->function];

	put(out, m, f->name);
	putc(' ', out);
	put(out, m, f->file);
	fprintf(out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, line->line, line->column,
		f->start_line);
	if (f->name != f->system_name) {
		putc('(', out);
		put(out, m, f->system_name);
		putc(')', out);
	}
}

static void print_location(FILE *out, const struct model *m, size_t location, uint64_t id)
{
	const struct model_location *l = &m->locations.items[location];
	const struct model_line *lines = model_lines(m, l);

	fprintf(out, "%6" PRIu64 ": 0x%" PRIx64 " ", id, l->address);
	if (!m->mappings.nr && !l->is_label)
		fputs("M=1 ", out);
	else if (l->mapping != MODEL_NONE)
		fprintf(out, "M=%" PRIu64 " ", mapping_id(m, l->mapping));
	if (l->is_folded)
		fputs("[F] ", out);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		if (i)
			fputs("\n             ", out);
		print_line(out, m, &lines[i]);
	}
	putc('\n', out);
}

static void print_mapping(FILE *out, const struct model *m, const struct model_mapping *mapping,
			  uint64_t id)
{
	fprintf(out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", id, mapping->start,
		mapping->limit, mapping->offset);
	put(out, m, mapping->file);
	putc(' ', out);
	put(out, m, mapping->build_id);
	fprintf(out, " %s%s%s%s\n", mapping->flags & PROFILE_HAS_FUNCTIONS ? "[FN]" : "",
		mapping->flags & PROFILE_HAS_FILENAMES ? "[FL]" : "",
		mapping->flags & PROFILE_HAS_LINE_NUMBERS ? "[LN]" : "",
		mapping->flags & PROFILE_HAS_INLINE_FRAMES ? "[IN]" : "");
}

int raw_print(FILE *out, const struct model *m)
{
	static const struct model_mapping none = { 0 };
	uint64_t max_id = max_location_id(m);
	int err = print_header(out, m);

	fputs("Samples:\n", out);
	print_types(out, m);
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		err = print_sample(out, m, i, max_id);
	fputs("Locations\n", out);
	for (size_t i = 0; i < m->locations.nr; i++)
		print_location(out, m, i, location_id(m, max_id, i));
	fputs("Mappings\n", out);
	for (size_t i = 0; i < m->mappings.nr; i++)
		print_mapping(out, m, &m->mappings.items[i], mapping_id(m, i));
	if (!m->mappings.nr)
		print_mapping(out, m, &none, 1);
	return err;
}
