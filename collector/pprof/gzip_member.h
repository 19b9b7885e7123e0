/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inflates one member of a gzip file (RFC 1952). zlib reads the header, and ISA-L all that follows:
 * it takes half of zlib's time. ISA-L 2.30 does not read the header, as it forgets the flags of one
 * that comes in several parts.
 */
#ifndef COLLECTOR_GZIP_MEMBER_H
#define COLLECTOR_GZIP_MEMBER_H

#include <stddef.h>
#include <stdint.h>

struct gzip_member;

/* Returns: a member of which nothing has been read, or NULL without memory. */
struct gzip_member *gzip_member_new(void);

/* Frees g, which may be NULL. */
void gzip_member_free(struct gzip_member *g);

/* Call this before the next member. */
void gzip_member_reset(struct gzip_member *g);

/*
 * Inflates the bytes from *at to end into at most len bytes, which are below 4 GiB, and moves *at
 * past those that it used. A part of the data may stay in g until the next call. *got is set in any
 * case.
 * Returns: 0; 1 if the member has ended; -ENODATA if nothing can be done without more input;
 * -ENOMEM; or -EBADMSG, and then *found names the fault.
 */
int gzip_member_read(struct gzip_member *g, const uint8_t **at, const uint8_t *end, uint8_t *to,
		     size_t len, size_t *got, const char **found);

#endif /* COLLECTOR_GZIP_MEMBER_H */
