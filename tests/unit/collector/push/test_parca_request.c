// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/parca_request.c collector/push/push_item.c
// sources: collector/push/push_request.c collector/push/push_labels.c collector/push/byte_buffer.c
// sources: collector/base/json.c collector/base/utf8.c
// sources: collector/base/library.c collector/base/libgnutls.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/libgnutls.h"
#include "push/parca_request.h"
#include "push/push_request.h"
#include "made_item.h"

/* printf PROFILE | base64 */
static const char expected[] =
	"{\"series\":[{\"labels\":{\"labels\":[{\"name\":\"__name__\",\"value\":\"wall\"},"
	"{\"name\":\"a_b\",\"value\":\"\\\"\\\\\xc3\xa9\"},"
	"{\"name\":\"service_name\",\"value\":\"shop\"}]},"
	"\"samples\":[{\"rawProfile\":\"UFJPRklMRQ==\"}]}],\"normalized\":false}";

static void request(void **state)
{
	struct push_item *item = made_item("wall");
	struct push_request r = { 0 };

	(void)state;
	assert_int_equal(push_labels_set(&item->labels, "a.b", "\"\\\xc3\xa9"), 0);
	assert_int_equal(parca_request("http://a", item, &item->bytes, &r), 0);
	assert_string_equal(r.method, "POST");
	assert_string_equal(r.url, "http://a/api/profiles/writeraw");
	assert_int_equal(r.nr_headers, 1);
	assert_string_equal(r.headers[0], "Content-Type: application/json");
	assert_int_equal(r.body.nr, sizeof(expected) - 1);
	assert_memory_equal(r.body.items, expected, r.body.nr);
	push_request_fini(&r);
	push_item_put(item);
}

static int load(void **state)
{
	(void)state;
	return libgnutls_load();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(request) };

	return cmocka_run_group_tests(tests, load, NULL);
}
