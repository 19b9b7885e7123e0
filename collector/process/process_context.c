// SPDX-License-Identifier: GPL-2.0
#include "process/process_context.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "pprof/protobuf_reader.h"

/*
 * Field numbers of ProcessContext, and of Resource, KeyValue and AnyValue in the OpenTelemetry
 * protocol 1.
 */
#define CONTEXT_RESOURCE	1
#define CONTEXT_ATTRIBUTES	2
#define RESOURCE_ATTRIBUTES	1
#define KEY_VALUE_KEY		1
#define KEY_VALUE_VALUE		2
#define ANY_VALUE_STRING	1
#define ANY_VALUE_ARRAY		5
#define ARRAY_VALUES		1

static const char *const label_keys[PROCESS_CONTEXT_MAX_LABELS] = {
	"service.name", "service.namespace", "service.version", "deployment.environment.name",
};

/* A value in the payload. All zeroes: no value. */
struct value {
	struct proto_message text;
	bool is_seen;
};

/* The schemas whose thread contexts are as OpenTelemetry Enhancement Proposal 4947 says. */
static const char *const schemas[] = { "tlsdesc_v1_dev", "tls_v1" };

/* What is read of a payload. */
struct reading {
	struct value values[PROCESS_CONTEXT_MAX_LABELS];	/* of label_keys */
	struct value schema;
	struct proto_message keys[PROCESS_CONTEXT_MAX_KEYS];
	unsigned int nr_keys;
	unsigned int nr_key_maps;
};

/*
 * Receives a field. f->bytes is empty if the field is a number.
 * Returns: 0, or a negative errno, which ends the walk.
 */
typedef int (*field_fn)(void *ctx, const struct proto_field *f);

/* Calls fn for each field of m. */
static int walk(struct proto_message m, field_fn fn, void *ctx)
{
	struct proto_field f;
	int err = 0;

	while (!err && m.at < m.end) {
		f.bytes = (struct proto_message){ 0 };
		err = proto_read_field(&m, &f) ? -EINVAL : fn(ctx, &f);
	}
	return err;
}

static size_t length(struct proto_message text)
{
	return text.end - text.at;
}

static bool is_utf8(struct proto_message text)
{
	uint32_t rune = 0;
	size_t len;

	for (; text.at < text.end; text.at += len) {
		len = utf8_next((const char *)text.at, length(text), &rune);
		if (!len || !rune)
			return false;
	}
	return true;
}

static bool is_label(struct proto_message text)
{
	return length(text) && length(text) <= PROCESS_CONTEXT_MAX_TEXT && is_utf8(text);
}

bool process_context_is_label(const char *text, size_t bytes)
{
	const uint8_t *at = (const uint8_t *)text;

	return is_label((struct proto_message){ at, at + bytes });
}

/* The last of several values counts, as in every protobuf message. */
static int take_value(void *ctx, const struct proto_field *f)
{
	struct proto_message *text = ctx;

	*text = f->number == ANY_VALUE_STRING ? f->bytes : (struct proto_message){ 0 };
	return 0;
}

struct key_value {
	struct proto_message key;
	struct proto_message value;
};

static int take_part(void *ctx, const struct proto_field *f)
{
	struct key_value *pair = ctx;

	if (f->number == KEY_VALUE_KEY)
		pair->key = f->bytes;
	else if (f->number == KEY_VALUE_VALUE)
		pair->value = f->bytes;
	return 0;
}

static bool is_key(struct proto_message key, const char *name)
{
	return length(key) == strlen(name) && !memcmp(key.at, name, length(key));
}

/* Stores the text of a value if it is one. A second value for the same key erases the first. */
static int store_value(struct value *value, struct proto_message any_value)
{
	struct proto_message text = { 0 };
	int err = walk(any_value, take_value, &text);

	if (err)
		return err;
	if (value->is_seen || !is_label(text))
		text = (struct proto_message){ 0 };
	*value = (struct value){ text, true };
	return 0;
}

static int take_resource(void *ctx, const struct proto_field *f)
{
	struct reading *r = ctx;
	struct key_value pair = { 0 };
	int err;

	if (f->number != RESOURCE_ATTRIBUTES)
		return 0;
	err = walk(f->bytes, take_part, &pair);
	for (int i = 0; !err && i < PROCESS_CONTEXT_MAX_LABELS; i++)
		if (is_key(pair.key, label_keys[i]))
			return store_value(&r->values[i], pair.value);
	return err;
}

/* An invalid name is stored as an empty one, so that the later names keep their numbers. */
static int take_key(void *ctx, const struct proto_field *f)
{
	struct proto_message text = { 0 };
	struct reading *r = ctx;
	int err;

	if (f->number != ARRAY_VALUES || r->nr_keys == PROCESS_CONTEXT_MAX_KEYS)
		return 0;
	err = walk(f->bytes, take_value, &text);
	r->keys[r->nr_keys++] = is_label(text) ? text : (struct proto_message){ 0 };
	return err;
}

static int take_key_map(void *ctx, const struct proto_field *f)
{
	return f->number == ANY_VALUE_ARRAY ? walk(f->bytes, take_key, ctx) : 0;
}

static int take_attribute(struct reading *r, struct proto_message m)
{
	struct key_value pair = { 0 };
	int err = walk(m, take_part, &pair);

	if (!err && is_key(pair.key, "threadlocal.schema_version"))
		return store_value(&r->schema, pair.value);
	if (err || !is_key(pair.key, "threadlocal.attribute_key_map"))
		return err;
	r->nr_key_maps++;
	return walk(pair.value, take_key_map, r);
}

static int take_field(void *ctx, const struct proto_field *f)
{
	if (f->number == CONTEXT_RESOURCE)
		return walk(f->bytes, take_resource, ctx);
	return f->number == CONTEXT_ATTRIBUTES ? take_attribute(ctx, f->bytes) : 0;
}

static void append(struct process_context *c, const void *text, size_t len)
{
	memcpy(c->labels + c->label_bytes, text, len);
	c->labels[c->label_bytes + len] = 0;
	c->label_bytes += len + 1;
}

static int make_labels(struct process_context *c, const struct reading *r)
{
	size_t bytes = 0;

	for (int i = 0; i < PROCESS_CONTEXT_MAX_LABELS; i++)
		bytes += strlen(label_keys[i]) + length(r->values[i].text) + 2;
	c->labels = malloc(bytes);
	if (!c->labels)
		return -ENOMEM;
	for (int i = 0; i < PROCESS_CONTEXT_MAX_LABELS; i++) {
		if (!length(r->values[i].text))
			continue;
		append(c, label_keys[i], strlen(label_keys[i]));
		if (!i)
			c->service = c->labels + c->label_bytes;
		append(c, r->values[i].text.at, length(r->values[i].text));
	}
	return 0;
}

/* The specification forbids two maps of names. Then no name is certain. */
static int make_keys(struct process_context *c, const struct reading *r)
{
	size_t bytes = 1;
	char *at;

	for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++)
		c->has_threads |= is_key(r->schema.text, schemas[i]);
	if (!c->has_threads || r->nr_key_maps != 1)
		return 0;
	for (unsigned int i = 0; i < r->nr_keys; i++)
		bytes += length(r->keys[i]) + 1;
	c->keys = calloc(1, bytes);
	if (!c->keys)
		return -ENOMEM;
	at = c->keys;
	for (unsigned int i = 0; i < r->nr_keys; i++) {
		if (length(r->keys[i]))
			memcpy(at, r->keys[i].at, length(r->keys[i]));
		at += length(r->keys[i]) + 1;
	}
	c->nr_keys = r->nr_keys;
	return 0;
}

int process_context_decode(struct process_context *c, const uint8_t *payload, size_t bytes)
{
	const struct proto_message message = { payload, payload + bytes };
	struct reading r = { 0 };
	int err = walk(message, take_field, &r);

	*c = (struct process_context){ 0 };
	if (!err)
		err = make_labels(c, &r);
	if (!err)
		err = make_keys(c, &r);
	if (err)
		process_context_fini(c);
	return err;
}

const char *process_context_key(const struct process_context *c, unsigned int index)
{
	const char *at = c->keys;

	if (index >= c->nr_keys)
		return NULL;
	while (index--)
		at += strlen(at) + 1;
	return *at ? at : NULL;
}

void process_context_fini(struct process_context *c)
{
	free(c->labels);
	free(c->keys);
	*c = (struct process_context){ 0 };
}
