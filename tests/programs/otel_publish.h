/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publishes an OpenTelemetry process context, as the specification says (OpenTelemetry Enhancement
 * Proposal 4719). For test programs and unit tests.
 */
#ifndef OTEL_PUBLISH_H
#define OTEL_PUBLISH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA		0x53564d41
#define PR_SET_VMA_ANON_NAME	0
#endif

#define OTEL_BYTES	4096	/* of a mapping; the payload is in it, too */

/* A message in the protobuf format. Strings and messages in it are shorter than 16 KiB. */
struct otel_message {
	uint8_t bytes[2048];
	size_t len;
};

static inline void otel_bytes(struct otel_message *m, unsigned int field, const void *bytes,
			      size_t len)
{
	m->bytes[m->len++] = field << 3 | 2;
	if (len > 127)
		m->bytes[m->len++] = len | 128;
	m->bytes[m->len++] = len > 127 ? len >> 7 : len;
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
}

static inline void otel_message(struct otel_message *m, unsigned int field,
				const struct otel_message *inner)
{
	otel_bytes(m, field, inner->bytes, inner->len);
}

/* KeyValue, whose value is a string. */
static inline void otel_attribute(struct otel_message *m, unsigned int field, const char *key,
				  const char *value)
{
	struct otel_message pair = { .len = 0 }, any = { .len = 0 };

	otel_bytes(&any, 1, value, strlen(value));
	otel_bytes(&pair, 1, key, strlen(key));
	otel_message(&pair, 2, &any);
	otel_message(m, field, &pair);
}

/* ProcessContext, whose resource has these attributes: key, value, key, value, ..., NULL. */
static inline struct otel_message otel_resource(const char *const *attributes)
{
	struct otel_message resource = { .len = 0 }, context = { .len = 0 };

	for (; *attributes; attributes += 2)
		otel_attribute(&resource, 1, attributes[0], attributes[1]);
	otel_message(&context, 1, &resource);
	return context;
}

struct otel_header {
	char signature[8];
	uint32_t version;
	uint32_t payload_bytes;
	uint64_t published_at;
	uint64_t payload;
};

/* Replaces the payload, which follows the header. @when is not 0, and grows. */
static inline void otel_update(struct otel_header *h, const struct otel_message *payload,
			       uint64_t when)
{
	__atomic_store_n(&h->published_at, 0, __ATOMIC_SEQ_CST);
	memcpy(h->signature, "OTEL_CTX", sizeof(h->signature));
	h->version = 2;
	h->payload_bytes = payload->len;
	h->payload = (uintptr_t)(h + 1);
	memcpy(h + 1, payload->bytes, payload->len);
	__atomic_store_n(&h->published_at, when, __ATOMIC_SEQ_CST);
}

/*
 * Returns memory for a header, all zeroes, or NULL: a memfd, as the specification wants it, or
 * anonymous memory, which needs CONFIG_ANON_VMA_NAME.
 */
static inline struct otel_header *otel_map(bool is_memfd)
{
	int fd = is_memfd ? memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
	int flags = MAP_PRIVATE | (is_memfd ? 0 : MAP_ANONYMOUS);
	void *at;

	if (is_memfd && (fd < 0 || ftruncate(fd, OTEL_BYTES)))
		return NULL;
	at = mmap(NULL, OTEL_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return NULL;
	madvise(at, OTEL_BYTES, MADV_DONTFORK);
	/* Old kernels cannot name it. */
	prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, OTEL_BYTES, "OTEL_CTX");
	return at;
}

#endif /* OTEL_PUBLISH_H */
