/* SPDX-License-Identifier: GPL-2.0 */
/* The token that a client must send. */
#ifndef COLLECTOR_HTTP_TOKEN_H
#define COLLECTOR_HTTP_TOKEN_H

#include <stdbool.h>

/*
 * Is the value of the header Authorization "Bearer TOKEN", or "Basic" with TOKEN as the password of
 * any user? value may be NULL. The time of the comparison depends on the length of the token in the
 * request only.
 */
bool token_is_given(const char *value, const char *token);

/*
 * Reads the first line of a file, without blanks around it. The caller frees *token.
 * Returns: 0; -ENODATA if the line is empty; -E2BIG if it is over 1,000 bytes; or a negative errno
 * of open() or read().
 */
int token_read(const char *path, char **token);

#endif /* COLLECTOR_HTTP_TOKEN_H */
