// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c
// libs: -lz -lxxhash
/*
 * Input: a profile file. If it is accepted, all indices of the model are valid. It is written and
 * read again: the second round gives equal bytes, and the first one not more than the input had.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/decode.h"
#include "pprof/decode_facts.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define MAX_BYTES	(1 << 20)

struct written {
	uint8_t *data;
	size_t len;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static struct model *decode(const uint8_t *data, size_t size, uint64_t *nr_bytes)
{
	struct profile_fault fault = { 0 };
	struct decode_facts facts = { 0 };
	struct profile_input in;
	struct model *m = NULL;

	if (profile_input_open_memory(&in, data, size, MAX_BYTES, &fault) ||
	    decode_profile(&in, &m, &facts, &fault))
		check(strstr(fault.text, ": ") && (fault.offset <= MAX_BYTES || !~fault.offset));
	profile_input_close(&in);
	*nr_bytes = facts.nr_bytes;
	return m;
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

static struct written encode(const struct model *m)
{
	struct written w = { 0 };

	check(!encode_profile(m, write_more, &w));
	return w;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct written first, second;
	uint64_t nr_bytes, nr_again;
	struct model *m = decode(data, size, &nr_bytes);

	if (!m)
		return 0;
	check_samples(m);
	check_tables(m);
	first = encode(m);
	model_free(m);
	check(first.len <= nr_bytes);
	m = decode(first.data, first.len, &nr_again);
	check(m && nr_again == first.len);
	second = encode(m);
	model_free(m);
	check(first.len == second.len && !memcmp(first.data, second.data, first.len));
	free(first.data);
	free(second.data);
	return 0;
}
