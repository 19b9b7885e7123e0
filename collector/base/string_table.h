/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interned byte strings: equal strings have one index and one address.
 */
#ifndef COLLECTOR_STRTAB_H
#define COLLECTOR_STRTAB_H

#include <stddef.h>
#include <stdint.h>

struct strtab;

/* A table that holds "" as index 0. NULL with errno ENOMEM. */
struct strtab *strtab_new(void);

/* Frees the table and every string it handed out. NULL is fine. */
void strtab_free(struct strtab *t);

/*
 * The index of the len bytes at s, which are copied the first time and stored
 * as they are, NULs included. Indices are dense, in order of first
 * appearance. -ENOMEM.
 */
int64_t strtab_intern(struct strtab *t, const char *s, size_t len);

/* The index of the len bytes at s, or -ENOENT. */
int64_t strtab_find(const struct strtab *t, const char *s, size_t len);

/*
 * The string at an index below strtab_nr(), with a NUL behind it. The address
 * stays valid until strtab_free().
 */
const char *strtab_at(const struct strtab *t, size_t index);

/* The number of distinct strings, "" included. */
size_t strtab_nr(const struct strtab *t);

#endif /* COLLECTOR_STRTAB_H */
