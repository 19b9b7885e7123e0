/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads little-endian numbers from memory whose content is not trusted, such as an ELF file.
 *
 * A read past the end returns 0 and sets is_short. is_short stays set, so a parser may check it
 * once after many reads instead of after each one.
 */
#ifndef COLLECTOR_BYTE_READER_H
#define COLLECTOR_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	/* The next byte to read. */
	const uint8_t *at;
	/* The first byte after the memory. */
	const uint8_t *end;
	/* A read went past the end. */
	bool is_short;
};

/*
 * Skips nr bytes.
 * Returns: the first of the skipped bytes, or NULL if fewer than nr are left.
 */
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

/* Reads an unsigned number of nr bytes, 0 to 8. */
static inline uint64_t bytes_number(struct bytes *b, unsigned int nr)
{
	const uint8_t *at = bytes_take(b, nr);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, nr);
	return value;
}

/* Reads a signed number (two's complement) of nr bytes, 1 to 8. */
static inline int64_t bytes_signed(struct bytes *b, unsigned int nr)
{
	unsigned int unused_bits = 64 - 8 * nr;

	return (int64_t)(bytes_number(b, nr) << unused_bits) >> unused_bits;
}

/* Reads an unsigned LEB128 number (DWARF 5, section 7.6). Bits from 64 on are dropped. */
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

/* Reads a signed LEB128 number. Bits from 64 on are dropped. */
static inline int64_t bytes_sleb(struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t value = bytes_uleb(b);
	unsigned int bits = 7 * (b->at - start);

	if (bits && bits < 64 && b->at[-1] & 0x40)
		value |= ~0ULL << bits;
	return value;
}

#endif /* COLLECTOR_BYTE_READER_H */
