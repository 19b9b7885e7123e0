// SPDX-License-Identifier: GPL-2.0
#include "base/string_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_index.h"

#define STRTAB_FIRST_SLOTS	256
#define PREFETCH_STRINGS	16

struct string {
	const char *bytes;
	uint32_t len;
	uint32_t hash;
};

struct strtab {
	struct arena arena;
	struct hash_index slots;
	struct string *strings;
	size_t nr;
	size_t room;
};

struct strtab *strtab_new(void)
{
	struct strtab *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if (hash_index_init(&t->slots, STRTAB_FIRST_SLOTS) || strtab_intern(t, "", 0) < 0) {
		strtab_free(t);
		errno = ENOMEM;
		return NULL;
	}
	return t;
}

void strtab_free(struct strtab *t)
{
	if (!t)
		return;
	arena_fini(&t->arena);
	hash_index_fini(&t->slots);
	free(t->strings);
	free(t);
}

static int64_t find(const struct strtab *t, uint32_t hash, const char *s, size_t len)
{
	const struct string *candidate;
	size_t i;

	for (i = hash_index_first(&t->slots, hash); t->slots.slot[i].id1;
	     i = hash_index_next(&t->slots, i)) {
		if (t->slots.slot[i].hash != hash)
			continue;
		candidate = &t->strings[t->slots.slot[i].id1 - 1];
		if (candidate->len == len && !memcmp(candidate->bytes, s, len))
			return t->slots.slot[i].id1 - 1;
	}
	return -ENOENT;
}

static int64_t add(struct strtab *t, uint32_t hash, const char *s, size_t len)
{
	struct string *strings;
	char *copy;

	if (t->nr == HASH_INDEX_MAX_IDS || len > UINT32_MAX ||
	    hash_index_reserve(&t->slots, t->nr + 1))
		return -ENOMEM;
	strings = array_grow(t->strings, &t->room, t->nr + 1, sizeof(*strings));
	if (!strings)
		return -ENOMEM;
	t->strings = strings;
	copy = arena_alloc(&t->arena, len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, s, len);
	copy[len] = '\0';
	strings[t->nr] = (struct string){ .bytes = copy, .len = len, .hash = hash };
	hash_index_put(&t->slots, hash, ++t->nr);
	return t->nr - 1;
}

static int64_t find_or_add(struct strtab *t, uint32_t hash, const char *s, size_t len)
{
	int64_t index = find(t, hash, s, len);

	return index >= 0 ? index : add(t, hash, s, len);
}

int64_t strtab_intern(struct strtab *t, const char *s, size_t len)
{
	return find_or_add(t, XXH3_64bits(s, len), s, len);
}

/* Starts to load the strings of t that are probably equal to nr strings. */
static void prefetch(const struct strtab *t, const struct string *strings, size_t nr)
{
	const struct hash_slot *slots[PREFETCH_STRINGS];

	for (size_t i = 0; i < nr; i++) {
		slots[i] = &t->slots.slot[hash_index_first(&t->slots, strings[i].hash)];
		__builtin_prefetch(slots[i]);
	}
	for (size_t i = 0; i < nr; i++)
		if (slots[i]->id1)
			__builtin_prefetch(&t->strings[slots[i]->id1 - 1]);
	for (size_t i = 0; i < nr; i++)
		if (slots[i]->hash == strings[i].hash && slots[i]->id1)
			__builtin_prefetch(t->strings[slots[i]->id1 - 1].bytes);
}

int strtab_intern_all(struct strtab *t, const struct strtab *from, uint32_t *to)
{
	int64_t index;

	for (size_t i = 0; i < from->nr; i++) {
		const struct string *s = &from->strings[i];

		if (i % PREFETCH_STRINGS == 0)
			prefetch(t, s, from->nr - i < PREFETCH_STRINGS ? from->nr - i :
									 PREFETCH_STRINGS);
		index = find_or_add(t, s->hash, s->bytes, s->len);
		if (index < 0)
			return index;
		to[i] = index;
	}
	return 0;
}

int64_t strtab_find(const struct strtab *t, const char *s, size_t len)
{
	return find(t, XXH3_64bits(s, len), s, len);
}

const char *strtab_at(const struct strtab *t, size_t index)
{
	return t->strings[index].bytes;
}

size_t strtab_len(const struct strtab *t, size_t index)
{
	return t->strings[index].len;
}

int strtab_compare(const struct strtab *t, size_t left, size_t right)
{
	const struct string *a = &t->strings[left], *b = &t->strings[right];
	int diff = memcmp(a->bytes, b->bytes, a->len < b->len ? a->len : b->len);

	return diff ? diff : (a->len > b->len) - (a->len < b->len);
}

size_t strtab_nr(const struct strtab *t)
{
	return t->nr;
}
