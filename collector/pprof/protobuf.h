/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the protobuf wire format into a sink, piece by piece: only the
 * message under construction stands in memory.
 *
 * Errors stick: after the first one nothing is written any more, and
 * proto_flush() tells it. The other functions need no check.
 */
#ifndef COLLECTOR_PROTO_H
#define COLLECTOR_PROTO_H

#include <stddef.h>
#include <stdint.h>

struct proto;

/* Takes len bytes of output. 0 or a negative errno. */
typedef int proto_sink(void *ctx, const void *data, size_t len);

/* A writer of one message into sink. NULL with errno ENOMEM. */
struct proto *proto_new(proto_sink *sink, void *ctx);

/* Frees the writer; what was not flushed is gone. NULL is fine. */
void proto_free(struct proto *p);

/* A varint field (uint64, bool). 0 is the default and takes no bytes. */
void proto_uint(struct proto *p, uint32_t field, uint64_t value);

/* A varint field (int64: negative values take ten bytes). 0 takes none. */
void proto_int(struct proto *p, uint32_t field, int64_t value);

/* A string or bytes field. Written also when empty: it may be repeated. */
void proto_bytes(struct proto *p, uint32_t field, const void *data, size_t len);

/* A packed repeated uint64 or int64 field. No values take no bytes. */
void proto_packed(struct proto *p, uint32_t field, const uint64_t *values,
		  size_t nr);

/*
 * What is written between these two is the nested message in that field, also
 * when it is empty. Nests four deep.
 */
void proto_begin(struct proto *p, uint32_t field);
void proto_end(struct proto *p);

/*
 * Hands everything to the sink. 0 or the first error: the sink's, -ENOMEM, or
 * -EINVAL where begin and end do not match.
 */
int proto_flush(struct proto *p);

#endif /* COLLECTOR_PROTO_H */
