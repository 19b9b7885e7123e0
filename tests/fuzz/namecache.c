// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/cache_file.c collector/base/string_table.c
// libs: -lxxhash
/* Input: kept names, whose hash is made right. What is read is written again. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "symbol/cache_file.h"

#define HASH_AT		8	/* what follows it is hashed */
#define HASHED_AT	16
#define NR_OFFSETS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct namefile *parse(const void *data, size_t size)
{
	uint8_t *image = malloc(size ? size : 1);
	uint64_t hash;

	memcpy(image, data, size);
	if (size >= HASHED_AT) {
		hash = XXH3_64bits(image + HASHED_AT, size - HASHED_AT);
		memcpy(image + HASH_AT, &hash, sizeof(hash));
	}
	return namefile_parse(image, size);
}

static size_t read_entry(const struct namefile_entry *e)
{
	size_t bytes = 0;

	for (uint32_t i = 0; e && i < e->nr; i++)
		bytes += strlen(e->lines[i].name) + strlen(e->lines[i].system_name) +
			 (e->lines[i].file ? strlen(e->lines[i].file) : 0);
	return bytes;
}

/* By both: as many names, of the same length. */
static void compare(const struct namefile *a, const struct namefile *b)
{
	for (uint64_t at = 0; at < NR_OFFSETS; at++) {
		const struct namefile_entry *left = namefile_find(a, at);
		const struct namefile_entry *right = namefile_find(b, at);

		if (!left != !right || (left && left->nr != right->nr) ||
		    read_entry(left) != read_entry(right))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct namefile_entry none = { .offset = NR_OFFSETS };
	struct namefile *n = parse(data, size), *again;
	size_t bytes;
	void *image;

	if (!n)
		return 0;
	if (strlen(namefile_origin(n)->build_id) >= ELFID_HEX_SIZE ||
	    strlen(namefile_origin(n)->link) > NAME_MAX)
		abort();
	if (!namefile_make(namefile_origin(n), n, &none, 1, &image, &bytes)) {
		again = namefile_parse(image, bytes);
		if (!again || !namefile_find(again, NR_OFFSETS))
			abort();
		compare(n, again);
		namefile_free(again);
	}
	namefile_free(n);
	return 0;
}
