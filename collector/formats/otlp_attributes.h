/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The strings and the attributes of an OTLP dictionary. Equal ones have equal indices. Index 0 is
 * the empty one.
 */
#ifndef COLLECTOR_OTLP_ATTRIBUTES_H
#define COLLECTOR_OTLP_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

struct model;
struct model_label;
struct proto;
struct strtab;
struct tuple_map;

/* The values are the fields of an AnyValue. */
enum otlp_kind {
	OTLP_STRING = 1,
	OTLP_BOOL = 2,
	OTLP_INT = 3,
};

struct otlp_attributes {
	struct strtab *strings;		/* valid UTF-8 */

	/* The rest is private. */
	const struct model *model;
	uint32_t *string_of;		/* by the model's string: an index in strings; 0: not yet */
	struct tuple_map *tuples;
	int err;
};

/*
 * Makes empty tables. otlp_attributes_fini() frees them, also after an error.
 * Returns: 0, or -ENOMEM.
 */
int otlp_attributes_init(struct otlp_attributes *a, const struct model *m);

/* Frees the tables. a may be all zeroes. */
void otlp_attributes_fini(struct otlp_attributes *a);

/*
 * The functions that add return 0 after an error, which otlp_attributes_error() returns.
 * Returns: 0, or -ENOMEM.
 */
int otlp_attributes_error(const struct otlp_attributes *a);

/* Finds or adds a string of the model. Returns: its index. */
uint32_t otlp_string(struct otlp_attributes *a, uint32_t model_string);

/* Finds or adds a string. Returns: its index. */
uint32_t otlp_literal(struct otlp_attributes *a, const char *s);

/* Finds or adds an attribute with one value: a string's index, 0 or 1, or a number. */
uint32_t otlp_attribute(struct otlp_attributes *a, const char *key, enum otlp_kind kind,
			int64_t value);

/* The same for an array of strings of the model. */
uint32_t otlp_attribute_strings(struct otlp_attributes *a, const char *key,
				const uint32_t *model_strings, size_t nr);

/* The same for the nr values of a label: equal keys, all of them texts, or all numbers. */
uint32_t otlp_attribute_label(struct otlp_attributes *a, const struct model_label *labels,
			      size_t nr);

/* Writes the table of attributes into a field. All strings are in the table then. */
void otlp_attributes_put(const struct otlp_attributes *a, struct proto *out, uint32_t field);

/* Writes the table of strings into a field. */
void otlp_strings_put(const struct otlp_attributes *a, struct proto *out, uint32_t field);

#endif /* COLLECTOR_OTLP_ATTRIBUTES_H */
