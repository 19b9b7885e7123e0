// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/file_request.c collector/push/push_item.c collector/push/url_template.c
// sources: collector/push/push_request.c collector/push/push_labels.c collector/push/byte_buffer.c
// sources: collector/base/utf8.c
// sources: collector/base/library.c collector/base/libgnutls.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/libgnutls.h"
#include "push/file_request.h"
#include "push/push_request.h"
#include "made_item.h"

static void check(const struct push_request *r)
{
	assert_string_equal(r->method, "PUT");
	assert_string_equal(r->url, "http://a/shop/cpu-20261127T012000Z-unknown");
	assert_string_equal(r->headers[0], "Content-Type: application/octet-stream");
	assert_int_equal(r->body.nr, 7);
	assert_memory_equal(r->body.items, "PROFILE", 7);
}

static void plain(void **state)
{
	struct push_item *item = made_item("cpu");
	struct push_request r = { 0 };

	(void)state;
	assert_int_equal(file_request("http://a/%s/%k-%t-%H", item, &r), 0);
	check(&r);
	assert_int_equal(r.nr_headers, 1);
	push_request_fini(&r);
	push_item_put(item);
}

/* printf PROFILE | sha256sum */
static void s3(void **state)
{
	struct push_item *item = made_item("cpu");
	struct push_request r = { 0 };

	(void)state;
	assert_int_equal(file_request_s3("http://a/%s/%k-%t-%H", item, &r), 0);
	check(&r);
	assert_int_equal(r.nr_headers, 2);
	assert_string_equal(r.headers[1], "x-amz-content-sha256: 52639258e471bc04bf7f0baa70e29ba7adb6cbc9d8615e22b6dc56034cee2e2c");
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(plain), cmocka_unit_test(s3) };

	return cmocka_run_group_tests(tests, load, NULL);
}
