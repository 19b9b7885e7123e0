// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/pyroscope_request.c collector/push/push_item.c
// sources: collector/push/push_request.c collector/push/push_labels.c collector/push/byte_buffer.c
// sources: collector/pprof/protobuf.c collector/base/utf8.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "push/push_request.h"
#include "push/pyroscope_request.h"
#include "made_item.h"

/* PushRequest: series { labels { name, value }..., samples { raw_profile } } */
#define NAME	"\x0a\x17\x0a\x08__name__\x12\x0bprocess_cpu"
#define MEMORY	"\x0a\x12\x0a\x08__name__\x12\x06memory\x0a\x12\x0a\x09__delta__\x12\x05" "false"
#define CUSTOM	"\x0a\x16\x0a\x08__name__\x12\x0amy_conns_x"
#define LABELS	"\x0a\x08\x0a\x03" "a_b\x12\x01x\x0a\x14\x0a\x0cservice_name\x12\x04shop"
#define SAMPLE	"\x12\x09\x0a\x07PROFILE"

static void check(const char *type, const char *series, size_t len)
{
	struct push_item *item = made_item(type);
	struct push_request r = { 0 };

	assert_int_equal(pyroscope_request("http://a/x", item, &item->bytes, &r), 0);
	assert_string_equal(r.method, "POST");
	assert_string_equal(r.url, "http://a/x/push.v1.PusherService/Push");
	assert_int_equal(r.nr_headers, 2);
	assert_string_equal(r.headers[0], "Content-Type: application/proto");
	assert_string_equal(r.headers[1], "Connect-Protocol-Version: 1");
	assert_int_equal(r.body.nr, len + 2);
	assert_int_equal(r.body.items[0], 0x0a);
	assert_int_equal(r.body.items[1], len);
	assert_memory_equal(r.body.items + 2, series, len);
	push_request_fini(&r);
	push_item_put(item);
}

#define CHECK(type, series)	check(type, series, sizeof(series) - 1)

static void requests(void **state)
{
	(void)state;
	CHECK("cpu", NAME LABELS SAMPLE);
	CHECK("heap", MEMORY LABELS SAMPLE);
	CHECK("allocs", MEMORY LABELS SAMPLE);
	CHECK("my-conns/x", CUSTOM LABELS SAMPLE);
}

static void given_name(void **state)
{
	struct push_item *item = made_item("cpu");
	char *name;

	(void)state;
	assert_int_equal(push_labels_set(&item->labels, "__name__", "my-name"), 0);
	name = push_item_metric_name(item);
	assert_string_equal(name, "my_name");
	free(name);
	push_item_put(item);
}

/* Series are known by name and sample type: the values of heap must not come twice. */
static void same_values(void **state)
{
	struct push_item *item = made_item("allocs");

	(void)state;
	assert_true(push_item_is_for(item, PUSH_PYROSCOPE));
	item->is_in_heap = true;
	assert_false(push_item_is_for(item, PUSH_PYROSCOPE));
	assert_false(push_item_is_for(item, PUSH_PARCA));
	assert_false(push_item_is_for(item, PUSH_OTLP));
	assert_true(push_item_is_for(item, PUSH_HTTP));
	assert_true(push_item_is_for(item, PUSH_S3));
	push_item_put(item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests), cmocka_unit_test(given_name),
		cmocka_unit_test(same_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
