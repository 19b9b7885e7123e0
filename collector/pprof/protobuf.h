/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the protobuf wire format to a sink, piece by piece. Only the message under construction
 * is in memory.
 *
 * The writer remembers the first error and writes nothing after it. proto_flush() returns that
 * error: the other functions need no check.
 */
#ifndef COLLECTOR_PROTOBUF_H
#define COLLECTOR_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

struct proto;

/*
 * Receives len bytes of output.
 * Returns: 0, or a negative errno.
 */
typedef int proto_sink(void *ctx, const void *data, size_t len);

/* A sink that writes to a FILE, which is its context. */
int proto_file_sink(void *file, const void *data, size_t len);

/*
 * Makes a writer of one message. proto_free() frees it.
 * Returns: the writer, or NULL with errno ENOMEM.
 */
struct proto *proto_new(proto_sink *sink, void *ctx);

/* Frees the writer. Data that was not flushed is dropped. p may be NULL. */
void proto_free(struct proto *p);

/* Writes a varint field (uint64, bool). 0 is the default value and is not written. */
void proto_uint(struct proto *p, uint32_t field, uint64_t value);

/* Writes an element of a repeated varint field that is not packed: 0 is written, too. */
void proto_element(struct proto *p, uint32_t field, uint64_t value);

/* Writes a varint field (int64). A negative value takes ten bytes. 0 is not written. */
void proto_int(struct proto *p, uint32_t field, int64_t value);

/* Writes a fixed64 field. 0 is not written. */
void proto_fixed64(struct proto *p, uint32_t field, uint64_t value);

/* Writes a string or bytes field. An empty one is written, too: the field may be repeated. */
void proto_bytes(struct proto *p, uint32_t field, const void *data, size_t len);

/* Writes a packed repeated field of uint64 or int64. Nothing is written if nr is 0. */
void proto_packed(struct proto *p, uint32_t field, const uint64_t *values,
		  size_t nr);

/*
 * Begins a nested message in a field; proto_end() ends it. Fields that are written in between
 * belong to the nested message. An empty one is written, too. Up to eight messages may be nested.
 */
void proto_begin(struct proto *p, uint32_t field);

/* Ends the innermost nested message. */
void proto_end(struct proto *p);

/*
 * Writes the beginning of a message of len bytes in a field. The caller then writes exactly these
 * bytes with the other functions. Unlike proto_begin(), this keeps nothing in memory.
 */
void proto_message(struct proto *p, uint32_t field, uint64_t len);

/* Returns how many bytes such a message takes, with its beginning. */
uint64_t proto_message_bytes(uint32_t field, uint64_t len);

/*
 * Writes the rest to the sink.
 * Returns: 0, or the first error: of the sink, -ENOMEM, or -EINVAL if proto_begin() and
 * proto_end() do not match.
 */
int proto_flush(struct proto *p);

#endif /* COLLECTOR_PROTOBUF_H */
