/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file with one secret: USER:PASSWORD, or a bearer token, which has no colon (RFC 6750). For S3
 * it is KEY:SECRET, or KEY:SECRET:SESSION. A newline at its end is ignored.
 */
#ifndef COLLECTOR_PUSH_AUTH_FILE_H
#define COLLECTOR_PUSH_AUTH_FILE_H

#include <stddef.h>

#define AUTH_FILE_MAX_BYTES	8192

/*
 * Reads the secret into *secret. The caller frees it with auth_file_free().
 * Returns: 0; -EBADMSG if the file is empty, too long, or has more than one line; or another
 * negative errno.
 */
int auth_file_read(const char *path, char **secret);

/* Overwrites the secret and frees it. It may be NULL. */
void auth_file_free(char *secret);

#endif /* COLLECTOR_PUSH_AUTH_FILE_H */
