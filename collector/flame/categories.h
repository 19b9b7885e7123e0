/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The categories of frames. Frames of a category have one colour. A category is a module. A module
 * that has nearly all samples would make a graph of one colour: there a category is a package or a
 * namespace of functions.
 */
#ifndef COLLECTOR_FLAME_CATEGORIES_H
#define COLLECTOR_FLAME_CATEGORIES_H

#include <stddef.h>
#include <stdint.h>

struct flame_tree;

/*
 * Sets the category of all frames and the list of categories. A category's size is the value of the
 * samples, of a sample type, whose leaf it has.
 * Returns: 0, or -ENOMEM.
 */
int flame_categories_assign(struct flame_tree *t, uint32_t type);

/*
 * Finds the package or namespace in a function name: "net/http" in "net/http.(*conn).serve", and
 * "clang" in "clang::Parser::f(int)".
 * Returns: its start, and *len; *len is 0 if there is none.
 */
const char *flame_categories_package(const char *function, size_t *len);

#endif /* COLLECTOR_FLAME_CATEGORIES_H */
