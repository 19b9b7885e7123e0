// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers of fields are those of profiles.proto.
 *
 * A message comes after its length. Those with many samples or stacks are written twice: once to
 * count their bytes, and then to the output. So none of them is in memory. The first time also
 * numbers what is used, in the order of use; the second time finds the same numbers.
 */
#include "formats/otlp_writer.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string_table.h"
#include "formats/otlp_attributes.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/protobuf.h"

/* The entries of a model's table that are written, and their numbers. 0 is the empty entry. */
struct numbers {
	uint32_t *number_of;	/* by the model's index; 0: not used */
	uint32_t *items;	/* the model's index, by number - 1 */
	uint32_t nr;
};

struct otlp {
	MODEL_ARRAY(uint64_t, set_attributes);	/* of the label sets, one after the other */
	const struct model *m;
	uint32_t default_type;
	struct proto *out;
	struct otlp_attributes attributes;
	struct numbers stacks;
	struct numbers locations;
	struct numbers mappings;
	struct numbers functions;
	/* By label set: its first index in set_attributes. One more item ends the last set */
	uint32_t *first_attribute;
	const struct otlp_resource_attribute *resource;
	size_t nr_resource;
	uint64_t *profile_bytes;	/* by sample type; 0: it is left out */
	/* Room for a list of numbers. */
	uint64_t *list;
	size_t list_room;
	int err;
};

/* Writes the fields of a message. index is a sample type, or has no meaning. */
typedef void put_function(struct otlp *o, size_t index);

static int init_numbers(struct numbers *n, size_t nr)
{
	n->number_of = calloc(nr + 1, sizeof(*n->number_of));
	n->items = calloc(nr + 1, sizeof(*n->items));
	return n->number_of && n->items ? 0 : -ENOMEM;
}

static void fini_numbers(struct numbers *n)
{
	free(n->number_of);
	free(n->items);
}

static uint32_t number(struct numbers *n, uint32_t index)
{
	if (!n->number_of[index]) {
		n->items[n->nr++] = index;
		n->number_of[index] = n->nr;
	}
	return n->number_of[index];
}

/* Returns: room for nr numbers, valid until the next call; or NULL. */
static uint64_t *list_room(struct otlp *o, size_t nr)
{
	uint64_t *list = array_grow(o->list, &o->list_room, nr, sizeof(*list));

	if (list)
		o->list = list;
	else
		o->err = -ENOMEM;
	return list;
}

static int add_size(void *ctx, const void *data, size_t len)
{
	uint64_t *size = ctx;

	(void)data;
	*size += len;
	return 0;
}

/* Returns: how many bytes put() writes. */
static uint64_t measure(struct otlp *o, put_function *put, size_t index)
{
	struct proto *out = o->out;
	uint64_t size = 0;

	o->out = proto_new(add_size, &size);
	if (o->out) {
		put(o, index);
		if (proto_flush(o->out))
			o->err = -ENOMEM;
	} else {
		o->err = -ENOMEM;
	}
	proto_free(o->out);
	o->out = out;
	return size;
}

/* Labels */

static int put_set_attributes(struct otlp *o, uint32_t set)
{
	uint32_t nr, run;
	const struct model_label *labels = model_labels(o->m, set, &nr);

	for (uint32_t i = 0; i < nr; i += run) {
		uint64_t attribute;

		for (run = 1; i + run < nr; run++)
			if (labels[i + run].key != labels[i].key ||
			    labels[i + run].is_number != labels[i].is_number)
				break;
		attribute = otlp_attribute_label(&o->attributes, &labels[i], run);
		if (ARRAY_APPEND(o->set_attributes, &attribute, 1))
			return -ENOMEM;
	}
	return 0;
}

/* Finds the attributes of the label sets that samples have. */
static int find_set_attributes(struct otlp *o)
{
	const struct model *m = o->m;
	bool *is_used = calloc(m->label_sets.nr, sizeof(*is_used));
	int err = 0;

	o->first_attribute = calloc(m->label_sets.nr + 1, sizeof(*o->first_attribute));
	if (!is_used || !o->first_attribute)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < m->samples.nr; i++)
		is_used[m->samples.items[i].label_set] = true;
	for (size_t i = 0; !err && i < m->label_sets.nr; i++) {
		if (is_used[i])
			err = put_set_attributes(o, i);
		o->first_attribute[i + 1] = o->set_attributes.nr;
	}
	free(is_used);
	return err;
}

/* Profiles */

static void put_value_type(struct otlp *o, uint32_t field, const struct model_value_type *t)
{
	proto_begin(o->out, field);
	proto_uint(o->out, 1, otlp_string(&o->attributes, t->type));
	proto_uint(o->out, 2, otlp_string(&o->attributes, t->unit));
	proto_end(o->out);
}

static void put_sample(struct otlp *o, size_t sample, uint64_t value)
{
	const struct model_sample *s = &o->m->samples.items[sample];
	uint32_t first = o->first_attribute[s->label_set];
	uint32_t nr = o->first_attribute[s->label_set + 1] - first;

	proto_begin(o->out, 2);
	if (s->stack)
		proto_uint(o->out, 1, number(&o->stacks, s->stack));
	if (nr)
		proto_packed(o->out, 2, o->set_attributes.items + first, nr);
	proto_packed(o->out, 4, &value, 1);
	proto_end(o->out);
}

static void add_text_attribute(struct otlp *o, const char *key, uint32_t string, size_t *nr)
{
	if (string)
		o->list[(*nr)++] = otlp_attribute(&o->attributes, key, OTLP_STRING,
						  otlp_string(&o->attributes, string));
}

static void put_profile_attributes(struct otlp *o)
{
	const struct model *m = o->m;
	size_t nr = 0;

	if (!list_room(o, 4))
		return;
	if (m->comments.nr)
		o->list[nr++] = otlp_attribute_strings(&o->attributes, "pprof.profile.comment",
						       m->comments.items, m->comments.nr);
	add_text_attribute(o, "pprof.profile.drop_frames", m->drop_frames, &nr);
	add_text_attribute(o, "pprof.profile.keep_frames", m->keep_frames, &nr);
	add_text_attribute(o, "pprof.profile.doc_url", m->doc_url, &nr);
	proto_packed(o->out, 11, o->list, nr);
}

static void put_profile(struct otlp *o, size_t type)
{
	const struct model *m = o->m;

	put_value_type(o, 1, &m->sample_types.items[type]);
	for (size_t i = 0; i < m->samples.nr; i++)
		if (model_values(m, i)[type])
			put_sample(o, i, model_values(m, i)[type]);
	proto_fixed64(o->out, 3, m->time_ns);
	proto_uint(o->out, 4, m->duration_ns);
	put_value_type(o, 5, &m->period_type);
	proto_int(o->out, 6, m->period);
	put_profile_attributes(o);
}

static bool has_values(const struct model *m, size_t type)
{
	for (size_t i = 0; i < m->samples.nr; i++)
		if (model_values(m, i)[type])
			return true;
	return false;
}

/* The resource and the scope */

/* Begins a KeyValue and its value. */
static void begin_key_value(struct otlp *o, uint32_t field, const char *key)
{
	proto_begin(o->out, field);
	proto_bytes(o->out, 1, key, strlen(key));
	proto_begin(o->out, 2);
}

static void put_text(struct otlp *o, uint32_t field, const char *key, const char *text)
{
	begin_key_value(o, field, key);
	proto_bytes(o->out, OTLP_STRING, text, strlen(text));
	proto_end(o->out);
	proto_end(o->out);
}

static void put_number(struct otlp *o, uint32_t field, const char *key, int64_t number)
{
	begin_key_value(o, field, key);
	proto_element(o->out, OTLP_INT, number);
	proto_end(o->out);
	proto_end(o->out);
}

static void put_resource(struct otlp *o, size_t index)
{
	const char *path = "";

	(void)index;
	if (o->m->mappings.nr)
		path = strtab_at(o->attributes.strings,
				 otlp_string(&o->attributes, o->m->mappings.items[0].file));
	proto_begin(o->out, 1);
	if (*path) {
		put_text(o, 1, "process.executable.name", basename(path));
		put_text(o, 1, "process.executable.path", path);
	}
	for (size_t i = 0; i < o->nr_resource; i++) {
		const struct otlp_resource_attribute *a = &o->resource[i];

		if (a->text)
			put_text(o, 1, a->key, a->text);
		else
			put_number(o, 1, a->key, a->number);
	}
	proto_end(o->out);
}

/* The indices of the profiles in the list of sample types. */
static void put_type_order(struct otlp *o)
{
	begin_key_value(o, 3, "pprof.scope.sample_type_order");
	proto_begin(o->out, 5);
	for (size_t i = 0; i < o->m->sample_types.nr; i++) {
		if (!o->profile_bytes[i])
			continue;
		proto_begin(o->out, 1);
		proto_element(o->out, OTLP_INT, i);
		proto_end(o->out);
	}
	proto_end(o->out);
	proto_end(o->out);
	proto_end(o->out);
}

static void put_scope(struct otlp *o, size_t index)
{
	uint32_t type = o->m->sample_types.items[o->default_type].type;

	(void)index;
	proto_begin(o->out, 1);
	proto_bytes(o->out, 1, "pprof-collect", 13);
	proto_bytes(o->out, 2, VERSION, strlen(VERSION));
	put_text(o, 3, "pprof.scope.default_sample_type",
		 strtab_at(o->attributes.strings, otlp_string(&o->attributes, type)));
	put_type_order(o);
	proto_end(o->out);
}

/* The dictionary */

static void put_empty(struct otlp *o, uint32_t field)
{
	proto_begin(o->out, field);
	proto_end(o->out);
}

static void put_stacks(struct otlp *o)
{
	put_empty(o, 7);
	for (uint32_t i = 0; i < o->stacks.nr; i++) {
		uint32_t nr;
		const uint32_t *locations = model_stack(o->m, o->stacks.items[i], &nr);

		if (!list_room(o, nr))
			return;
		for (uint32_t n = 0; n < nr; n++)
			o->list[n] = number(&o->locations, locations[n]);
		proto_begin(o->out, 7);
		proto_packed(o->out, 1, o->list, nr);
		proto_end(o->out);
	}
}

static void put_location(struct otlp *o, const struct model_location *l)
{
	const struct model_line *lines = model_lines(o->m, l);
	uint64_t folded;

	proto_begin(o->out, 2);
	if (l->mapping != MODEL_NONE)
		proto_uint(o->out, 1, number(&o->mappings, l->mapping));
	proto_uint(o->out, 2, l->address);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		proto_begin(o->out, 3);
		proto_uint(o->out, 1, number(&o->functions, lines[i].function));
		proto_int(o->out, 2, lines[i].line);
		proto_int(o->out, 3, lines[i].column);
		proto_end(o->out);
	}
	if (l->is_folded) {
		folded = otlp_attribute(&o->attributes, "pprof.location.is_folded", OTLP_BOOL, 1);
		proto_packed(o->out, 4, &folded, 1);
	}
	proto_end(o->out);
}

static void put_locations(struct otlp *o)
{
	put_empty(o, 2);
	for (uint32_t i = 0; i < o->locations.nr; i++)
		put_location(o, &o->m->locations.items[o->locations.items[i]]);
}

static bool is_hex(const char *s)
{
	return s[strspn(s, "0123456789abcdefABCDEF")] == '\0';
}

/* Build ids of linkers are hexadecimal, and those of Go are not. */
static uint32_t build_id_attribute(struct otlp *o, uint32_t build_id)
{
	const char *s = model_string(o->m, build_id);
	uint32_t attribute;
	char *lower;

	if (!is_hex(s))
		return otlp_attribute(&o->attributes, "process.executable.build_id.go", OTLP_STRING,
				      otlp_string(&o->attributes, build_id));
	lower = strdup(s);
	if (!lower) {
		o->err = -ENOMEM;
		return 0;
	}
	for (char *c = lower; *c; c++)
		*c = tolower((unsigned char)*c);
	attribute = otlp_attribute(&o->attributes, "process.executable.build_id.gnu", OTLP_STRING,
				   otlp_literal(&o->attributes, lower));
	free(lower);
	return attribute;
}

static void put_mapping_attributes(struct otlp *o, const struct model_mapping *mapping)
{
	static const struct {
		uint32_t flag;
		const char *key;
	} flags[] = {
		{ PROFILE_HAS_FUNCTIONS, "pprof.mapping.has_functions" },
		{ PROFILE_HAS_FILENAMES, "pprof.mapping.has_filenames" },
		{ PROFILE_HAS_LINE_NUMBERS, "pprof.mapping.has_line_numbers" },
		{ PROFILE_HAS_INLINE_FRAMES, "pprof.mapping.has_inline_frames" },
	};
	uint64_t list[1 + sizeof(flags) / sizeof(*flags)];
	size_t nr = 0;

	if (mapping->build_id)
		list[nr++] = build_id_attribute(o, mapping->build_id);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (mapping->flags & flags[i].flag)
			list[nr++] = otlp_attribute(&o->attributes, flags[i].key, OTLP_BOOL, 1);
	proto_packed(o->out, 5, list, nr);
}

static void put_mappings(struct otlp *o)
{
	put_empty(o, 1);
	for (uint32_t i = 0; i < o->mappings.nr; i++) {
		const struct model_mapping *mapping = &o->m->mappings.items[o->mappings.items[i]];

		proto_begin(o->out, 1);
		proto_uint(o->out, 1, mapping->start);
		proto_uint(o->out, 2, mapping->limit);
		proto_uint(o->out, 3, mapping->offset);
		proto_uint(o->out, 4, otlp_string(&o->attributes, mapping->file));
		put_mapping_attributes(o, mapping);
		proto_end(o->out);
	}
}

static void put_functions(struct otlp *o)
{
	put_empty(o, 3);
	for (uint32_t i = 0; i < o->functions.nr; i++) {
		const struct model_function *f = &o->m->functions.items[o->functions.items[i]];

		proto_begin(o->out, 3);
		proto_uint(o->out, 1, otlp_string(&o->attributes, f->name));
		proto_uint(o->out, 2, otlp_string(&o->attributes, f->system_name));
		proto_uint(o->out, 3, otlp_string(&o->attributes, f->file));
		proto_int(o->out, 4, f->start_line);
		proto_end(o->out);
	}
}

/* Each table comes after those that refer to it: they number its entries. */
static void put_dictionary(struct otlp *o, size_t index)
{
	(void)index;
	put_stacks(o);
	put_locations(o);
	put_mappings(o);
	put_functions(o);
	put_empty(o, 4);	/* links to traces */
	otlp_attributes_put(&o->attributes, o->out, 6);
	otlp_strings_put(&o->attributes, o->out, 5);
}

/* The whole */

static void put_scope_profiles(struct otlp *o)
{
	put_scope(o, 0);
	for (size_t i = 0; i < o->m->sample_types.nr; i++) {
		if (!o->profile_bytes[i])
			continue;
		proto_message(o->out, 2, o->profile_bytes[i]);
		put_profile(o, i);
	}
}

static void put_data(struct otlp *o)
{
	uint64_t scope_bytes = measure(o, put_scope, 0), resource_bytes;

	for (size_t i = 0; i < o->m->sample_types.nr; i++)
		if (o->profile_bytes[i])
			scope_bytes += proto_message_bytes(2, o->profile_bytes[i]);
	resource_bytes = measure(o, put_resource, 0) + proto_message_bytes(2, scope_bytes);
	proto_message(o->out, 1, resource_bytes);
	put_resource(o, 0);
	proto_message(o->out, 2, scope_bytes);
	put_scope_profiles(o);
	proto_message(o->out, 2, measure(o, put_dictionary, 0));
	put_dictionary(o, 0);
}

static int prepare(struct otlp *o)
{
	const struct model *m = o->m;

	o->profile_bytes = calloc(m->sample_types.nr, sizeof(*o->profile_bytes));
	if (!o->out || !o->profile_bytes || otlp_attributes_init(&o->attributes, m) ||
	    init_numbers(&o->stacks, m->stacks.nr) ||
	    init_numbers(&o->locations, m->locations.nr) ||
	    init_numbers(&o->mappings, m->mappings.nr) ||
	    init_numbers(&o->functions, m->functions.nr) || find_set_attributes(o))
		return -ENOMEM;
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (has_values(m, i))
			o->profile_bytes[i] = measure(o, put_profile, i);
	return 0;
}

static int put_all(struct otlp *o)
{
	int err = prepare(o);

	if (err)
		return err;
	put_data(o);
	err = proto_flush(o->out);
	if (!err)
		err = otlp_attributes_error(&o->attributes);
	return err ? err : o->err;
}

int otlp_write_of(const struct model *m, uint32_t type,
		  const struct otlp_resource_attribute *attributes, size_t nr, FILE *out,
		  struct profile_fault *fault)
{
	struct otlp o = {
		.m = m, .default_type = type, .out = proto_new(proto_file_sink, out),
		.resource = attributes, .nr_resource = nr,
	};
	int err = put_all(&o);

	proto_free(o.out);
	otlp_attributes_fini(&o.attributes);
	fini_numbers(&o.stacks);
	fini_numbers(&o.locations);
	fini_numbers(&o.mappings);
	fini_numbers(&o.functions);
	free(o.first_attribute);
	free(o.set_attributes.items);
	free(o.profile_bytes);
	free(o.list);
	return err ? profile_fault_errno(fault, err) : 0;
}

int otlp_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault)
{
	return otlp_write_of(m, type, NULL, 0, out, fault);
}
