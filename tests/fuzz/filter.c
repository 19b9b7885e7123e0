// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/re2_syntax.c collector/analysis/regex.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/value_unit.c
// libs: -lpcre2-8 -lxxhash -lm
/*
 * Input: the expressions in the order of enum filter_kind, each with a newline after it, then
 * drop_frames and keep_frames in the same way. The rest is text for names and labels of a small
 * profile. Expressions are accepted or refused with a sentence. The model stays consistent, and
 * gets neither more samples nor other values.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/filter.h"
#include "pprof/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const char *s;
	size_t len;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint32_t index_of(int64_t index)
{
	check(index >= 0);
	return index;
}

/* Returns the next line, without its newline. */
static struct bytes take_line(struct bytes *input)
{
	const char *newline = memchr(input->s, '\n', input->len);
	struct bytes line = { .s = input->s, .len = newline ? newline - input->s : input->len };
	size_t taken = line.len + !!newline;

	input->s += taken;
	input->len -= taken;
	return line;
}

static uint32_t add_string(struct model *m, struct bytes text)
{
	return index_of(model_add_string(m, text.s, text.len));
}

/* A part of the text, as a string of the model. */
static uint32_t add_part(struct model *m, struct bytes text, size_t part)
{
	size_t at = text.len * part / 5;

	return add_string(m, (struct bytes){ .s = text.s + at, .len = text.len / 2 - at / 2 });
}

static void add_types(struct model *m)
{
	struct model_value_type type = { add_string(m, (struct bytes){ "n", 1 }),
					 add_string(m, (struct bytes){ "count", 5 }) };

	check(!model_add_sample_type(m, &type));
}

static void add_locations(struct model *m, struct bytes text)
{
	struct model_mapping mapping = { .limit = 4096, .file = add_part(m, text, 4) };
	struct model_line lines[4] = {};

	index_of(model_add_mapping(m, &mapping));
	for (size_t i = 0; i < 4; i++) {
		struct model_function f = { .name = add_part(m, text, i),
					    .file = add_part(m, text, i + 1) };

		lines[i].function = index_of(model_add_function(m, &f));
	}
	for (uint32_t i = 0; i < 5; i++) {
		struct model_location location = { .address = i };

		location.mapping = i % 2 ? 0 : MODEL_NONE;
		index_of(model_add_location(m, &location, lines + i % 3, i % 3));
	}
}

/* Sample i has the value i + 1. */
static void add_samples(struct model *m, struct bytes text)
{
	static const uint32_t locations[] = { 0, 1, 2, 3, 4, 2, 1, 0 };
	struct model_label labels[4] = {};

	for (size_t i = 0; i < 4; i++) {
		labels[i].key = add_part(m, text, i);
		labels[i].is_number = i % 2;
		labels[i].str = i % 2 ? 0 : add_part(m, text, i + 1);
		labels[i].unit = i % 2 ? add_part(m, text, 3) : 0;
		labels[i].num = i % 2 ? (uint64_t)text.len << (20 * i) : 0;
	}
	for (int64_t i = 0; i < 7; i++) {
		struct model_sample sample = {
			.stack = index_of(model_add_stack(m, locations + i % 4, i)),
			.label_set = index_of(model_add_label_set(m, labels + i % 3, i % 3)),
		};
		int64_t value = i + 1;

		check(!model_add_sample(m, &sample, &value));
	}
}

static struct model *make(struct bytes drop, struct bytes keep, struct bytes text)
{
	struct model *m = model_new();

	check(m);
	add_types(m);
	add_locations(m, text);
	add_samples(m, text);
	m->drop_frames = add_string(m, drop);
	m->keep_frames = add_string(m, keep);
	return m;
}

static void check_labels(const struct model *m, uint32_t set)
{
	uint32_t nr;
	const struct model_label *labels = model_labels(m, set, &nr);

	for (uint32_t i = 0; i < nr; i++)
		check(labels[i].key < strtab_nr(m->strings));
}

static void check_model(const struct model *m)
{
	int64_t last = 0;

	for (size_t i = 0; i < m->samples.nr; i++) {
		const struct model_sample *sample = &m->samples.items[i];
		uint32_t nr;
		const uint32_t *stack;

		check(sample->stack < m->stacks.nr && sample->label_set < m->label_sets.nr);
		stack = model_stack(m, sample->stack, &nr);
		for (uint32_t j = 0; j < nr; j++)
			check(stack[j] < m->locations.nr);
		check_labels(m, sample->label_set);
		check(*model_values(m, i) > last);
		last = *model_values(m, i);
	}
	check(last <= 7);
	for (size_t i = 0; i < m->locations.nr; i++)
		check(m->locations.items[i].first_line + m->locations.items[i].nr_lines <=
		      m->lines.nr);
}

static void check_fault(int err, const struct profile_fault *fault)
{
	check(err == -EBADMSG || err == -ETIME);
	check(strstr(fault->text, ": ") && strlen(fault->text) < sizeof(fault->text) - 1);
}

static void apply(const struct filter_settings *settings, struct model *m)
{
	struct profile_fault fault = {};
	struct filter_result result;
	struct filter *filter;
	int err = filter_new(&filter, settings, &fault);

	if (!err) {
		err = filter_apply(filter, m, &result, &fault);
		if (!err)
			check_model(m);
	}
	if (err)
		check_fault(err, &fault);
	filter_free(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes input = { .s = (const char *)data, .len = size }, drop, keep;
	struct filter_settings settings = {};
	char *expressions[FILTER_NR_KINDS];
	struct model *m;

	for (int i = 0; i < FILTER_NR_KINDS; i++) {
		struct bytes line = take_line(&input);

		expressions[i] = strndup(line.s, line.len);
		settings.expressions[i] = expressions[i];
	}
	drop = take_line(&input);
	keep = take_line(&input);
	m = make(drop, keep, input);
	apply(&settings, m);
	model_free(m);
	for (int i = 0; i < FILTER_NR_KINDS; i++)
		free(expressions[i]);
	return 0;
}
