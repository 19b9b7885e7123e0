// SPDX-License-Identifier: GPL-2.0
#include "process/file_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int file_numbers_init(struct file_numbers *n)
{
	*n = (struct file_numbers){ .keys = strtab_new(), .nr = 1 };
	return n->keys ? 0 : -ENOMEM;
}

void file_numbers_fini(struct file_numbers *n)
{
	strtab_free(n->keys);
	free(n->by_key);
	free(n->unused);
}

uint32_t file_numbers_nr_used(const struct file_numbers *n)
{
	return n->nr - 1 - n->nr_unused;
}

static int64_t add(struct file_numbers *n, const char *key, size_t len)
{
	uint32_t *by_key = array_grow(n->by_key, &n->room, strtab_nr(n->keys) + 1,
				      sizeof(*by_key));
	int64_t index;

	if (!by_key)
		return -ENOMEM;
	n->by_key = by_key;
	index = strtab_intern(n->keys, key, len);
	if (index < 0)
		return index;
	n->bytes += len;
	by_key[index] = n->nr_unused ? n->unused[--n->nr_unused] : n->nr++;
	return by_key[index];
}

int64_t file_numbers_get(struct file_numbers *n, const char *key, size_t len, uint32_t max_files,
			 size_t max_bytes, bool *is_new)
{
	int64_t index = strtab_find(n->keys, key, len);

	*is_new = false;
	if (index >= 0)
		return n->by_key[index];
	if (file_numbers_nr_used(n) >= max_files || n->bytes + len > max_bytes)
		return -ENOSPC;
	index = add(n, key, len);
	*is_new = index >= 0;
	return index;
}

void file_numbers_swap(struct file_numbers *n, const char *a, const char *b)
{
	uint32_t *of_a = &n->by_key[strtab_find(n->keys, a, strlen(a))];
	uint32_t *of_b = &n->by_key[strtab_find(n->keys, b, strlen(b))];
	uint32_t number = *of_a;

	*of_a = *of_b;
	*of_b = number;
}

/* Copies the keys that are kept. to->by_key and to->unused have room for all. */
static int copy(const struct file_numbers *n, struct file_numbers *to, const bool *keep)
{
	for (size_t i = 1; i < strtab_nr(n->keys); i++) {
		size_t len = strtab_len(n->keys, i);
		int64_t index;

		if (!keep[n->by_key[i]]) {
			to->unused[to->nr_unused++] = n->by_key[i];
			continue;
		}
		index = strtab_intern(to->keys, strtab_at(n->keys, i), len);
		if (index < 0)
			return index;
		to->by_key[index] = n->by_key[i];
		to->bytes += len;
	}
	for (size_t i = 0; i < n->nr_unused; i++)
		to->unused[to->nr_unused++] = n->unused[i];
	return 0;
}

int file_numbers_keep(struct file_numbers *n, const bool *keep)
{
	struct file_numbers to = { .keys = strtab_new(), .nr = n->nr, .room = n->nr };
	int err = -ENOMEM;

	to.by_key = calloc(n->nr, sizeof(*to.by_key));
	to.unused = calloc(n->nr, sizeof(*to.unused));
	if (to.keys && to.by_key && to.unused)
		err = copy(n, &to, keep);
	if (err) {
		file_numbers_fini(&to);
		return err;
	}
	file_numbers_fini(n);
	*n = to;
	return 0;
}
