// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/otlp_request.c collector/push/push_item.c collector/push/gzip_bytes.c
// sources: collector/push/push_request.c collector/push/push_labels.c collector/push/byte_buffer.c
// sources: collector/formats/otlp_writer.c collector/formats/otlp_attributes.c
// sources: collector/pprof/model.c collector/pprof/profile_fault.c collector/pprof/protobuf.c
// sources: collector/base/span_set.c collector/base/string_table.c collector/base/tuple_map.c
// sources: collector/base/utf8.c
// libs: -lxxhash -lz
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>
#include <cmocka.h>

#include "pprof/profile_fault.h"
#include "push/otlp_request.h"
#include "push/push_request.h"
#include "made_item.h"
#include "made_profile.h"

static const char *const cpu[] = { "samples", "count", "cpu", "nanoseconds", NULL };
static const char *const contention[] = { "contentions", "count", "delay", "nanoseconds", NULL };

static void assert_values(const struct model *m, int64_t first, int64_t second)
{
	assert_int_equal(m->sample_types.nr, 1);
	assert_int_equal(model_values(m, 0)[0], first);
	assert_int_equal(model_values(m, 1)[0], second);
}

static void ticks(void **state)
{
	struct model *m = made_profile(cpu, "cpu", 10000000);

	(void)state;
	assert_int_equal(otlp_request_shape(m, "cpu"), 0);
	assert_type(m, 0, "samples", "count");
	assert_values(m, 1, 101);
	assert_int_equal(m->period, 10000000);
	model_free(m);
	m = made_profile(cpu, "cpu", 0);	/* without a period nobody could multiply */
	assert_int_equal(otlp_request_shape(m, "cpu"), 0);
	assert_int_equal(m->sample_types.nr, 2);
	model_free(m);
}

static void waits(void **state)
{
	struct model *m = made_profile(contention, "contentions", 1);

	(void)state;
	assert_int_equal(otlp_request_shape(m, "mutex"), 0);
	assert_int_equal(m->sample_types.nr, 2);
	assert_type(m, 0, "contentions", "count");
	assert_int_equal(otlp_request_shape(m, "block"), 0);
	assert_type(m, 0, "off_cpu", "nanoseconds");
	assert_values(m, 2, 102);
	assert_int_equal(m->period, 0);
	assert_int_equal(m->period_type.type, 0);
	model_free(m);
}

/* Inflates the body. Returns: its length. */
static size_t inflate_body(const struct push_request *r, unsigned char *to, size_t size)
{
	z_stream z = {
		.next_in = r->body.items, .avail_in = r->body.nr, .next_out = to, .avail_out = size,
	};

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	return z.total_out;
}

#define assert_has(data, len, literal) \
	assert_non_null(memmem(data, len, literal, sizeof(literal) - 1))

static void request(void **state)
{
	struct push_item *item = made_item("cpu");
	struct model *m = made_profile(cpu, "cpu", 10000000);
	struct push_request r = { 0 };
	struct profile_fault fault;
	unsigned char body[4096];
	size_t len;

	(void)state;
	assert_int_equal(push_labels_set(&item->labels, "pid", "42"), 0);
	assert_int_equal(otlp_request("http://a", item, m, &r, &fault), 0);
	assert_string_equal(r.method, "POST");
	assert_string_equal(r.url, "http://a/v1development/profiles");
	assert_int_equal(r.nr_headers, 3);
	assert_string_equal(r.headers[0], "Content-Type: application/x-protobuf");
	assert_string_equal(r.headers[1], "Content-Encoding: gzip");
	assert_string_equal(r.headers[2], "OTLP-Profiles-Development-Version: 1");
	len = inflate_body(&r, body, sizeof(body));
	/* resource_profiles { resource { attributes { key, value }... } */
	assert_int_equal(body[0], 0x0a);
	assert_has(body, len, "\x0a\x37\x0a\x0a\x0a\x03" "a.b\x12\x03\x0a\x01x"
		   "\x0a\x11\x0a\x0bprocess.pid\x12\x02\x18\x2a"
		   "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop");
	push_request_fini(&r);
	model_free(m);
	push_item_put(item);
}

static void empty(void **state)
{
	struct push_item *item = made_item("cpu");
	struct model *m = made_profile(cpu, "cpu", 10000000);
	struct push_request r = { 0 };
	struct profile_fault fault;

	(void)state;
	m->samples.nr = 0;
	assert_int_equal(otlp_request("http://a", item, m, &r, &fault), -ENODATA);
	push_request_fini(&r);
	model_free(m);
	push_item_put(item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks), cmocka_unit_test(waits), cmocka_unit_test(request),
		cmocka_unit_test(empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
