// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/published_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
// includes: tests/programs/otel_publish.h
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "process/published_context.h"
#include "tests/programs/otel_publish.h"

#define MS	UINT64_C(1000000)

/* The result of the next read, and the name in its payload; NULL: the payload is damaged. */
static int result;
static const char *name;
static int nr_reads;

int context_mapping_read(pid_t pid, struct context_mapping *m, struct context_payload *payload)
{
	const char *const attributes[] = { "service.name", name, NULL };
	struct otel_message message;

	(void)m;
	nr_reads++;
	assert_int_equal(pid, 42);
	if (result <= 0)
		return result;
	message = otel_resource(name ? attributes : attributes + 2);
	payload->bytes = name ? message.len : 1;
	payload->data = malloc(payload->bytes);
	memcpy(payload->data, message.bytes, payload->bytes);
	return result;
}

/* Reads once, with this result, and returns how long the next read has to wait. */
static uint64_t read_at(struct published_context *p, uint64_t now, int next_result)
{
	struct process_context fresh;

	result = next_result;
	nr_reads = 0;
	if (published_context_read(p, 42, now, false, &fresh))
		published_context_set(p, &fresh, true);
	assert_int_equal(nr_reads, 1);
	assert_false(published_context_read(p, 42, p->next_ns - 1, false, &fresh));
	assert_int_equal(nr_reads, 1);
	return p->next_ns - now;
}

static void test_searches_become_rare(void **state)
{
	struct published_context p = { 0 };
	uint64_t now = 5, wait = 0, last = 0;

	(void)state;
	assert_int_equal(read_at(&p, now, -ENOENT), 100 * MS);
	for (int i = 0; i < 40; i++) {
		now = p.next_ns;
		last = wait;
		wait = read_at(&p, now, -ENOENT);
		assert_true(wait >= last);
	}
	assert_true(wait >= 102400 * MS && wait < 130000 * MS);
	assert_int_equal(last, wait);
	published_context_fini(&p);
}

static void test_known_context_is_compared(void **state)
{
	struct published_context p = { 0 };

	(void)state;
	read_at(&p, 1, -ENOENT);
	name = "shop";
	assert_int_equal(read_at(&p, 1000 * MS, 1), 5000 * MS);
	assert_string_equal(p.last.service, "shop");
	assert_int_equal(read_at(&p, 9000 * MS, 0), 5000 * MS);
	assert_string_equal(p.last.service, "shop");
	name = "cart";
	read_at(&p, 90000 * MS, 1);
	assert_string_equal(p.last.service, "cart");
	/* It is being changed: soon again. */
	assert_int_equal(read_at(&p, 99000 * MS, -EAGAIN), 100 * MS);
	/* It is gone. What it said still holds. */
	read_at(&p, 99900 * MS, -ENOENT);
	assert_string_equal(p.last.service, "cart");
	name = NULL;
	read_at(&p, 199900 * MS, 1);
	assert_null(p.last.service);
	published_context_fini(&p);
}

static void test_another_program(void **state)
{
	struct published_context p = { 0 };
	struct process_context fresh;

	(void)state;
	result = 1;
	name = "shop";
	assert_true(published_context_read(&p, 42, 1, false, &fresh));
	published_context_set(&p, &fresh, false);
	assert_null(p.last.service);
	published_context_fini(&p);
}

/* A thread context shows that there should be a process context. */
static void test_urgent(void **state)
{
	struct published_context p = { 0 };
	struct process_context fresh;
	uint64_t now = 5;

	(void)state;
	for (int i = 0; i < 10; i++, now = p.next_ns)
		read_at(&p, now, -ENOENT);
	now = p.next_ns - p.wait_ns;
	nr_reads = 0;
	assert_false(published_context_read(&p, 42, now + 99 * MS, true, &fresh));
	assert_int_equal(nr_reads, 0);
	result = 1;
	name = "shop";
	assert_true(published_context_read(&p, 42, now + 100 * MS, true, &fresh));
	published_context_set(&p, &fresh, true);
	assert_false(published_context_read(&p, 42, now + 200 * MS, true, &fresh));
	published_context_fini(&p);
}

/* Names of attributes are added while the program runs. */
static void test_names_are_compared_more_often(void **state)
{
	struct published_context p = { .last = { .has_threads = true } };

	(void)state;
	assert_int_equal(read_at(&p, 1000 * MS, 0), 1000 * MS);
	published_context_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_searches_become_rare),
		cmocka_unit_test(test_known_context_is_compared),
		cmocka_unit_test(test_another_program),
		cmocka_unit_test(test_urgent),
		cmocka_unit_test(test_names_are_compared_more_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
