// SPDX-License-Identifier: GPL-2.0
#include "process/thread_context.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Static_assert(PPROF_MAX_CONTEXT_LABELS <= THREAD_CONTEXT_MAX_ATTRIBUTES, "labels lack room");

/* The head of a label: the length of its key, and of its value. */
#define LABEL_HEAD	2

/* The layout of a record. The attributes follow: number, length, value. */
#define TRACE_ID	0
#define TRACE_ID_BYTES	16
#define SPAN_ID		16
#define SPAN_ID_BYTES	8
#define VALID		24
#define ATTRIBUTE_HEAD	2

struct attribute {
	const uint8_t *value;	/* NULL: there is none */
	uint8_t bytes;
	uint8_t number;
};

static size_t add(char *text, const char *key, const void *value, size_t bytes)
{
	size_t key_bytes = strlen(key) + 1;

	memcpy(text, key, key_bytes);
	memcpy(text + key_bytes, value, bytes);
	text[key_bytes + bytes] = 0;
	return key_bytes + bytes + 1;
}

static bool is_zero(const uint8_t *id, size_t bytes)
{
	while (bytes--)
		if (id[bytes])
			return false;
	return true;
}

static size_t add_id(char *text, const char *key, const uint8_t *id, size_t bytes)
{
	char hex[2 * TRACE_ID_BYTES];

	for (size_t i = 0; i < 2 * bytes; i++)
		hex[i] = "0123456789abcdef"[id[i / 2] >> (i % 2 ? 0 : 4) & 15];
	return add(text, key, hex, 2 * bytes);
}

static size_t add_ids(char *text, const uint8_t *record)
{
	size_t bytes;

	if (is_zero(record + TRACE_ID, TRACE_ID_BYTES) || is_zero(record + SPAN_ID, SPAN_ID_BYTES))
		return 0;
	bytes = add_id(text, "trace_id", record + TRACE_ID, TRACE_ID_BYTES);
	return bytes + add_id(text + bytes, "span_id", record + SPAN_ID, SPAN_ID_BYTES);
}

/* Stores an attribute, in place of an earlier one with its number. Returns how many there are. */
static size_t store(struct attribute *list, size_t nr, const struct attribute *a)
{
	for (size_t i = 0; i < nr; i++)
		if (list[i].number == a->number) {
			list[i] = *a;
			return nr;
		}
	if (nr < THREAD_CONTEXT_MAX_ATTRIBUTES)
		list[nr++] = *a;
	return nr;
}

/* Reads up to the first attribute that does not fit. */
static size_t read_attributes(const struct pprof_sample_context *context, struct attribute *list)
{
	const uint8_t *at = context->data + PPROF_MIN_CONTEXT_BYTES;
	const uint8_t *end = context->data + context->bytes;
	size_t nr = 0;

	while (end - at >= ATTRIBUTE_HEAD && end - at - ATTRIBUTE_HEAD >= at[1]) {
		nr = store(list, nr, &(struct attribute){ at + ATTRIBUTE_HEAD, at[1], at[0] });
		at += ATTRIBUTE_HEAD + at[1];
	}
	return nr;
}

/* Is there a label with this key in text? */
static bool has_key(const char *text, size_t bytes, const uint8_t *key, size_t key_bytes)
{
	const char *at = text;

	while (at < text + bytes) {
		if (strlen(at) == key_bytes && !memcmp(at, key, key_bytes))
			return true;
		at += strlen(at) + 1;
		at += strlen(at) + 1;
	}
	return false;
}

static bool is_label(const uint8_t *text, size_t bytes)
{
	return process_context_is_label((const char *)text, bytes);
}

/* Adds a label, unless it is not valid, or its key is in text. Returns its bytes. */
static size_t add_label(char *text, size_t bytes, const uint8_t *label)
{
	const uint8_t *key = label + LABEL_HEAD, *value = key + label[0];
	char name[PROCESS_CONTEXT_MAX_TEXT + 1] = "";

	if (!is_label(key, label[0]) || !is_label(value, label[1]) ||
	    has_key(text, bytes, key, label[0]))
		return 0;
	memcpy(name, key, label[0]);
	return add(text + bytes, name, value, label[1]);
}

/* Reads up to the first label that does not fit. */
static size_t copy_labels(const struct pprof_sample_context *context, char *text)
{
	const uint8_t *at = context->data, *end = at + context->bytes;
	size_t bytes = 0;

	for (int i = 0; i < PPROF_MAX_CONTEXT_LABELS; i++) {
		if (end - at < LABEL_HEAD || end - at - LABEL_HEAD < at[0] + at[1])
			break;
		bytes += add_label(text, bytes, at);
		at += LABEL_HEAD + at[0] + at[1];
	}
	return bytes;
}

size_t thread_context_labels(const struct pprof_sample_context *context,
			     const struct process_context *process, char *text)
{
	struct attribute list[THREAD_CONTEXT_MAX_ATTRIBUTES];
	size_t bytes, nr;
	const char *key;

	if (context->format == PPROF_CONTEXT_LABELS)
		return copy_labels(context, text);
	if (!process->has_threads || context->data[VALID] != 1)
		return 0;
	bytes = add_ids(text, context->data);
	nr = read_attributes(context, list);
	for (size_t i = 0; i < nr; i++) {
		key = process_context_key(process, list[i].number);
		if (key && process_context_is_label((const char *)list[i].value, list[i].bytes))
			bytes += add(text + bytes, key, list[i].value, list[i].bytes);
	}
	return bytes;
}
