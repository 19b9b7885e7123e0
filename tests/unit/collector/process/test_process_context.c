// SPDX-License-Identifier: GPL-2.0
// sources: collector/process/process_context.c collector/base/utf8.c
// includes: tests/programs/otel_publish.h
// libs: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "process/process_context.h"
#include "tests/programs/otel_publish.h"

static struct process_context decode(const struct otel_message *m)
{
	struct process_context c;

	assert_int_equal(process_context_decode(&c, m->bytes, m->len), 0);
	return c;
}

/* Decodes a resource with these attributes, and expects these bytes of labels. */
static void expect(const char *const *attributes, const char *labels, size_t bytes)
{
	struct otel_message m = otel_resource(attributes);
	struct process_context c = decode(&m);

	assert_int_equal(c.label_bytes, bytes);
	assert_memory_equal(c.labels, labels, bytes);
	process_context_fini(&c);
}

#define EXPECT(labels, ...)	\
	expect((const char *const[]){ __VA_ARGS__, NULL }, labels, sizeof(labels) - 1)

static void test_labels(void **state)
{
	(void)state;
	EXPECT("service.name\0shop\0", "service.name", "shop");
	EXPECT("service.name\0shop\0service.namespace\0eu\0service.version\0001.2\0"
	       "deployment.environment.name\0test\0",
	       "deployment.environment.name", "test", "service.version", "1.2",
	       "service.instance.id", "3c0", "service.namespace", "eu", "service.name", "shop");
	EXPECT("", "service.nam", "a", "service.names", "b", "", "c");
}

static void test_service(void **state)
{
	const char *const attributes[] = { "service.version", "2", "service.name", "shop", NULL };
	const char *const nameless[] = { "service.version", "2", NULL };
	struct otel_message m = otel_resource(attributes);
	struct process_context c = decode(&m);

	(void)state;
	assert_string_equal(c.service, "shop");
	process_context_fini(&c);
	assert_null(c.service);
	assert_int_equal(c.label_bytes, 0);
	m = otel_resource(nameless);
	c = decode(&m);
	assert_null(c.service);
	process_context_fini(&c);
}

static void test_nothing(void **state)
{
	const struct otel_message empty = { .len = 0 };
	struct process_context c = decode(&empty);

	(void)state;
	assert_int_equal(c.label_bytes, 0);
	assert_null(c.service);
	process_context_fini(&c);
	process_context_fini(&c);
}

static void test_values_that_are_left_out(void **state)
{
	char longest[PROCESS_CONTEXT_MAX_TEXT + 1], longer[PROCESS_CONTEXT_MAX_TEXT + 2];
	char expected[sizeof("service.name") + sizeof(longest)] = "service.name";

	(void)state;
	memset(longest, 'a', sizeof(longest));
	longest[PROCESS_CONTEXT_MAX_TEXT] = 0;
	memset(longer, 'a', sizeof(longer));
	longer[PROCESS_CONTEXT_MAX_TEXT + 1] = 0;
	memcpy(expected + sizeof("service.name"), longest, sizeof(longest));
	expect((const char *const[]){ "service.name", longest, NULL }, expected, sizeof(expected));
	EXPECT("", "service.name", longer);
	EXPECT("", "service.name", "");
	EXPECT("", "service.name", "\xff");
	EXPECT("", "service.name", "\xc3");
	EXPECT("service.name\0\xc3\xbc\n\"\0", "service.name", "\xc3\xbc\n\"");
}

/* The specification forbids a second value. Which one is right cannot be known. */
static void test_a_key_twice(void **state)
{
	(void)state;
	EXPECT("", "service.name", "a", "service.name", "b");
	EXPECT("", "service.name", "a", "service.name", "a");
	EXPECT("", "service.name", "a", "service.name", "b", "service.name", "c");
	EXPECT("service.version\0001\0", "service.name", "a", "service.version", "1",
	       "service.name", "b");
}

/* Makes a context whose service.name has this AnyValue. */
static struct otel_message with_value(const struct otel_message *any)
{
	struct otel_message pair = { .len = 0 }, resource = { .len = 0 }, m = { .len = 0 };

	otel_message(&pair, 2, any);
	otel_bytes(&pair, 1, "service.name", strlen("service.name"));	/* in any order */
	otel_message(&resource, 1, &pair);
	otel_message(&m, 1, &resource);
	return m;
}

static void expect_service(const char *bytes, size_t len, const char *service)
{
	struct otel_message any = { .len = len };
	struct process_context c;

	memcpy(any.bytes, bytes, len);
	any = with_value(&any);
	c = decode(&any);
	if (service)
		assert_string_equal(c.service, service);
	else
		assert_null(c.service);
	process_context_fini(&c);
}

#define EXPECT_SERVICE(bytes, service)	expect_service(bytes, sizeof(bytes) - 1, service)

static void test_kinds_of_values(void **state)
{
	(void)state;
	EXPECT_SERVICE("\x0a\x04shop", "shop");
	EXPECT_SERVICE("", NULL);
	EXPECT_SERVICE("\x10\x01", NULL);			/* a bool */
	EXPECT_SERVICE("\x18\x05", NULL);			/* a number */
	EXPECT_SERVICE("\x3a\x04shop", NULL);		/* bytes */
	EXPECT_SERVICE("\x2a\x06\x0a\x04\x0a\x02in", NULL);	/* an array of a string */
	EXPECT_SERVICE("\x0a\x04shop\x18\x05", NULL);	/* the last one counts */
	EXPECT_SERVICE("\x18\x05\x0a\x04shop", "shop");
	EXPECT_SERVICE("\x0a\x03\x61\x00\x62", NULL);	/* a NUL */
}

/* Attributes beside the resource are not those of the resource. */
static void test_other_fields(void **state)
{
	struct otel_message m = { .len = 0 };
	struct process_context c;

	(void)state;
	otel_attribute(&m, 2, "service.name", "a");
	otel_attribute(&m, 3, "service.name", "b");
	c = decode(&m);
	assert_int_equal(c.label_bytes, 0);
	process_context_fini(&c);
}

/* Makes a context with a schema of thread contexts, and names of their attributes. */
static struct otel_message with_keys(const char *schema, const char *const *names, int nr_maps)
{
	struct otel_message m = { .len = 0 }, keys = { .len = 0 }, any = { .len = 0 };
	struct otel_message pair = { .len = 0 };

	for (; *names; names++) {
		struct otel_message name = { .len = 0 };

		otel_bytes(&name, 1, *names, strlen(*names));
		otel_message(&keys, 1, &name);
	}
	otel_message(&any, 5, &keys);
	otel_bytes(&pair, 1, "threadlocal.attribute_key_map", 29);
	otel_message(&pair, 2, &any);
	while (nr_maps--)
		otel_message(&m, 2, &pair);
	if (schema)
		otel_attribute(&m, 2, "threadlocal.schema_version", schema);
	return m;
}

static void test_names_of_attributes(void **state)
{
	const char *const names[] = { "http_route", "", "\xff", "user", NULL };
	struct otel_message m = with_keys("tls_v1", names, 1);
	struct process_context c = decode(&m);

	(void)state;
	assert_true(c.has_threads);
	assert_int_equal(c.nr_keys, 4);
	assert_string_equal(process_context_key(&c, 0), "http_route");
	assert_null(process_context_key(&c, 1));
	assert_null(process_context_key(&c, 2));
	assert_string_equal(process_context_key(&c, 3), "user");
	assert_null(process_context_key(&c, 4));
	assert_null(process_context_key(&c, 255));
	process_context_fini(&c);
	m = with_keys("tlsdesc_v1_dev", names, 2);	/* which map is right? */
	c = decode(&m);
	assert_true(c.has_threads);
	assert_int_equal(c.nr_keys, 0);
	assert_null(process_context_key(&c, 0));
	process_context_fini(&c);
}

static void test_other_schemas(void **state)
{
	const char *const schemas[] = { "go_pprof_labels_v1", "tls_v2", "", NULL };
	const char *const names[] = { "http_route", NULL };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct otel_message m = with_keys(schemas[i], names, 1);
		struct process_context c = decode(&m);

		assert_false(c.has_threads);
		assert_null(process_context_key(&c, 0));
		process_context_fini(&c);
	}
}

static void test_many_names(void **state)
{
	const char *names[PROCESS_CONTEXT_MAX_KEYS + 5];
	struct otel_message m;
	struct process_context c;

	(void)state;
	for (int i = 0; i < PROCESS_CONTEXT_MAX_KEYS + 4; i++)
		names[i] = i == PROCESS_CONTEXT_MAX_KEYS - 1 ? "z" : "";
	names[PROCESS_CONTEXT_MAX_KEYS + 4] = NULL;
	m = with_keys("tls_v1", names, 1);
	c = decode(&m);
	assert_int_equal(c.nr_keys, PROCESS_CONTEXT_MAX_KEYS);
	assert_string_equal(process_context_key(&c, 255), "z");
	process_context_fini(&c);
}

/* Each begin of a payload is decoded, or refused. The sanitizers check each read. */
static void test_every_begin(void **state)
{
	const char *const attributes[] = { "service.name", "shop", "service.version", "1", NULL };
	struct otel_message m = otel_resource(attributes);
	struct process_context c;

	(void)state;
	for (size_t len = 0; len < m.len; len++) {
		uint8_t *begin = malloc(len + 1);
		int err;

		memcpy(begin, m.bytes, len);
		err = process_context_decode(&c, begin, len);
		assert_int_equal(err, len ? -EINVAL : 0);
		assert_int_equal(c.label_bytes, 0);
		process_context_fini(&c);
		free(begin);
	}
}

static void test_damaged(void **state)
{
	const char *const attributes[] = { "service.name", "shop", "service.version", "1", NULL };
	struct otel_message m = otel_resource(attributes);
	struct process_context c;

	(void)state;
	for (size_t i = 0; i < m.len; i++)
		for (int byte = 0; byte < 256; byte++) {
			struct otel_message damaged = m;

			damaged.bytes[i] = byte;
			if (!process_context_decode(&c, damaged.bytes, damaged.len))
				process_context_fini(&c);
		}
}

static void test_without_memory(void **state)
{
	const char *const names[] = { "http_route", NULL };
	struct otel_message m = with_keys("tls_v1", names, 1);
	struct process_context c;
	int err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		allocations_left = i;
		err = process_context_decode(&c, m.bytes, m.len);
		allocations_left = -1;
		assert_int_equal(err, -ENOMEM);
		assert_null(c.labels);
		assert_null(c.keys);
		assert_int_equal(c.nr_keys, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_service),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_values_that_are_left_out),
		cmocka_unit_test(test_a_key_twice),
		cmocka_unit_test(test_kinds_of_values),
		cmocka_unit_test(test_other_fields),
		cmocka_unit_test(test_names_of_attributes),
		cmocka_unit_test(test_other_schemas),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_every_begin),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
