// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/decode.c collector/pprof/decode_message.c
// sources: collector/arch/x86/packed_ids.c
// sources: collector/pprof/decode_sample.c
// sources: collector/pprof/decode_references.c collector/pprof/encode.c collector/pprof/id_space.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/profile_input.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// sources: collector/pprof/protobuf.c collector/base/span_set.c collector/base/string_table.c
// sources: collector/base/tuple_map.c
// libs: -lz -lisal -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "memory_sink.h"
#include "pprof/decode.h"
#include "pprof/decode_facts.h"
#include "pprof/encode.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "pprof/protobuf.h"

#define MAX_BYTES	(1 << 20)

static struct memory_sink wire;
static struct proto *out;
static struct profile_fault fault;
static struct decode_facts facts;

static int setup(void **state)
{
	(void)state;
	wire.len = 0;
	out = proto_new(memory_sink_write, &wire);
	return out ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	proto_free(out);
	return 0;
}

static int decode(const void *data, size_t len, struct model **m)
{
	struct profile_input in;
	int err;

	memset(&facts, 0, sizeof(facts));
	err = profile_input_open_memory(&in, data, len, MAX_BYTES, &fault);
	if (!err)
		err = decode_profile(&in, m, &facts, &fault);
	profile_input_close(&in);
	return err;
}

static struct model *decode_written(void)
{
	struct model *m;

	assert_int_equal(proto_flush(out), 0);
	if (decode(wire.data, wire.len, &m))
		fail_msg("%s", fault.text);
	return m;
}

/* Pairs of field and number; a field 0 ends them. */
static void put(uint32_t message, const uint64_t (*numbers)[2])
{
	proto_begin(out, message);
	for (; (*numbers)[0]; numbers++)
		proto_element(out, (*numbers)[0], (*numbers)[1]);
	proto_end(out);
}

/* Writes a message whose fields are numbers. */
#define PUT(message, ...)	put(message, (const uint64_t [][2]) { __VA_ARGS__, { 0 } })

static void put_strings(const char *const *strings)
{
	for (; *strings; strings++)
		proto_bytes(out, 6, *strings, strlen(*strings));
}

#define PUT_STRINGS(...)	put_strings((const char *const[]){ "", ##__VA_ARGS__, NULL })

static const char *at(const struct model *m, uint32_t string)
{
	return model_string(m, string);
}

/* Tables come after the samples and before the sample types; ids are sparse, two of them large. */
static void test_any_order_and_any_id(void **state)
{
	static const uint64_t stack[] = { 7, 1ULL << 63, 7 };
	const uint32_t *locations;
	struct model *m;
	uint32_t nr;

	(void)state;
	proto_begin(out, 2);
	proto_element(out, 2, 5);
	proto_packed(out, 1, stack, 2);
	proto_element(out, 1, stack[2]);
	proto_end(out);
	PUT(4, { 3, 0x2000 }, { 1, 1ULL << 63 }, { 2, 99 });
	proto_begin(out, 4);
	proto_element(out, 1, 7);
	proto_element(out, 2, 1ULL << 40);
	PUT(4, { 1, 300 }, { 2, 12 }, { 3, 4 });
	proto_end(out);
	PUT(5, { 1, 300 }, { 2, 2 }, { 5, 10 });
	PUT(3, { 1, 1ULL << 40 }, { 2, 0x1000 }, { 3, 0x3000 }, { 5, 3 }, { 7, 2 }, { 10, 1 },
	    { 10, 0 });
	PUT_STRINGS("samples", "f", "/bin/app");
	PUT(1, { 1, 1 });
	m = decode_written();
	assert_string_equal(at(m, m->sample_types.items[0].type), "samples");
	assert_int_equal(m->samples.nr, 1);
	assert_int_equal(model_values(m, 0)[0], 5);
	locations = model_stack(m, m->samples.items[0].stack, &nr);
	assert_int_equal(nr, 3);
	assert_int_equal(locations[0], 1);
	assert_int_equal(locations[1], 0);
	assert_int_equal(locations[2], 1);
	assert_int_equal(m->locations.items[0].mapping, MODEL_NONE);
	assert_int_equal(m->locations.items[1].mapping, 0);
	assert_int_equal(model_lines(m, &m->locations.items[1])->line, 12);
	assert_int_equal(model_lines(m, &m->locations.items[1])->column, 4);
	assert_int_equal(model_lines(m, &m->locations.items[1])->function, 0);
	assert_string_equal(at(m, m->functions.items[0].name), "f");
	assert_int_equal(m->mappings.items[0].flags, PROFILE_HAS_FUNCTIONS);
	assert_string_equal(at(m, m->mappings.items[0].file), "/bin/app");
	assert_true(facts.has_sparse_locations && facts.has_sparse_functions);
	assert_true(facts.has_sparse_mappings && facts.has_lost_mapping);
	assert_int_equal(m->mapping_ids.nr, 1);
	assert_true(m->mapping_ids.items[0] == 1ULL << 40);
	assert_int_equal(m->location_ids.nr, 2);
	assert_true(m->location_ids.items[0] == 1ULL << 63);
	assert_int_equal(m->location_ids.items[1], 7);
	assert_int_equal(facts.nr_bytes, wire.len);
	model_free(m);
}

static void test_scalars_and_unknown_fields(void **state)
{
	static const uint64_t comments[] = { 1, 2 };
	static const char fixed[] = "\x85\x01" "four" "\x81\x01" "eight---";
	struct model *m;

	(void)state;
	PUT_STRINGS("a", "b");
	proto_bytes(out, 100, "xyz", 3);
	proto_bytes(out, 0, "", 0);
	for (uint32_t i = 7; i <= 15; i++)
		if (i != 11)
			proto_packed(out, i == 13 ? 13 : 99, comments, 2);
	proto_element(out, 7, 2);
	proto_element(out, 7, 1);
	proto_element(out, 8, 2);
	proto_element(out, 9, 0);
	proto_element(out, 9, 77);
	proto_element(out, 10, (uint64_t)-3);
	proto_element(out, 12, 8);
	proto_element(out, 13, 1);
	proto_element(out, 14, 1);
	proto_element(out, 15, 2);
	PUT(11, { 1, 1 }, { 2, 2 }, { 77, 3 });
	PUT(11, { 2, 1 });
	assert_int_equal(proto_flush(out), 0);
	memory_sink_write(&wire, fixed, sizeof(fixed) - 1);
	m = decode_written();
	assert_string_equal(at(m, m->drop_frames), "a");
	assert_string_equal(at(m, m->keep_frames), "b");
	assert_int_equal(m->time_ns, 77);
	assert_int_equal(m->duration_ns, -3);
	assert_int_equal(m->period, 8);
	assert_int_equal(m->comments.nr, 3);
	assert_string_equal(at(m, m->comments.items[1]), "b");
	assert_string_equal(at(m, m->default_sample_type), "a");
	assert_string_equal(at(m, m->doc_url), "b");
	assert_int_equal(m->period_type.type, 0);
	assert_string_equal(at(m, m->period_type.unit), "a");
	model_free(m);
}

/* A table may have a string twice. Two label sets that differ in the index alone are one. */
static void test_equal_strings_are_one(void **state)
{
	struct model *m;

	(void)state;
	PUT_STRINGS("k", "v", "k", "v", "t", "");
	PUT(1, { 1, 5 }, { 2, 6 });
	for (int i = 0; i < 2; i++) {
		proto_begin(out, 2);
		proto_element(out, 2, i);
		PUT(3, { 1, 1 + 2 * i }, { 2, 2 + 2 * i });
		proto_end(out);
	}
	m = decode_written();
	assert_int_equal(strtab_nr(m->strings), 4);
	assert_int_equal(m->sample_types.items[0].unit, 0);
	assert_int_equal(m->samples.nr, 2);
	assert_int_equal(m->samples.items[0].label_set, m->samples.items[1].label_set);
	model_free(m);
}

/* A text wins over a number; a label without any value is dropped. */
static void test_labels(void **state)
{
	const struct model_label *labels;
	struct model *m;
	uint32_t nr;

	(void)state;
	PUT_STRINGS("k", "v", "a");
	PUT(1, { 1, 1 });
	proto_begin(out, 2);
	proto_element(out, 2, 1);
	PUT(3, { 1, 1 }, { 3, 5 });
	PUT(3, { 1, 1 }, { 4, 2 });
	PUT(3, { 1, 1 }, { 2, 2 }, { 3, 9 }, { 4, 2 });
	PUT(3, { 1, 1 }, { 3, 0 });
	PUT(3, { 2, 3 });
	PUT(3, { 1, 3 }, { 3, 7 }, { 4, 2 });
	proto_end(out);
	m = decode_written();
	labels = model_labels(m, m->samples.items[0].label_set, &nr);
	assert_int_equal(nr, 5);
	assert_string_equal(at(m, labels[0].key), "");
	assert_string_equal(at(m, labels[0].str), "a");
	assert_string_equal(at(m, labels[1].str), "v");
	assert_true(!labels[1].is_number && !labels[1].num && !labels[1].unit);
	assert_string_equal(at(m, labels[2].key), "a");
	assert_true(labels[2].is_number && labels[2].num == 7);
	assert_int_equal(labels[3].num, 5);
	assert_string_equal(at(m, labels[4].unit), "v");
	assert_true(facts.has_label_without_key);
	model_free(m);
}

/* A sample of three parts: labels of the key "k" are at at_part. The value is the location's id. */
static void put_sample(uint64_t location, int at_part, const uint64_t *numbers, size_t nr_numbers)
{
	proto_begin(out, 2);
	for (int part = 0; part < 3; part++) {
		if (part == (at_part + 1) % 3)
			proto_packed(out, 1, &location, 1);
		if (part == (at_part + 2) % 3)
			proto_element(out, 2, location);
		for (size_t i = 0; part == at_part && i < nr_numbers; i++)
			PUT(3, { 1, 1 }, { 3, numbers[i] });
	}
	proto_end(out);
}

static void check_sample(const struct model *m, size_t i, uint64_t location,
			 const uint64_t *numbers, size_t nr_numbers)
{
	const struct model_label *labels;
	uint32_t nr, *stack = span_set_at(&m->stacks, m->samples.items[i].stack);

	assert_int_equal(*stack, location - 1);
	assert_int_equal(*model_values(m, i), location);
	labels = model_labels(m, m->samples.items[i].label_set, &nr);
	assert_int_equal(nr, nr_numbers);
	for (uint32_t k = 0; k < nr; k++)
		assert_int_equal(labels[k].num, numbers[k]);
}

/*
 * Labels come again: in another place of a sample, a part of those of another sample, and more of
 * them than are remembered.
 */
static void test_equal_labels_in_other_samples(void **state)
{
	static const uint64_t numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct model *m;

	(void)state;
	PUT_STRINGS("k");
	PUT(1, { 1, 1 });
	for (uint64_t i = 0; i < 2000; i++)
		put_sample(1 + i % 40, i % 3, numbers + i % 5, i % 7);
	for (uint64_t i = 0; i < 40; i++)
		PUT(4, { 1, i + 1 });
	m = decode_written();
	for (uint64_t i = 0; i < 2000; i++)
		check_sample(m, i, 1 + i % 40, numbers + i % 5, i % 7);
	assert_int_equal(m->stacks.nr, 41);
	model_free(m);
}

/* A tag may have more bytes than it needs. So the second sample has one label before its tail. */
static void test_a_label_with_a_long_tag(void **state)
{
	static const char samples[] =
		"\x12\x08" "\x10\x05" "\x1a\x04\x08\x01\x18\x07"
		"\x12\x0f" "\x10\x05" "\x9a\x00\x04\x08\x01\x18\x06" "\x1a\x04\x08\x01\x18\x07"
		"\x12\x09" "\x10\x05" "\x9a\x00\x04\x08\x01\x18\x06";
	const struct model_label *labels;
	struct model *m;
	uint32_t nr;

	(void)state;
	PUT_STRINGS("k");
	PUT(1, { 1, 1 });
	assert_int_equal(proto_flush(out), 0);
	memory_sink_write(&wire, samples, sizeof(samples) - 1);
	m = decode_written();
	labels = model_labels(m, m->samples.items[0].label_set, &nr);
	assert_true(nr == 1 && labels[0].num == 7);
	labels = model_labels(m, m->samples.items[1].label_set, &nr);
	assert_true(nr == 2 && labels[0].num == 6 && labels[1].num == 7);
	labels = model_labels(m, m->samples.items[2].label_set, &nr);
	assert_true(nr == 1 && labels[0].num == 6);
	model_free(m);
}

static void test_no_samples_need_no_types(void **state)
{
	struct model *m;

	(void)state;
	PUT_STRINGS();
	m = decode_written();
	assert_int_equal(m->samples.nr + m->sample_types.nr + m->comments.nr, 0);
	model_free(m);
}

#define ONE_STRING	"\x32\x00"
#define SAMPLE_OF_1	"\x12\x02\x10\x01"
#define TYPE		"\x0a\x00"

static const struct {
	const char *data;
	size_t len;
	uint64_t offset;
	const char *text;
} faults[] = {
#define FAULT(data, offset, text)	{ data, sizeof(data) - 1, offset, text }
	FAULT("", 0, "expected a profile, found no data"),
	FAULT("\x0b", 0, "a wire type"),
	FAULT(ONE_STRING "\x1f", 2, "a wire type"),
	FAULT(ONE_STRING "\xff", 2, "a tag"),
	FAULT(ONE_STRING "\x48\xff", 3, "a varint"),
	FAULT(ONE_STRING "\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 3,
	      "a varint"),
	FAULT(ONE_STRING "\x12\x05\x10\x01", 4, "expected 5 bytes of field 2, found 2"),
	FAULT(ONE_STRING "\xa2\x06\x05\x10\x01", 5,
	      "expected 5 bytes of field 100, found 2"),
	FAULT(ONE_STRING "\x12\xff\xff\xff\xff\x0f\x01", 8,
	      "expected 4294967295 bytes of field 2, found 1"),
	FAULT(ONE_STRING "\x12\x03\x0a\x02\x01", 6, "a length that fits in the message"),
	FAULT(ONE_STRING "\x10\x01", 2, "expected wire type 2 in field 2, found 0"),
	FAULT(ONE_STRING "\x4a\x00", 4, "expected wire type 0 in field 9, found 2"),
	FAULT(ONE_STRING "\x12\x05\x0d\x01\x01\x01\x01", 4,
	      "expected wire type 0 in field 1"),
	FAULT(ONE_STRING "\x12\x05\x15\x01\x01\x01\x01", 4,
	      "expected wire type 0 in field 2"),
	FAULT(ONE_STRING "\x22\x02\x20\x01", 4, "expected wire type 2 in field 4"),
	FAULT(ONE_STRING "\x12\x03\x0a\x01\x80", 6, "a varint"),
	FAULT(ONE_STRING "\x12\x07\x0a\x05\x01\x02\x83\x01\x84", 10, "a varint"),
	FAULT(ONE_STRING "\x48\x01\x48\x01", 4, "a second one"),
	FAULT("\x32\x01" "a", 2, "an empty string"),
	FAULT("\x48\x01", UINT64_MAX, "a table of strings"),
	FAULT(ONE_STRING "\x38\x00\x70\x01", 4, "a string index below 1, found 1"),
	FAULT(ONE_STRING "\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 2,
	      "index of a string"),
	FAULT(ONE_STRING SAMPLE_OF_1, UINT64_MAX, "0 values in each sample, found 1"),
	FAULT(ONE_STRING "\x12\x00", UINT64_MAX, "expected sample types"),
	FAULT(ONE_STRING TYPE SAMPLE_OF_1 "\x12\x04\x10\x01\x10\x01", 10,
	      "1 values in each sample, found 2"),
	FAULT(ONE_STRING TYPE "\x12\x04\x08\x00\x10\x01", 6,
	      "a location id that is not 0"),
	FAULT(ONE_STRING TYPE "\x12\x05\x0a\x01\x00\x10\x01", 8,
	      "a location id that is not 0"),
	FAULT(ONE_STRING TYPE "\x12\x0c\x0a\x08\x01\x02\x83\x01\x04\x05\x06\x00\x10\x01", 15,
	      "a location id that is not 0"),
	FAULT(ONE_STRING TYPE "\x12\x04\x08\x05\x10\x01", UINT64_MAX,
	      "a location with id 5"),
	FAULT(ONE_STRING "\x1a\x00", 4, "an id that is not 0"),
	FAULT(ONE_STRING "\x22\x00", 4, "an id that is not 0"),
	FAULT(ONE_STRING "\x2a\x00", 4, "an id that is not 0"),
	FAULT(ONE_STRING "\x1a\x02\x08\x05\x1a\x02\x08\x05", UINT64_MAX,
	      "mappings, found 5 twice"),
	FAULT(ONE_STRING "\x22\x02\x08\x05\x22\x02\x08\x05", UINT64_MAX,
	      "locations, found 5"),
	FAULT(ONE_STRING "\x2a\x02\x08\x01\x2a\x02\x08\x01", UINT64_MAX,
	      "functions, found 1"),
	FAULT(ONE_STRING "\x22\x04\x08\x01\x22\x00", 8, "a line with a function id"),
	FAULT(ONE_STRING "\x22\x06\x08\x01\x22\x02\x08\x09", UINT64_MAX,
	      "a function with id 9"),
};

static void test_faults(void **state)
{
	struct model *m;

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		assert_int_equal(decode(faults[i].data, faults[i].len, &m), -EBADMSG);
		if (!strstr(fault.text, faults[i].text) || fault.offset != faults[i].offset)
			fail_msg("case %zu: %s, at %llu", i, fault.text,
				 (unsigned long long)fault.offset);
		assert_non_null(strstr(fault.text, ": "));
	}
}

/* Has all messages, and two samples of equal stacks. */
static void put_small_profile(void)
{
	static const uint64_t stack[] = { 1, 2, 1 };

	PUT(1, { 1, 1 }, { 2, 2 });
	for (int i = 0; i < 2; i++) {
		proto_begin(out, 2);
		proto_packed(out, 1, stack, 3);
		proto_element(out, 2, (uint64_t)-1 - i);
		PUT(3, { 1, 3 }, { 2, 7 });
		PUT(3, { 1, 3 }, { 3, 5 }, { 4, 4 });
		proto_end(out);
	}
	PUT(3, { 1, 1 }, { 2, 0x1000 }, { 3, 0x2000 }, { 4, 0x1000 }, { 5, 1 }, { 6, 2 }, { 7, 1 },
	    { 9, 1 });
	proto_begin(out, 4);
	proto_element(out, 1, 1);
	proto_element(out, 2, 1);
	PUT(4, { 1, 1 }, { 2, 12 });
	PUT(4, { 1, 2 }, { 3, 4 });
	proto_element(out, 5, 1);
	proto_end(out);
	PUT(4, { 1, 2 }, { 3, 0x1800 });
	PUT(5, { 1, 1 }, { 2, 5 }, { 3, 6 }, { 4, 1 }, { 5, 8 });
	PUT(5, { 1, 2 });
	PUT_STRINGS("1", "2", "3", "4", "5", "6", "");
	for (uint32_t i = 7; i <= 15; i++)
		if (i != 11)
			proto_element(out, i, i < 13 ? 1 + i % 3 : 3);
	PUT(11, { 1, 2 }, { 2, 1 });
}

static void encode(const struct model *m, struct memory_sink *to)
{
	to->len = 0;
	assert_int_equal(encode_profile(m, memory_sink_write, to), 0);
}

/* Equal bytes after another round, and not more of them than in the file. */
static void test_round_trip(void **state)
{
	static struct memory_sink first, second;
	struct model *m;

	(void)state;
	put_small_profile();
	m = decode_written();
	encode(m, &first);
	model_free(m);
	assert_true(first.len <= wire.len);
	assert_int_equal(decode(first.data, first.len, &m), 0);
	assert_int_equal(m->samples.nr, 2);
	assert_int_equal(m->samples.items[0].label_set, 1);
	assert_int_equal(span_set_len(&m->label_sets, 1), 2);
	assert_true(m->locations.items[0].is_folded);
	assert_int_equal(m->locations.items[0].nr_lines, 2);
	assert_int_equal(m->mappings.items[0].flags, PROFILE_HAS_FUNCTIONS |
			 PROFILE_HAS_LINE_NUMBERS);
	encode(m, &second);
	model_free(m);
	assert_int_equal(first.len, second.len);
	assert_memory_equal(first.data, second.data, first.len);
}

/* A file may be cut at any byte. */
static void test_each_prefix(void **state)
{
	struct model *m;

	(void)state;
	put_small_profile();
	assert_int_equal(proto_flush(out), 0);
	for (size_t len = 0; len < wire.len; len++) {
		uint8_t *part = malloc(len + !len);

		memcpy(part, wire.data, len);
		if (!decode(part, len, &m))
			model_free(m);
		else
			assert_true(fault.text[0]);
		free(part);
	}
}

static void test_every_allocation_may_fail(void **state)
{
	int err = -ENOMEM;
	struct model *m;
	long n;

	(void)state;
	put_small_profile();
	assert_int_equal(proto_flush(out), 0);
	for (n = 0; err && n < 1000; n++) {
		allocations_left = n;
		err = decode(wire.data, wire.len, &m);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 15);
	for (err = -ENOMEM, n = 0; err && n < 1000; n++) {
		wire.len = 0;
		allocations_left = n;
		err = encode_profile(m, memory_sink_write, &wire);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
	}
	assert_int_equal(err, 0);
	assert_true(n > 5);
	model_free(m);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_any_order_and_any_id),
		WITH_SETUP(test_scalars_and_unknown_fields),
		WITH_SETUP(test_equal_strings_are_one),
		WITH_SETUP(test_labels),
		WITH_SETUP(test_equal_labels_in_other_samples),
		WITH_SETUP(test_a_label_with_a_long_tag),
		WITH_SETUP(test_no_samples_need_no_types),
		WITH_SETUP(test_faults),
		WITH_SETUP(test_round_trip),
		WITH_SETUP(test_each_prefix),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
