/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inflates one member of a gzip file (RFC 1952). zlib reads the header. ISA-L reads the rest, in
 * half of the time that zlib takes. It does not read the header, since ISA-L 2.30 forgets the flags
 * of a header that comes in several parts.
 */
#ifndef COLLECTOR_GZIP_MEMBER_H
#define COLLECTOR_GZIP_MEMBER_H

#include <stddef.h>
#include <stdint.h>

struct gzip_member;

/*
 * Makes a member, for gzip_member_free(). Nothing of it has been read.
 * Returns: the member, or NULL without memory.
 */
struct gzip_member *gzip_member_new(void);

/* Frees g, which may be NULL. */
void gzip_member_free(struct gzip_member *g);

/* Makes g as new. Call this before the next member of a file. */
void gzip_member_reset(struct gzip_member *g);

/*
 * Inflates the input from *at to end, and writes at most len bytes, below 4 GiB, to `to`. Moves *at
 * past the input that it used. Sets *got to the number of bytes that it wrote, in all cases. A part
 * of the data may stay in g until the next call, so call it again while it returns 0.
 * Returns: 0; 1 if the member has ended, and its checksum is right; -ENODATA if it needs more
 * input; -ENOMEM; or -EBADMSG, and then *found is a static text that names the fault.
 */
int gzip_member_read(struct gzip_member *g, const uint8_t **at, const uint8_t *end, uint8_t *to,
		     size_t len, size_t *got, const char **found);

#endif /* COLLECTOR_GZIP_MEMBER_H */
