// SPDX-License-Identifier: GPL-2.0
/*
 * An attribute is stored as a tuple. The tag is the string of its key. Its numbers, which struct
 * tuple calls frames, are in the order of enum tuple_part.
 */
#include "formats/otlp_attributes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/string_table.h"
#include "base/tuple_map.h"
#include "base/utf8.h"
#include "pprof/model.h"
#include "pprof/protobuf.h"

enum tuple_part { KIND, IS_ARRAY, UNIT, FIRST_VALUE };

/* Field of an AnyValue. */
#define ARRAY_VALUE	5

int otlp_attributes_init(struct otlp_attributes *a, const struct model *m)
{
	*a = (struct otlp_attributes){
		.model = m,
		.strings = strtab_new(),
		.string_of = calloc(strtab_nr(m->strings), sizeof(*a->string_of)),
		.tuples = tuple_map_new(INT32_MAX),
	};
	return a->strings && a->string_of && a->tuples ? 0 : -ENOMEM;
}

void otlp_attributes_fini(struct otlp_attributes *a)
{
	strtab_free(a->strings);
	free(a->string_of);
	tuple_map_free(a->tuples);
}

int otlp_attributes_error(const struct otlp_attributes *a)
{
	return a->err;
}

/* Returns: id, or 0 after an error. */
static uint32_t checked(struct otlp_attributes *a, int64_t id)
{
	if (id >= 0)
		return id;
	a->err = -ENOMEM;
	return 0;
}

uint32_t otlp_string(struct otlp_attributes *a, uint32_t model_string)
{
	const struct strtab *from = a->model->strings;
	size_t len = strtab_len(from, model_string);
	char *text;

	if (!model_string || a->string_of[model_string])
		return a->string_of[model_string];
	text = malloc(UTF8_MAX_GROWTH * len);
	if (!text)
		return checked(a, -ENOMEM);
	len = utf8_clean(text, strtab_at(from, model_string), len);
	a->string_of[model_string] = checked(a, strtab_intern(a->strings, text, len));
	free(text);
	return a->string_of[model_string];
}

uint32_t otlp_literal(struct otlp_attributes *a, const char *s)
{
	return checked(a, strtab_intern(a->strings, s, strlen(s)));
}

/* Finds or adds a tuple. Returns: the index of the attribute. */
static uint32_t add_tuple(struct otlp_attributes *a, uint32_t key, const uint64_t *tuple, size_t nr)
{
	int64_t id = tuple_map_add(a->tuples, key, tuple, nr, 0);

	return checked(a, id < 0 ? id : id + 1);
}

uint32_t otlp_attribute(struct otlp_attributes *a, const char *key, enum otlp_kind kind,
			int64_t value)
{
	const uint64_t tuple[] = { [KIND] = kind, [FIRST_VALUE] = value };

	return add_tuple(a, otlp_literal(a, key), tuple, FIRST_VALUE + 1);
}

/* Returns: a tuple with room for nr values, which the caller frees; or NULL. */
static uint64_t *new_tuple(struct otlp_attributes *a, enum otlp_kind kind, size_t nr)
{
	uint64_t *tuple = calloc(FIRST_VALUE + nr, sizeof(*tuple));

	if (tuple)
		tuple[KIND] = kind;
	else
		checked(a, -ENOMEM);
	return tuple;
}

uint32_t otlp_attribute_strings(struct otlp_attributes *a, const char *key,
				const uint32_t *model_strings, size_t nr)
{
	uint64_t *tuple = new_tuple(a, OTLP_STRING, nr);
	uint32_t index;

	if (!tuple)
		return 0;
	tuple[IS_ARRAY] = true;
	for (size_t i = 0; i < nr; i++)
		tuple[FIRST_VALUE + i] = otlp_string(a, model_strings[i]);
	index = add_tuple(a, otlp_literal(a, key), tuple, FIRST_VALUE + nr);
	free(tuple);
	return index;
}

uint32_t otlp_attribute_label(struct otlp_attributes *a, const struct model_label *labels,
			      size_t nr)
{
	uint64_t *tuple = new_tuple(a, labels->is_number ? OTLP_INT : OTLP_STRING, nr);
	uint32_t index;

	if (!tuple)
		return 0;
	tuple[IS_ARRAY] = nr > 1;
	tuple[UNIT] = otlp_string(a, labels->unit);
	for (size_t i = 0; i < nr; i++)
		tuple[FIRST_VALUE + i] = labels[i].is_number ? (uint64_t)labels[i].num :
							       otlp_string(a, labels[i].str);
	index = add_tuple(a, otlp_string(a, labels->key), tuple, FIRST_VALUE + nr);
	free(tuple);
	return index;
}

/* Writes an AnyValue. A value of 0 is written, too: without it there would be no value. */
static void put_value(const struct otlp_attributes *a, struct proto *out, uint32_t field,
		      enum otlp_kind kind, uint64_t value)
{
	proto_begin(out, field);
	if (kind == OTLP_STRING)
		proto_bytes(out, OTLP_STRING, strtab_at(a->strings, value),
			    strtab_len(a->strings, value));
	else
		proto_element(out, kind, value);
	proto_end(out);
}

static void put_array(const struct otlp_attributes *a, struct proto *out, const struct tuple *t)
{
	proto_begin(out, 2);
	proto_begin(out, ARRAY_VALUE);
	for (size_t i = FIRST_VALUE; i < t->nr_frames; i++)
		put_value(a, out, 1, t->frames[KIND], t->frames[i]);
	proto_end(out);
	proto_end(out);
}

void otlp_attributes_put(const struct otlp_attributes *a, struct proto *out, uint32_t field)
{
	proto_begin(out, field);
	proto_end(out);
	for (size_t i = 0; i < tuple_map_nr(a->tuples); i++) {
		const struct tuple *t = tuple_map_at(a->tuples, i);

		proto_begin(out, field);
		proto_uint(out, 1, t->tag);
		if (t->frames[IS_ARRAY])
			put_array(a, out, t);
		else
			put_value(a, out, 2, t->frames[KIND], t->frames[FIRST_VALUE]);
		proto_uint(out, 3, t->frames[UNIT]);
		proto_end(out);
	}
}

void otlp_strings_put(const struct otlp_attributes *a, struct proto *out, uint32_t field)
{
	for (size_t i = 0; i < strtab_nr(a->strings); i++)
		proto_bytes(out, field, strtab_at(a->strings, i), strtab_len(a->strings, i));
}
