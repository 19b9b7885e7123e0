/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the packages that apt knows. */
#ifndef COLLECTOR_APTNAMES_H
#define COLLECTOR_APTNAMES_H

#include <stdbool.h>

typedef void (*aptnames_fn)(void *ctx, const char *name);

/*
 * Calls fn with each name that begins with prefix, in no order. It runs apt-cache,
 * which takes up to a second. Returns: 0, or -1 if there is no answer.
 */
int aptnames_each(const char *prefix, aptnames_fn fn, void *ctx);

#endif /* COLLECTOR_APTNAMES_H */
