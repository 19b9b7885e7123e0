// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/retry.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "push/retry.h"

#define MS	UINT64_C(1000000)
#define S	(1000 * MS)

static enum push_verdict verdict(enum push_kind kind, long status)
{
	return push_verdict(kind, &(struct push_reply){ .status = status });
}

static void statuses(void **state)
{
	static const struct {
		long status;
		enum push_verdict verdict, otlp;
	} rows[] = {
		{ 200, PUSH_SENT, PUSH_SENT },		{ 204, PUSH_SENT, PUSH_SENT },
		{ 0, PUSH_REFUSED, PUSH_REFUSED },	{ 100, PUSH_REFUSED, PUSH_REFUSED },
		{ 301, PUSH_DENIED, PUSH_DENIED },	{ 308, PUSH_DENIED, PUSH_DENIED },
		{ 400, PUSH_REFUSED, PUSH_REFUSED },	{ 401, PUSH_DENIED, PUSH_DENIED },
		{ 403, PUSH_DENIED, PUSH_DENIED },	{ 404, PUSH_DENIED, PUSH_DENIED },
		{ 405, PUSH_DENIED, PUSH_DENIED },	{ 408, PUSH_UNSURE, PUSH_REFUSED },
		{ 409, PUSH_UNSURE, PUSH_REFUSED },	{ 413, PUSH_REFUSED, PUSH_REFUSED },
		{ 415, PUSH_REFUSED, PUSH_REFUSED },	{ 422, PUSH_REFUSED, PUSH_REFUSED },
		{ 429, PUSH_BUSY, PUSH_BUSY },		{ 499, PUSH_REFUSED, PUSH_REFUSED },
		{ 500, PUSH_UNSURE, PUSH_REFUSED },	{ 501, PUSH_DENIED, PUSH_DENIED },
		{ 502, PUSH_BUSY, PUSH_BUSY },		{ 503, PUSH_BUSY, PUSH_BUSY },
		{ 504, PUSH_BUSY, PUSH_BUSY },		{ 599, PUSH_UNSURE, PUSH_REFUSED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(verdict(PUSH_PYROSCOPE, rows[i].status), rows[i].verdict);
		assert_int_equal(verdict(PUSH_S3, rows[i].status), rows[i].verdict);
		assert_int_equal(verdict(PUSH_OTLP, rows[i].status), rows[i].otlp);
	}
}

static void without_status(void **state)
{
	(void)state;
	for (enum push_kind kind = 0; kind < PUSH_NR_KINDS; kind++) {
		assert_int_equal(push_verdict(kind, &(struct push_reply){
			.outcome = PUSH_NO_ANSWER, .status = 200 }), PUSH_BUSY);
		assert_int_equal(push_verdict(kind, &(struct push_reply){
			.outcome = PUSH_NOT_TRUSTED }), PUSH_DENIED);
	}
}

/* ExportProfilesServiceResponse { partial_success { rejected_profiles, error_message } } */
static void partial_success(void **state)
{
	struct push_reply reply = {
		.status = 200, .body = "\x0a\x64\x08\x01\x12\x60too many", .body_len = 14,
	};

	(void)state;
	assert_int_equal(push_verdict(PUSH_OTLP, &reply), PUSH_REFUSED);
	assert_int_equal(push_verdict(PUSH_PYROSCOPE, &reply), PUSH_SENT);
	reply.body[3] = 0;
	assert_int_equal(push_verdict(PUSH_OTLP, &reply), PUSH_SENT);
	for (reply.body_len = 0; reply.body_len < 4; reply.body_len++)
		assert_int_equal(push_verdict(PUSH_OTLP, &reply), PUSH_SENT);
	memcpy(reply.body, "\x0a\x00", reply.body_len = 2);
	assert_int_equal(push_verdict(PUSH_OTLP, &reply), PUSH_SENT);
	memcpy(reply.body, "{}", reply.body_len = 2);
	assert_int_equal(push_verdict(PUSH_OTLP, &reply), PUSH_SENT);
}

static void backoff(void **state)
{
	(void)state;
	assert_int_equal(push_backoff_ns(1, 0, 0), 250 * MS);
	assert_int_equal(push_backoff_ns(1, UINT32_MAX, 0), 500 * MS);
	assert_int_equal(push_backoff_ns(2, UINT32_MAX, 0), S);
	assert_int_equal(push_backoff_ns(10, UINT32_MAX, 0), 256 * S);
	assert_int_equal(push_backoff_ns(11, UINT32_MAX, 0), 300 * S);
	assert_int_equal(push_backoff_ns(UINT32_MAX, 0, 0), 150 * S);
	assert_in_range(push_backoff_ns(1, UINT32_MAX / 2, 0), 374 * MS, 375 * MS);
}

static void retry_after(void **state)
{
	(void)state;
	assert_int_equal(push_backoff_ns(1, 0, 7), 7 * S);
	assert_int_equal(push_backoff_ns(11, 0, 7), 150 * S);
	assert_int_equal(push_backoff_ns(1, 0, UINT64_MAX), 86400 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses), cmocka_unit_test(without_status),
		cmocka_unit_test(partial_success),
		cmocka_unit_test(backoff), cmocka_unit_test(retry_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
