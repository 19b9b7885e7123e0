/* SPDX-License-Identifier: GPL-2.0 */
/* A flame graph as a web page: one file, which needs no network. */
#ifndef COLLECTOR_FLAME_PAGE_H
#define COLLECTOR_FLAME_PAGE_H

#include <stdint.h>
#include <stdio.h>

struct flame_tree;

/*
 * Writes the page. type is the sample type that it shows first, an index in the model's
 * sample_types. The title is printable UTF-8 (see utf8_print()).
 * Returns: 0, or -ENOMEM. Write errors are left in out.
 */
int flame_page_write(FILE *out, struct flame_tree *t, uint32_t type, const char *title);

#endif /* COLLECTOR_FLAME_PAGE_H */
