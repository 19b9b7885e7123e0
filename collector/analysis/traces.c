// SPDX-License-Identifier: GPL-2.0
#include "analysis/traces.h"

#include <errno.h>

#include "analysis/frame_table.h"
#include "analysis/label_groups.h"
#include "analysis/label_units.h"
#include "analysis/report.h"
#include "analysis/wrap.h"
#include "base/utf8.h"
#include "pprof/model.h"

#define SEPARATOR	"-----------+-------------------------------------------------------\n"
#define VALUE_WIDTH	10

static void print_key(FILE *out, const struct model *m, uint32_t key)
{
	size_t width = utf8_width(model_string(m, key), strtab_len(m->strings, key));

	for (; width < VALUE_WIDTH; width++)
		putc(' ', out);
	report_print_string(out, m, key);
	fputs(": ", out);
}

static void print_texts(FILE *out, const struct model *m, const struct model_label *labels,
			uint32_t nr, const void *ctx)
{
	(void)ctx;
	print_key(out, m, labels->key);
	for (uint32_t i = 0; i < nr; i++) {
		putc(' ', out);
		report_print_string(out, m, labels[i].str);
	}
	putc('\n', out);
}

static void print_numbers(FILE *out, const struct model *m, const struct model_label *labels,
			  uint32_t nr, const void *ctx)
{
	const char *unit = label_units_get(ctx, m, labels->key);

	print_key(out, m, labels->key);
	for (uint32_t i = 0; i < nr; i++) {
		struct unit_label label = unit_label(labels[i].num, unit, UNIT_AUTO);

		putc(' ', out);
		unit_label_print(out, &label, 0);
	}
	putc('\n', out);
}

static int print_labels(FILE *out, const struct model *m, uint32_t label_set,
			const struct label_units *units)
{
	static const struct label_printer texts = { .print = print_texts, .separator = "" };
	struct label_printer numbers = { .print = print_numbers, .ctx = units, .separator = "" };
	uint32_t nr, nr_texts;
	const struct model_label *labels = model_labels(m, label_set, &nr);

	nr_texts = label_groups_nr_texts(labels, nr);
	return label_groups_print(out, m, labels, nr_texts, &texts) ?:
	       label_groups_print(out, m, labels + nr_texts, nr - nr_texts, &numbers);
}

/* Prints the functions at a location. Only the first line of a stack has the value. */
static int print_location(FILE *out, struct frame_table *t, uint32_t location,
			  const struct unit_label *value)
{
	static const struct unit_label none = { .unit = "" };
	uint32_t nr;
	const uint32_t *frames = frame_table_at(t, location, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		const struct frame_text *text = frame_table_text(t, frames[i]);

		if (!text)
			return -ENOMEM;
		unit_label_print(out, i || !value ? &none : value, VALUE_WIDTH);
		fputs("   ", out);
		fwrite(text->bytes, 1, text->len, out);
		fputs(i + 1 < nr ? " (inline)\n" : "\n", out);
	}
	return 0;
}

static int print_sample(FILE *out, const struct report *r, struct frame_table *t, size_t sample,
			const struct label_units *units)
{
	const struct model *m = r->model;
	const struct model_sample *s = &m->samples.items[sample];
	const int64_t *values = model_values(m, sample);
	int64_t divisor = r->is_mean ? values[0] : 0;
	struct unit_label value = report_label(r, wrap_mean(values[r->type], divisor));
	uint32_t nr;
	const uint32_t *stack = model_stack(m, s->stack, &nr);
	int err;

	if (!nr)
		return 0;
	fputs(SEPARATOR, out);
	err = print_labels(out, m, s->label_set, units);
	for (uint32_t i = 0; !err && i < nr; i++)
		err = print_location(out, t, stack[i], i ? NULL : &value);
	return err;
}

int traces_print(FILE *out, const struct report *r, const struct label_units *units)
{
	struct frame_table t;
	int err = frame_table_init(&t, r->model, NULL);

	if (!err && !report_print_head(out, r))
		putc('\n', out);
	for (size_t i = 0; !err && i < r->model->samples.nr; i++)
		err = print_sample(out, r, &t, i, units);
	if (!err)
		fputs(SEPARATOR, out);
	frame_table_fini(&t);
	return err;
}
