/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_PUSH_GZIP_BYTES_H
#define COLLECTOR_PUSH_GZIP_BYTES_H

struct byte_buffer;

/* Compresses plain with gzip, and appends the result to b. Returns: 0, or -ENOMEM. */
int gzip_bytes(const struct byte_buffer *plain, struct byte_buffer *b);

#endif /* COLLECTOR_PUSH_GZIP_BYTES_H */
