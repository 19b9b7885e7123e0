/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of mapped files, by their keys. Number 0 stands for no file. The number of a file
 * that is removed is given to a later one.
 */
#ifndef COLLECTOR_FILE_NUMBERS_H
#define COLLECTOR_FILE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/string_table.h"

struct file_numbers {
	struct strtab *keys;
	uint32_t *by_key;	/* the number, by index in keys */
	size_t room;		/* of by_key */
	size_t bytes;		/* of all keys */
	uint32_t nr;		/* all numbers are below */
	uint32_t *unused;	/* numbers below nr that no file has */
	size_t nr_unused;
};

/* Returns: 0, or -ENOMEM. After that, too, file_numbers_fini() frees it. */
int file_numbers_init(struct file_numbers *n);

/* Frees all memory. */
void file_numbers_fini(struct file_numbers *n);

/*
 * Returns the number of a key, and sets *is_new if it was not known. Returns -ENOSPC for a new key
 * beyond max_files or max_bytes, or -ENOMEM.
 */
int64_t file_numbers_get(struct file_numbers *n, const char *key, size_t len, uint32_t max_files,
			 size_t max_bytes, bool *is_new);

/* Returns how many numbers are in use, without 0. */
uint32_t file_numbers_nr_used(const struct file_numbers *n);

/* Gives each of two known keys the number of the other one. */
void file_numbers_swap(struct file_numbers *n, const char *a, const char *b);

/*
 * Removes the keys whose numbers have keep[number] false. The others keep their numbers, but the
 * strings of their keys move.
 * Returns: 0, or -ENOMEM, and then nothing has changed.
 */
int file_numbers_keep(struct file_numbers *n, const bool *keep);

#endif /* COLLECTOR_FILE_NUMBERS_H */
