/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PUSH_GZIP_BYTES_H
#define COLLECTOR_PUSH_GZIP_BYTES_H

struct byte_buffer;

/* Appends the bytes of plain to b, as gzip. Returns: 0, or -ENOMEM. */
int gzip_bytes(const struct byte_buffer *plain, struct byte_buffer *b);

#endif /* COLLECTOR_PUSH_GZIP_BYTES_H */
