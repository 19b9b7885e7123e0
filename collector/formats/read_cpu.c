// SPDX-License-Identifier: GPL-2.0
#include "formats/read_cpu.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "formats/address_profile.h"
#include "formats/java_names.h"
#include "formats/line_reader.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

/* A program may have up to two frames of the profiler's signal handler above the leaf. */
#define MAX_HANDLER_FRAMES	2
/* A frame that all samples have above the leaf, but one in so many, is one of the handler. */
#define SAMPLES_PER_EXCEPTION	32

#define NR_HEAD_WORDS		5

struct word_form {
	size_t size;			/* in bytes */
	bool is_big_endian;
};

/* Tried in this order, as in Go's pprof. */
static const struct word_form forms[] = { { 4, false }, { 4, true }, { 8, false }, { 8, true } };

struct cpu_reader {
	struct address_profile p;
	struct profile_input *in;
	struct word_form form;
	bool is_java;
};

static uint64_t word_at(const struct word_form *form, const uint8_t *at)
{
	uint64_t word = 0;

	for (size_t i = 0; i < form->size; i++)
		word = word << 8 | at[form->is_big_endian ? i : form->size - 1 - i];
	return word;
}

/* Returns: whether the bytes begin with a head. Then it sets the other arguments. */
static bool parse_head(const uint8_t *at, size_t len, struct word_form *form, bool *is_java,
		       uint64_t *period_us)
{
	uint64_t words[NR_HEAD_WORDS];

	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		if (len < NR_HEAD_WORDS * forms[f].size)
			continue;
		for (size_t i = 0; i < NR_HEAD_WORDS; i++)
			words[i] = word_at(&forms[f], at + i * forms[f].size);
		if (words[0] || words[1] != 3 || words[2] > 1 || !words[3] || words[4])
			continue;
		*form = forms[f];
		*is_java = words[2];
		*period_us = words[3];
		return true;
	}
	return false;
}

bool read_cpu_claims(struct text_cursor head)
{
	struct word_form form;
	uint64_t period_us;
	bool is_java;

	return parse_head((const uint8_t *)head.at, text_left(&head), &form, &is_java, &period_us);
}

static int fault(struct cpu_reader *r, const char *expected)
{
	return profile_fault_set(r->p.lines->fault, profile_input_offset(r->in, r->in->at),
				 "expected %s: get the file again", expected);
}

/* Returns: 1; 0 at the end of the data; or a negative errno. */
static int next_word(struct cpu_reader *r, uint64_t *out)
{
	size_t left = r->in->end - r->in->at, size = r->form.size;
	int err = left < size ? profile_input_fill(r->in, size) : 0;

	if (err || r->in->at == r->in->end)
		return err;
	if ((size_t)(r->in->end - r->in->at) < size)
		return fault(r, "a whole word, found the end of the file");
	*out = word_at(&r->form, r->in->at);
	r->in->at += size;
	return 1;
}

static int need_word(struct cpu_reader *r, uint64_t *out)
{
	int ret = next_word(r, out);

	return ret > 0 ? 0 : ret ? ret : fault(r, "the rest of a stack, found the end of the file");
}

/*
 * A call is before its return address, so 1 is subtracted, except from the leaf. Addresses of Java
 * are the numbers of names. is_end: it is no stack if its only address is 0.
 * Returns: 1; 0 if it is no stack; or a negative errno.
 */
static int take_stack(struct cpu_reader *r, uint64_t nr, bool is_end)
{
	uint64_t address;
	int err = 0;

	for (uint64_t i = 0; !err && i < nr; i++) {
		err = need_word(r, &address);
		if (!err && is_end && !address)
			return 0;
		if (!err)
			err = address_profile_push(&r->p, address - (i && !r->is_java));
	}
	return err ? err : 1;
}

/* Returns: 1 if there may be more samples, 0 after the last one, or a negative errno. */
static int take_sample(struct cpu_reader *r)
{
	uint64_t count, nr;
	int64_t values[2];
	int ret = next_word(r, &count), err;

	if (ret <= 0)
		return ret;
	err = need_word(r, &nr);
	if (!err && nr > UINT32_MAX)
		err = fault(r, "the length of a stack");
	if (err)
		return err;
	ret = take_stack(r, nr, !count && nr == 1);
	if (ret <= 0)
		return ret;
	values[0] = count;
	if (count > INT64_MAX || __builtin_mul_overflow(values[0], r->p.m->period, &values[1]))
		return fault(r, "values of 63 bits");
	err = address_profile_add_sample(&r->p, values, 0);
	return err ? err : 1;
}

/* Drops the location above the leaf from a sample. */
static int drop_second(struct model *m, struct model_sample *sample)
{
	uint32_t nr, *copy;
	const uint32_t *stack = model_stack(m, sample->stack, &nr);
	int64_t id;

	copy = malloc(nr * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	copy[0] = stack[0];
	memcpy(copy + 1, stack + 2, (nr - 2) * sizeof(*copy));
	id = model_add_stack(m, copy, nr - 1);
	free(copy);
	if (id < 0)
		return id;
	sample->stack = id;
	return 0;
}

/* The second location of a sample from the leaf, or MODEL_NONE. */
static uint32_t second_of(const struct model *m, const struct model_sample *sample)
{
	uint32_t nr;
	const uint32_t *stack = model_stack(m, sample->stack, &nr);

	return nr > 1 ? stack[1] : MODEL_NONE;
}

/* Finds the location above the leaf of nearly all samples. Returns: it, or MODEL_NONE. */
static uint32_t find_handler(const struct model *m, uint32_t *counts)
{
	size_t least = m->samples.nr - m->samples.nr / SAMPLES_PER_EXCEPTION;

	memset(counts, 0, m->locations.nr * sizeof(*counts));
	for (size_t i = 0; i < m->samples.nr; i++) {
		uint32_t second = second_of(m, &m->samples.items[i]);

		if (second != MODEL_NONE && ++counts[second] == least)
			return second;
	}
	return MODEL_NONE;
}

static int drop_handler(struct model *m)
{
	uint32_t *counts = calloc(m->locations.nr + 1, sizeof(*counts));
	uint32_t handler = counts ? 0 : MODEL_NONE;
	int err = counts ? 0 : -ENOMEM;

	for (int n = 0; n < MAX_HANDLER_FRAMES && handler != MODEL_NONE; n++) {
		handler = find_handler(m, counts);
		for (size_t i = 0; !err && handler != MODEL_NONE && i < m->samples.nr; i++)
			if (second_of(m, &m->samples.items[i]) == handler)
				err = drop_second(m, &m->samples.items[i]);
	}
	free(counts);
	return err;
}

/* The leaf comes from the signal's context, and may come once more from the walk. */
static int drop_second_leaves(struct model *m)
{
	const struct model_location *all = m->locations.items;
	int err = 0;

	for (size_t i = 0; !err && i < m->samples.nr; i++) {
		uint32_t nr, second = second_of(m, &m->samples.items[i]);
		const uint32_t *stack = model_stack(m, m->samples.items[i].stack, &nr);

		if (second != MODEL_NONE && all[stack[0]].address == all[second].address + 1)
			err = drop_second(m, &m->samples.items[i]);
	}
	return err;
}

/* Locations that samples have, in the order of first use. */
struct used_locations {
	uint32_t *index;		/* by old index; MODEL_NONE if no sample has it */
	struct model_location *items;
	size_t nr;
};

/* Appends the new indices of a stack to r->p.stack. */
static int use_stack(struct cpu_reader *r, struct used_locations *used, const uint32_t *stack,
		     uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t *index = &used->index[stack[i]];

		if (*index == MODEL_NONE) {
			used->items[used->nr] = r->p.m->locations.items[stack[i]];
			*index = used->nr++;
		}
		if (ARRAY_APPEND(r->p.stack, index, 1))
			return -ENOMEM;
	}
	return 0;
}

static int use_stacks(struct cpu_reader *r, struct used_locations *used, struct span_set *old)
{
	struct model *m = r->p.m;
	int64_t stack = 0;

	for (size_t i = 0; stack >= 0 && i < m->samples.nr; i++) {
		struct model_sample *s = &m->samples.items[i];

		stack = use_stack(r, used, span_set_at(old, s->stack),
				  span_set_len(old, s->stack));
		if (!stack)
			stack = model_add_stack(m, r->p.stack.items, r->p.stack.nr);
		r->p.stack.nr = 0;
		s->stack = stack;
	}
	return stack < 0 ? stack : 0;
}

static int move_stacks(struct cpu_reader *r, struct used_locations *used)
{
	struct span_set old = r->p.m->stacks;
	int err = span_set_init(&r->p.m->stacks, sizeof(uint32_t));

	if (!err)
		err = use_stacks(r, used, &old);
	span_set_fini(&old);
	return err;
}

/* As Go's pprof does, leaves out the locations that were dropped from all samples. */
static int drop_unused(struct cpu_reader *r)
{
	struct model *m = r->p.m;
	struct used_locations used = {
		.index = malloc((m->locations.nr + 1) * sizeof(*used.index)),
		.items = malloc((m->locations.nr + 1) * sizeof(*used.items)),
	};
	int err = -ENOMEM;

	if (used.index && used.items) {
		memset(used.index, 0xFF, m->locations.nr * sizeof(*used.index));
		err = move_stacks(r, &used);
	}
	free(used.index);
	if (err) {
		free(used.items);
		return err;
	}
	free(m->locations.items);
	m->locations.items = used.items;
	m->locations.room = m->locations.nr + 1;
	m->locations.nr = used.nr;
	return 0;
}

static int begin(struct cpu_reader *r)
{
	uint64_t period_us;
	int64_t period;
	int err = profile_input_fill(r->in, NR_HEAD_WORDS * sizeof(uint64_t));

	if (err)
		return err;
	if (!parse_head(r->in->at, r->in->end - r->in->at, &r->form, &r->is_java, &period_us) ||
	    __builtin_mul_overflow(period_us, 1000, &period))
		return fault(r, "the head of a CPU profile");
	r->in->at += NR_HEAD_WORDS * r->form.size;
	err = address_profile_set_period(&r->p, "cpu", "nanoseconds", period);
	if (!err)
		err = address_profile_add_type(&r->p, "samples", "count");
	return err ? err : address_profile_add_type(&r->p, "cpu", "nanoseconds");
}

static int read_native_rest(struct cpu_reader *r)
{
	int err = drop_handler(r->p.m);

	if (!err)
		err = drop_second_leaves(r->p.m);
	if (!err)
		err = drop_unused(r);
	if (err)
		return line_reader_errno(r->p.lines, err);
	err = memory_map_read(&r->p.map, r->p.lines, true);
	return err ? err : address_profile_finish(&r->p);
}

static int read_all(struct cpu_reader *r)
{
	int ret = begin(r);

	if (ret)
		return ret;
	do
		ret = take_sample(r);
	while (ret > 0);
	if (ret)
		return ret;
	if (!r->is_java)
		return read_native_rest(r);
	return java_names_read(&r->p);
}

int read_cpu(struct line_reader *lines, struct model *m)
{
	struct cpu_reader r = { .in = lines->in };
	int err = address_profile_init(&r.p, m, lines);

	if (!err)
		err = read_all(&r);
	address_profile_fini(&r.p);
	return err;
}
