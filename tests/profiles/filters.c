// SPDX-License-Identifier: GPL-2.0
// sources: collector/analysis/filter.c collector/analysis/label_filter.c
// sources: collector/analysis/label_units.c collector/analysis/matcher.c
// sources: collector/analysis/name_filter.c collector/analysis/prune.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/analysis/re2_syntax.c collector/analysis/regex.c
// sources: collector/analysis/stack_edit.c collector/analysis/tag_filter.c
// sources: collector/analysis/tag_frames.c collector/analysis/unit.c collector/base/span_set.c
// sources: collector/base/string_table.c collector/base/tuple_map.c collector/base/utf8.c
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c
// sources: collector/pprof/profile_input.c collector/pprof/value_unit.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// libs: -lz -lisal -lxxhash -lpcre2-8 -lm
/*
 * Filters profiles for filters.go. It reads cases from standard input: the expressions in the order
 * of enum filter_kind, then the profile. Each of them is a length (32 bits, little endian) and that
 * many bytes. The answer on standard output is one text in the same form: the filtered samples, or
 * "error ...".
 */
#include <errno.h>
#include <error.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/filter.h"
#include "pprof/decode.h"
#include "pprof/model.h"
#include "pprof/profile_input.h"

/* Reads one string, with a NUL after it. Returns NULL at the end of the input. */
static char *read_string(uint32_t *len)
{
	char *s;

	if (!fread(len, sizeof(*len), 1, stdin))
		return NULL;
	s = malloc(*len + 1);
	if (!s || fread(s, 1, *len, stdin) != *len)
		error(2, errno, "cannot read a case");
	s[*len] = '\0';
	return s;
}

static void print_string(FILE *out, const struct model *m, uint32_t string)
{
	size_t len = strtab_len(m->strings, string);

	fprintf(out, " %zu:", len);
	fwrite(model_string(m, string), 1, len, out);
}

static void print_location(FILE *out, const struct model *m, const struct model_location *l)
{
	const struct model_line *lines = model_lines(m, l);

	fprintf(out, " @%" PRIx64, l->address);
	if (l->mapping != MODEL_NONE)
		print_string(out, m, m->mappings.items[l->mapping].file);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		print_string(out, m, m->functions.items[lines[i].function].name);
		print_string(out, m, m->functions.items[lines[i].function].file);
		fprintf(out, " %" PRId64 "\n", lines[i].line);
	}
}

static void print_label(FILE *out, const struct model *m, const struct model_label *label)
{
	print_string(out, m, label->key);
	if (label->is_number) {
		fprintf(out, " = %" PRId64, label->num);
		print_string(out, m, label->unit);
	} else {
		print_string(out, m, label->str);
	}
}

static void print_samples(FILE *out, const struct model *m)
{
	for (size_t i = 0; i < m->samples.nr; i++) {
		const struct model_sample *sample = &m->samples.items[i];
		uint32_t nr_labels, nr;
		const struct model_label *labels = model_labels(m, sample->label_set, &nr_labels);
		const uint32_t *locations = model_stack(m, sample->stack, &nr);

		fprintf(out, "sample");
		for (size_t j = 0; j < m->sample_types.nr; j++)
			fprintf(out, " %" PRId64, model_values(m, i)[j]);
		for (uint32_t j = 0; j < nr_labels; j++)
			print_label(out, m, &labels[j]);
		fputc('\n', out);
		for (uint32_t j = 0; j < nr; j++)
			print_location(out, m, &m->locations.items[locations[j]]);
	}
}

static void print_names(FILE *out, const char *what, uint32_t kinds)
{
	for (enum filter_kind kind = 0; kind < FILTER_NR_KINDS; kind++)
		if (kinds & 1U << kind)
			fprintf(out, "%s %s\n", what, filter_name(kind));
}

static int apply(FILE *out, const struct filter_settings *settings, struct model *m,
		 struct profile_fault *fault)
{
	struct filter_result result;
	struct filter *filter;
	int err = filter_new(&filter, settings, fault);

	if (!err)
		err = filter_apply(filter, m, &result, fault);
	if (!err) {
		/* pprof has no message for prune_from. */
		print_names(out, "unmatched", result.unmatched & ~(1U << FILTER_PRUNE_FROM));
		print_names(out, "range", filter_ranges(filter));
		print_samples(out, m);
	}
	filter_free(filter);
	return err;
}

static void answer(FILE *out, const struct filter_settings *settings, const char *data, size_t len)
{
	struct profile_fault fault = {};
	struct profile_input in;
	struct model *m = NULL;
	int err = profile_input_open_memory(&in, data, len, PROFILE_INPUT_MAX_BYTES, &fault);

	if (!err)
		err = decode_profile(&in, &m, NULL, &fault);
	profile_input_close(&in);
	if (!err)
		err = apply(out, settings, m, &fault);
	model_free(m);
	if (err)
		fprintf(out, "error %s", fault.text);
}

static void send(const char *s, uint32_t len)
{
	fwrite(&len, sizeof(len), 1, stdout);
	fwrite(s, 1, len, stdout);
	if (fflush(stdout))
		error(2, errno, "cannot write an answer");
}

/* Returns: whether there was a case. */
static bool take_case(void)
{
	struct filter_settings settings = {};
	char *strings[FILTER_NR_KINDS + 1] = {}, *text;
	uint32_t len = 0;
	size_t size;
	FILE *out;

	for (int i = 0; i <= FILTER_NR_KINDS; i++) {
		strings[i] = read_string(&len);
		if (!strings[i])
			return false;
		if (i < FILTER_NR_KINDS)
			settings.expressions[i] = strings[i];
	}
	out = open_memstream(&text, &size);
	if (!out)
		error(2, errno, "cannot answer");
	answer(out, &settings, strings[FILTER_NR_KINDS], len);
	fclose(out);
	send(text, size);
	free(text);
	for (int i = 0; i <= FILTER_NR_KINDS; i++)
		free(strings[i]);
	return true;
}

int main(void)
{
	while (take_case())
		;
	return 0;
}
