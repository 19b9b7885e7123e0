/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_NAMING_PRIVILEGES_H
#define COLLECTOR_NAMING_PRIVILEGES_H

#include <stddef.h>

/*
 * Calls privileges_end_profile(); call it before symbols are looked up. Writes are limited to the
 * folders and to the symbol cache. With debuginfod there is no such limit: libdebuginfod chooses
 * the folder of its cache, and makes it.
 *
 * folders has nr descriptors, and room for one more. The function closes those that are not
 * negative.
 * Returns: 0, or a negative errno after it printed the cause.
 */
int naming_privileges_keep(int *folders, size_t nr);

#endif /* COLLECTOR_NAMING_PRIVILEGES_H */
