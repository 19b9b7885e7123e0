/* SPDX-License-Identifier: GPL-2.0 */
/* The names of the packages that apt knows. */
#ifndef COLLECTOR_APT_NAMES_H
#define COLLECTOR_APT_NAMES_H

#include <stdbool.h>

/* Receives one name, which is valid during the call only. */
typedef void (*apt_names_fn)(void *ctx, const char *name);

/*
 * Calls fn with each name that begins with prefix, in no order. Runs apt-cache, which takes up
 * to a second.
 * Returns: 0; or -1 if apt-cache fails, or prefix has characters that no package name has.
 */
int apt_names_each(const char *prefix, apt_names_fn fn, void *ctx);

#endif /* COLLECTOR_APT_NAMES_H */
