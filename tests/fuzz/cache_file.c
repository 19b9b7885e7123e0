// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/cache_file.c collector/base/string_table.c
// libs: -lxxhash
/* Input: a cache file. Its hash is corrected first. The content is read, written and read again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbol/cache_file.h"

#define HASH_AT		8	/* the hash covers the bytes after it */
#define HASHED_AT	16
#define NR_OFFSETS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct symbol_cache_file *parse(const void *data, size_t size)
{
	uint8_t *image = malloc(size ? size : 1);
	uint64_t hash;

	memcpy(image, data, size);
	if (size >= HASHED_AT) {
		hash = XXH3_64bits(image + HASHED_AT, size - HASHED_AT);
		memcpy(image + HASH_AT, &hash, sizeof(hash));
	}
	return symbol_cache_file_parse(image, size);
}

static size_t read_entry(const struct symbol_cache_file_entry *e)
{
	size_t bytes = 0;

	for (uint32_t i = 0; e && i < e->nr; i++)
		bytes += strlen(e->frames[i].name) + strlen(e->frames[i].system_name) +
			 (e->frames[i].file ? strlen(e->frames[i].file) : 0);
	return bytes;
}

/* Both must have as many frames at each offset, with strings of the same length. */
static void compare(const struct symbol_cache_file *a, const struct symbol_cache_file *b)
{
	for (uint64_t at = 0; at < NR_OFFSETS; at++) {
		const struct symbol_cache_file_entry *left = symbol_cache_file_find(a, at);
		const struct symbol_cache_file_entry *right = symbol_cache_file_find(b, at);

		if (!left != !right || (left && left->nr != right->nr) ||
		    read_entry(left) != read_entry(right))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbol_cache_file_entry none = { .offset = NR_OFFSETS };
	struct symbol_cache_file *n = parse(data, size), *again;
	size_t bytes;
	void *image;

	if (!n)
		return 0;
	if (strlen(symbol_cache_file_origin(n)->build_id) >= BUILD_ID_HEX_SIZE ||
	    strlen(symbol_cache_file_origin(n)->link) > NAME_MAX)
		abort();
	if (!symbol_cache_file_make(symbol_cache_file_origin(n), n, &none, 1, &image, &bytes)) {
		again = symbol_cache_file_parse(image, bytes);
		if (!again || !symbol_cache_file_find(again, NR_OFFSETS))
			abort();
		compare(n, again);
		symbol_cache_file_free(again);
	}
	symbol_cache_file_free(n);
	return 0;
}
