/* SPDX-License-Identifier: GPL-2.0 */
/* Interned byte strings. Equal strings have the same index and the same address. */
#ifndef COLLECTOR_STRING_TABLE_H
#define COLLECTOR_STRING_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct strtab;

/*
 * Makes a table that holds "" at index 0. strtab_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct strtab *strtab_new(void);

/* Frees the table and all of its strings. t may be NULL. */
void strtab_free(struct strtab *t);

/*
 * Returns the index of the len bytes at s. New bytes are copied unchanged, NULs included.
 * Indices count from 0 in the order of first appearance, without gaps. Returns -ENOMEM without
 * memory, and for 4 GiB or more.
 */
int64_t strtab_intern(struct strtab *t, const char *s, size_t len);

/*
 * Interns all strings of another table. to[i] becomes the index of its string i. This is faster
 * than strtab_intern() for each one: their waits for memory overlap.
 * Returns: 0, or -ENOMEM, and then a part of them was added.
 */
int strtab_intern_all(struct strtab *t, const struct strtab *from, uint32_t *to);

/* Returns the index of the len bytes at s, or -ENOENT if they are not in the table. */
int64_t strtab_find(const struct strtab *t, const char *s, size_t len);

/*
 * Returns the string at an index below strtab_nr(), with a NUL after it. The table owns the
 * string; it is valid until strtab_free().
 */
const char *strtab_at(const struct strtab *t, size_t index);

/* Returns the length in bytes of the string at an index below strtab_nr(). */
size_t strtab_len(const struct strtab *t, size_t index);

/*
 * Compares two strings byte by byte, NULs included.
 * Returns: a number below, equal to or above 0, as memcmp(). A string comes after its prefixes.
 */
int strtab_compare(const struct strtab *t, size_t left, size_t right);

/* Returns the number of distinct strings, "" included. */
size_t strtab_nr(const struct strtab *t);

#endif /* COLLECTOR_STRING_TABLE_H */
