/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads little-endian numbers out of memory that somebody else has written:
 * what reaches beyond the end reads as 0, and is_short tells so ever after.
 */
#ifndef COLLECTOR_BYTES_H
#define COLLECTOR_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool is_short;
};

/* Passes over nr bytes, and returns the first of them, or NULL. */
static inline const uint8_t *bytes_take(struct bytes *b, uint64_t nr)
{
	const uint8_t *at = b->at;

	if ((uint64_t)(b->end - at) < nr) {
		b->is_short = true;
		b->at = b->end;
		return NULL;
	}
	b->at += nr;
	return at;
}

/* A number of nr bytes, 8 at most. */
static inline uint64_t bytes_number(struct bytes *b, unsigned int nr)
{
	const uint8_t *at = bytes_take(b, nr);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, nr);
	return value;
}

static inline int64_t bytes_signed(struct bytes *b, unsigned int nr)
{
	unsigned int unused_bits = 64 - 8 * nr;

	return (int64_t)(bytes_number(b, nr) << unused_bits) >> unused_bits;
}

/* LEB128; bits from 64 on are lost. */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		if (b->at == b->end) {
			b->is_short = true;
			return 0;
		}
		byte = *b->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t value = bytes_uleb(b);
	unsigned int bits = 7 * (b->at - start);

	if (bits && bits < 64 && b->at[-1] & 0x40)
		value |= ~0ULL << bits;
	return value;
}

#endif /* COLLECTOR_BYTES_H */
