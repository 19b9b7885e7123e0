/* SPDX-License-Identifier: GPL-2.0 */
/* Checks a model that was read from a fuzzed file, and writes it into memory. */
#ifndef TESTS_FUZZ_MODEL_H
#define TESTS_FUZZ_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/encode.h"
#include "pprof/model.h"

struct written {
	uint8_t *data;
	size_t len;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

static int write_more(void *ctx, const void *data, size_t len)
{
	struct written *w = ctx;

	w->data = realloc(w->data, w->len + len);
	check(w->data);
	memcpy(w->data + w->len, data, len);
	w->len += len;
	return 0;
}

static void check_labels(const struct model *m, uint32_t set)
{
	const struct model_label *labels;
	uint32_t nr, nr_strings = strtab_nr(m->strings);

	check(set < m->label_sets.nr);
	labels = model_labels(m, set, &nr);
	for (uint32_t i = 0; i < nr; i++) {
		check(labels[i].key < nr_strings && labels[i].str < nr_strings);
		check(labels[i].unit < nr_strings && labels[i].is_number <= 1);
		check(!i || labels[i].is_number >= labels[i - 1].is_number);
	}
}

static void check_samples(const struct model *m)
{
	const uint32_t *locations;
	uint32_t nr;

	check(m->values.nr == m->samples.nr * m->sample_types.nr);
	for (size_t i = 0; i < m->samples.nr; i++) {
		check(m->samples.items[i].stack < m->stacks.nr);
		locations = model_stack(m, m->samples.items[i].stack, &nr);
		for (uint32_t j = 0; j < nr; j++)
			check(locations[j] < m->locations.nr);
		check_labels(m, m->samples.items[i].label_set);
	}
}

static void check_tables(const struct model *m)
{
	uint32_t nr_strings = strtab_nr(m->strings);

	for (size_t i = 0; i < m->locations.nr; i++) {
		const struct model_location *l = &m->locations.items[i];

		check(l->mapping == MODEL_NONE || l->mapping < m->mappings.nr);
		check(l->first_line + l->nr_lines <= m->lines.nr);
	}
	for (size_t i = 0; i < m->lines.nr; i++)
		check(m->lines.items[i].function < m->functions.nr);
	for (size_t i = 0; i < m->functions.nr; i++)
		check(m->functions.items[i].name < nr_strings);
	for (size_t i = 0; i < m->mappings.nr; i++)
		check(m->mappings.items[i].file < nr_strings);
	for (size_t i = 0; i < m->comments.nr; i++)
		check(m->comments.items[i] < nr_strings);
}

/* Writes profile.proto. The caller frees the data. */
static struct written encode(const struct model *m)
{
	struct written w = { 0 };

	check(!encode_profile(m, write_more, &w));
	return w;
}

#endif /* TESTS_FUZZ_MODEL_H */
