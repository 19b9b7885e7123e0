// SPDX-License-Identifier: GPL-2.0
#include "analysis/report.h"

#include <string.h>
#include <time.h>

#include "analysis/path.h"
#include "analysis/wrap.h"
#include "pprof/merge.h"
#include "pprof/model.h"

/* Sums of a set of samples. */
struct sums {
	int64_t value;
	int64_t divisor;
};

static void add(struct sums *s, const int64_t *values, uint32_t type)
{
	s->value = wrap_add(s->value, wrap_abs(values[type]));
	s->divisor = wrap_add(s->divisor, values[0]);
}

int64_t report_total(const struct model *m, uint32_t type, bool is_mean)
{
	bool has_base = strtab_find(m->strings, MERGE_BASE_LABEL, strlen(MERGE_BASE_LABEL)) >= 0;
	struct sums all = { 0 }, base = { 0 };

	for (size_t i = 0; i < m->samples.nr; i++) {
		const int64_t *values = model_values(m, i);
		uint32_t set = m->samples.items[i].label_set;

		add(&all, values, type);
		if (has_base && set && model_has_text(m, set, MERGE_BASE_LABEL, "true"))
			add(&base, values, type);
	}
	if (base.value > 0)
		all = base;
	return is_mean ? wrap_mean(all.value, all.divisor) : all.value;
}

static const char *sample_unit(const struct report *r)
{
	return model_string(r->model, r->model->sample_types.items[r->type].unit);
}

int64_t report_multiply(const struct report *r, int64_t value)
{
	return r->ratio && r->ratio != 1 ? wrap_from_double(value * r->ratio) : value;
}

struct unit_label report_label(const struct report *r, int64_t value)
{
	return unit_label(report_multiply(r, value), sample_unit(r), r->unit);
}

void report_print_value(FILE *out, const struct report *r, int64_t value, size_t width)
{
	struct unit_label label = report_label(r, value);

	unit_label_print(out, &label, width);
}

void report_print_string(FILE *out, const struct model *m, uint32_t string)
{
	fwrite(model_string(m, string), 1, strtab_len(m->strings, string), out);
}

static size_t print_line(FILE *out, const char *title, const struct model *m, uint32_t string)
{
	fputs(title, out);
	report_print_string(out, m, string);
	putc('\n', out);
	return 1;
}

/* Prints the main program: the first mapping. */
static size_t print_program(FILE *out, const struct model *m)
{
	const struct model_mapping *main = m->mappings.items;
	const char *base;
	size_t len, nr = 0;

	if (!m->mappings.nr)
		return 0;
	if (main->file) {
		base = path_base(model_string(m, main->file), strtab_len(m->strings, main->file),
				 &len);
		fputs("File: ", out);
		fwrite(base, 1, len, out);
		putc('\n', out);
		nr++;
	}
	return nr + (main->build_id ? print_line(out, "Build ID: ", m, main->build_id) : 0);
}

static size_t print_comments(FILE *out, const struct model *m)
{
	size_t nr = 0;

	for (size_t i = 0; i < m->comments.nr; i++)
		if (*model_string(m, m->comments.items[i]) != '#')
			nr += print_line(out, "", m, m->comments.items[i]);
	return nr;
}

static size_t print_time(FILE *out, int64_t time_ns)
{
	time_t seconds = time_ns / 1000000000 - (time_ns % 1000000000 < 0);
	char text[128];
	struct tm tm;

	if (!time_ns || !localtime_r(&seconds, &tm))
		return 0;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm);
	fprintf(out, "Time: %s\n", text);
	return 1;
}

static size_t print_duration(FILE *out, const struct report *r)
{
	int64_t duration = r->model->duration_ns;
	struct unit_label label = unit_label(duration, "nanoseconds", UNIT_AUTO);
	struct unit_value total = unit_scale(r->total, sample_unit(r), "nanoseconds");

	if (!duration)
		return 0;
	fputs("Duration: ", out);
	unit_label_print(out, &label, 0);
	fputs(", Total samples = ", out);
	report_print_value(out, r, r->total, 0);
	putc(' ', out);
	if (!strcmp(total.unit, "ns") && total.number != 0)
		fprintf(out, "(%s)",
			unit_percentage(wrap_from_double(total.number), duration).text);
	putc('\n', out);
	return 1;
}

size_t report_print_head(FILE *out, const struct report *r)
{
	const struct model *m = r->model;
	uint32_t type = m->sample_types.items[r->type].type;
	size_t nr = print_program(out, m);

	nr += print_comments(out, m);
	if (type)
		nr += print_line(out, r->is_mean ? "Type: mean_" : "Type: ", m, type);
	if (m->doc_url)
		nr += print_line(out, "Doc: ", m, m->doc_url);
	nr += print_time(out, m->time_ns);
	return nr + print_duration(out, r);
}
