/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a profile from a text, and shows it as a text. Include it after cmocka.h. */
#ifndef TESTS_READ_TEXT_H
#define TESTS_READ_TEXT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/line_reader.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define MAX_INPUT_BYTES	((uint64_t)16 << 20)

typedef int read_format(struct line_reader *lines, struct model *m);

static struct profile_fault fault;

/* Returns the profile, or NULL with the fault. */
static struct model *read_bytes(read_format *read, const void *data, size_t len)
{
	struct model *m = model_new();
	struct profile_input in;
	struct line_reader lines = { .in = &in, .fault = &fault };
	int err;

	assert_non_null(m);
	memset(&fault, 0, sizeof(fault));
	assert_int_equal(profile_input_open_memory(&in, data, len, MAX_INPUT_BYTES, &fault), 0);
	err = read(&lines, m);
	profile_input_close(&in);
	if (!err) {
		assert_string_equal(fault.text, "");
		return m;
	}
	assert_true(err < 0);
	model_free(m);
	return NULL;
}

static __attribute__((unused)) struct model *read_text(read_format *read, const char *text)
{
	struct model *m = read_bytes(read, text, strlen(text));

	if (!m)
		fail_msg("%s", fault.text);
	return m;
}

static __attribute__((unused)) void assert_fault(read_format *read, const char *text,
						 const char *want)
{
	assert_null(read_bytes(read, text, strlen(text)));
	if (!strstr(fault.text, want))
		fail_msg("\"%s\" instead of \"%s\"", fault.text, want);
}

static void show_location(FILE *out, const struct model *m, uint32_t index)
{
	const struct model_location *l = &m->locations.items[index];
	const struct model_line *lines = model_lines(m, l);

	fputc(' ', out);
	if (l->address)
		fprintf(out, "0x%" PRIx64, l->address);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct model_function *f = &m->functions.items[lines[i].function];

		fprintf(out, "%s%s", i ? "," : l->address ? "=" : "", model_string(m, f->name));
		if (f->file)
			fprintf(out, "(%s:%" PRId64 ")", model_string(m, f->file), lines[i].line);
	}
	if (l->mapping != MODEL_NONE)
		fprintf(out, "|%s", model_string(m, m->mappings.items[l->mapping].file));
}

static void show_sample(FILE *out, const struct model *m, size_t sample)
{
	const int64_t *values = model_values(m, sample);
	const struct model_label *labels;
	const uint32_t *stack;
	uint32_t nr;

	for (size_t i = 0; i < m->sample_types.nr; i++)
		fprintf(out, "%" PRId64 " ", values[i]);
	fputs("@", out);
	stack = model_stack(m, m->samples.items[sample].stack, &nr);
	for (uint32_t i = 0; i < nr; i++)
		show_location(out, m, stack[i]);
	labels = model_labels(m, m->samples.items[sample].label_set, &nr);
	for (uint32_t i = 0; i < nr; i++) {
		fprintf(out, " {%s=", model_string(m, labels[i].key));
		if (labels[i].is_number)
			fprintf(out, "%" PRId64 "}", labels[i].num);
		else
			fprintf(out, "\"%s\"}", model_string(m, labels[i].str));
	}
	fputc('\n', out);
}

/*
 * Shows the types and the samples. A location is ADDRESS=FUNCTION,FUNCTION|FILE, without the parts
 * that it lacks. The caller frees the text.
 */
static char *show(const struct model *m)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	for (size_t i = 0; i < m->sample_types.nr; i++)
		fprintf(out, "%s/%s ", model_string(m, m->sample_types.items[i].type),
			model_string(m, m->sample_types.items[i].unit));
	fprintf(out, "period %" PRId64 "\n", m->period);
	for (size_t i = 0; i < m->samples.nr; i++)
		show_sample(out, m, i);
	fclose(out);
	return text;
}

/* Compares what show() prints, and frees the model. */
static __attribute__((unused)) void assert_profile(struct model *m, const char *want)
{
	char *text = show(m);

	assert_string_equal(text, want);
	free(text);
	model_free(m);
}

#endif /* TESTS_READ_TEXT_H */
