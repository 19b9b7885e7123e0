// SPDX-License-Identifier: GPL-2.0
// sources: collector/formats/otlp_writer.c collector/formats/otlp_attributes.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/protobuf.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lxxhash
/*
 * The expected bytes were made with the Python package opentelemetry-proto 1.45.2 (its messages
 * are those of opentelemetry-proto 1.10), a message at a time.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "formats/otlp_writer.h"
#include "written.h"

struct bytes {
	char data[4096];
	size_t len;
};

static void put(struct bytes *b, const char *data, size_t len)
{
	assert_true(len <= sizeof(b->data) - b->len);
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

#define PUT(b, literal)	put(b, literal, sizeof(literal) - 1)

/* Puts a message before it as a field with this key. */
static void put_message(struct bytes *b, char key, const struct bytes *message)
{
	size_t len = message->len;

	assert_in_range(len, 0, 0x3fff);
	put(b, &key, 1);
	if (len > 0x7f)
		put(b, (char[]){ len | 0x80, len >> 7 }, 2);
	else
		put(b, (char[]){ len }, 1);
	put(b, message->data, len);
}

static void put_resource(struct bytes *b)
{
	PUT(b, "\x0a\x45\x0a\x1e\x0a\x17process.executable.name\x12\x03\x0a\x01p"
	    "\x0a#\x0a\x17process.executable.path\x12\x08\x0a\x06/bin/p");
}

/* index is that of the only sample type that is written. */
static void put_scope(struct bytes *b, char index)
{
	struct bytes scope = { 0 };

	PUT(&scope, "\x0a\x0dpprof-collect\x12");
	put(&scope, (char[]){ strlen(VERSION) }, 1);
	PUT(&scope, VERSION "\x1a(\x0a\x1fpprof.scope.default_sample_type\x12\x05\x0a\x03" "cpu"
	    "\x1a'\x0a\x1dpprof.scope.sample_type_order\x12\x06*\x04\x0a\x02\x18");
	put(&scope, &index, 1);
	put_message(b, 0x0a, &scope);
}

static void put_profile(struct bytes *b)
{
	struct bytes profile = { 0 };

	PUT(&profile, "\x0a\x04\x08\x09\x10\x0a"			/* sample type */
	    "\x12\x09\x08\x01\x12\x01\x01\x22\x02\xd0\x0f"		/* samples */
	    "\x12\x11\x12\x03\x02\x03\x04\x22\x0a\xf9\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	    "\x19\x15\xcd\x85=\xfe\x9c\x97\x17 \xe8\x07"		/* time and duration */
	    "*\x04\x08\x09\x10\x0a" "0\x0a"				/* period */
	    "Z\x01\x05");						/* attributes */
	put_message(b, 0x12, &profile);
}

static void put_dictionary(struct bytes *b)
{
	struct bytes tables = { 0 };

	PUT(&tables, ":\x00:\x04\x0a\x02\x01\x02");			/* stacks */
	PUT(&tables, "\x12\x00"						/* locations */
	    "\x12\x11\x08\x01\x10\xb4$\x1a\x06\x08\x01\x10\x0c\x18\x03\x1a\x02\x08\x02"
	    "\x12\x07\x1a\x02\x08\x03\x22\x01\x06");
	PUT(&tables, "\x0a\x00"						/* mappings */
	    "\x0a\x0f\x08\x80 \x10\x80@\x18\x80\x08 \x0d*\x02\x07\x08");
	PUT(&tables, "\x1a\x00\x1a\x08\x08\x12\x10\x13\x18\x14 \x09"	/* functions */
	    "\x1a\x04\x08\x15\x18\x14\x1a\x04\x08\x16\x18\x14");
	PUT(&tables, "\x22\x00");					/* links */
	PUT(&tables, "2\x00" "2\x07\x08\x02\x12\x03\x0a\x01x");		/* attributes */
	PUT(&tables, "2\x10\x08\x05\x12\x0c*\x0a\x0a\x03\x0a\x01" "a\x0a\x03\x0a\x01" "b");
	PUT(&tables, "2\x11\x08\x07\x12\x0b\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x18\x06");
	PUT(&tables, "2\x06\x08\x08\x12\x02\x18\x00" "2\x0e\x08\x0c\x12\x0a*\x08\x0a\x06\x0a\x04note");
	PUT(&tables, "2\x06\x08\x0e\x12\x02\x10\x01" "2\x0a\x08\x10\x12\x06\x0a\x04" "ab12");
	PUT(&tables, "2\x06\x08\x11\x12\x02\x10\x01");
	PUT(&tables, "*\x00*\x01x*\x06thread*\x01" "a*\x01" "b*\x04role*\x05" "bytes*\x04size");
	PUT(&tables, "*\x04zero*\x03" "cpu*\x0bnanoseconds*\x04note*\x15pprof.profile.comment");
	PUT(&tables, "*\x06/bin/p*\x18pprof.location.is_folded*\x04" "ab12");
	PUT(&tables, "*\x1fprocess.executable.build_id.gnu*\x1bpprof.mapping.has_functions");
	PUT(&tables, "*\x02in*\x03_in*\x03" "a.c*\x03out*\x06" "bad" BAD);
	put_message(b, 0x12, &tables);
}

static void assert_bytes(const struct model *m, uint32_t type, const struct bytes *want)
{
	size_t len;
	int err;
	char *text = write_model(otlp_write, m, type, &len, &err);

	assert_int_equal(err, 0);
	assert_int_equal(len, want->len);
	assert_memory_equal(text, want->data, len);
	free(text);
}

/* A location with an inlined function, and a folded one with a name that is not UTF-8. */
static uint32_t add_stack(struct model *m)
{
	uint32_t stack[] = {
		add_location(m, "in<-out", "/bin/p"), add_location(m, "bad\xFF", NULL),
	};
	struct model_line *line = model_lines(m, &m->locations.items[0]);

	m->mappings.items[0] = (struct model_mapping){
		.start = 0x1000, .limit = 0x2000, .offset = 0x400,
		.file = m->mappings.items[0].file, .build_id = add_text(m, "AB12"),
		.flags = PROFILE_HAS_FUNCTIONS,
	};
	m->locations.items[0].address = 0x1234;
	m->locations.items[1].is_folded = true;
	line->line = 12;
	line->column = 3;
	m->functions.items[0].system_name = add_text(m, "_in");
	m->functions.items[0].start_line = 9;
	return model_add_stack(m, stack, 2);
}

static void add_labels(struct model *m, struct model_sample *s)
{
	const struct model_label labels[] = {
		{ .key = add_text(m, "zero"), .is_number = 1 },
		{ .key = add_text(m, "role"), .str = add_text(m, "a") },
		{ .key = add_text(m, "size"), .num = -1, .unit = add_text(m, "bytes"),
		  .is_number = 1 },
		{ .key = add_text(m, "role"), .str = add_text(m, "b") },
	};

	s->label_set = model_add_label_set(m, labels, 4);
}

static void test_all_fields(void **state)
{
	struct model *m = new_model();
	struct model_label thread = { .key = add_text(m, "thread"), .str = add_text(m, "x") };
	struct model_sample first = { .label_set = model_add_label_set(m, &thread, 1) };
	struct model_sample second = { 0 }, zero = { 0 };
	struct bytes want = { 0 }, resource = { 0 }, scope = { 0 };

	(void)state;
	first.stack = add_stack(m);
	add_labels(m, &second);
	zero.stack = model_add_stack(m, (uint32_t[]){ add_location(m, "unused", "/x") }, 1);
	assert_int_equal(model_add_sample(m, &first, (int64_t[]){ 0, 2000 }), 0);
	assert_int_equal(model_add_sample(m, &zero, (int64_t[]){ 0, 0 }), 0);
	assert_int_equal(model_add_sample(m, &second, (int64_t[]){ 0, -7 }), 0);
	m->time_ns = 1700000000123456789;
	m->duration_ns = 1000;
	m->period_type = m->sample_types.items[1];
	m->period = 10;
	assert_int_equal(model_add_comment(m, add_text(m, "note")), 0);
	put_resource(&resource);
	put_scope(&scope, 1);
	put_profile(&scope);
	put_message(&resource, 0x12, &scope);
	put_message(&want, 0x0a, &resource);
	put_dictionary(&want);
	assert_bytes(m, 1, &want);
	model_free(m);
}

/* There is a resource, a scope, and element 0 of each table. */
static void test_empty_profile(void **state)
{
	struct model *m = new_model();
	struct bytes want = { 0 }, resource = { 0 }, scope = { 0 }, in = { 0 };

	(void)state;
	PUT(&in, "\x0a\x0dpprof-collect\x12");
	put(&in, (char[]){ strlen(VERSION) }, 1);
	PUT(&in, VERSION "\x1a(\x0a\x1fpprof.scope.default_sample_type\x12\x05\x0a\x03" "cpu"
	    "\x1a#\x0a\x1dpprof.scope.sample_type_order\x12\x02*\x00");
	put_message(&scope, 0x0a, &in);
	PUT(&resource, "\x0a\x00");
	put_message(&resource, 0x12, &scope);
	put_message(&want, 0x0a, &resource);
	PUT(&want, "\x12\x13:\x00\x12\x00\x0a\x00\x1a\x00\x22\x00" "2\x00*\x00*\x03" "cpu");
	assert_bytes(m, 1, &want);
	model_free(m);
}

/* More samples than fit in the writer's buffer: the lengths must still be right. */
static void test_many_samples(void **state)
{
	struct model *m = new_model();
	uint32_t a = add_location(m, "a", NULL);
	size_t len, at;
	int err;
	char *text;

	(void)state;
	for (int i = 1; i <= 100000; i++)
		add_sample(m, &a, 1, i, NULL, NULL);
	text = write_model(otlp_write, m, 0, &len, &err);
	assert_int_equal(err, 0);
	assert_true(len > 1000000);
	/* The length of the resource has three bytes. The dictionary begins after it. */
	assert_int_equal(text[0], 0x0a);
	at = (text[1] & 0x7f) | (text[2] & 0x7f) << 7 | text[3] << 14;
	assert_true(at + 4 < len);
	assert_memory_equal(text + at + 4, "\x12", 1);
	assert_memory_equal(text + len - 5, "*\x03" "a.c", 5);
	free(text);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fields),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_many_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
