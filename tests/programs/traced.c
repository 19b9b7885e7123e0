// SPDX-License-Identifier: GPL-2.0
/*
 * Threads with OpenTelemetry thread contexts.
 *
 *	traced SECONDS [LIBRARY]
 *
 * The variable is in this program, or in LIBRARY: see attached.h. traced-dlopen is built without
 * libtraced.c.
 *
 * Each of two threads spins for SECONDS in first() with a context of trace 01 and span 02, for
 * SECONDS in second() with a context of trace 03 and span 04, in invalid() with a context that is
 * being changed, and in none() without one. The first context has the attributes http_route=/a and
 * user=x; the second one http_route=/b, and one without a name.
 */
#include "attached.h"
#include "otel_publish.h"

struct record {
	uint8_t trace_id[16];
	uint8_t span_id[8];
	uint8_t valid;
	uint8_t flags;
	uint16_t attribute_bytes;
	uint8_t attributes[64];
};

static KEEP void first(void)
{
	work();
}

static KEEP void second(void)
{
	work();
}

static KEEP void invalid(void)
{
	work();
}

static KEEP void none(void)
{
	work();
}

static struct record make(uint8_t trace, uint8_t span, const char *attributes, size_t bytes)
{
	struct record r = { .valid = 1, .attribute_bytes = bytes };

	r.trace_id[15] = trace;
	r.span_id[7] = span;
	memcpy(r.attributes, attributes, bytes);
	return r;
}

static void *thread(void *arg)
{
	struct record a = make(1, 2, "\0\2/a\1\1x", 7), b = make(3, 4, "\0\2/b\7\1y", 7);

	attach_context(&a);
	first();
	attach_context(&b);
	second();
	b.valid = 0;
	invalid();
	attach_context(NULL);
	none();
	return arg;
}

static void publish(void)
{
	struct otel_message payload, keys = { .len = 0 }, any = { .len = 0 }, pair = { .len = 0 };
	const char *const names[] = { "http_route", "user" };
	struct otel_header *header = otel_map(true);

	if (!header) {
		perror("memfd_create");
		exit(1);
	}
	payload = otel_resource((const char *const[]){ "service.name", "traced", NULL });
	otel_attribute(&payload, 2, "threadlocal.schema_version", "tlsdesc_v1_dev");
	for (int i = 0; i < 2; i++) {
		struct otel_message name = { .len = 0 };

		otel_bytes(&name, 1, names[i], strlen(names[i]));
		otel_message(&keys, 1, &name);
	}
	otel_message(&any, 5, &keys);
	otel_bytes(&pair, 1, "threadlocal.attribute_key_map", 29);
	otel_message(&pair, 2, &any);
	otel_message(&payload, 2, &pair);
	otel_update(header, &payload, clock_ns(CLOCK_BOOTTIME));
}

int main(int argc, char **argv)
{
	attached_init(argc, argv, "traced SECONDS [LIBRARY]");
	publish();
	return attached_run(thread);
}
