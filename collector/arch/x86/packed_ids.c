// SPDX-License-Identifier: GPL-2.0
/*
 * Ids are read by words of 8 bytes. The bytes of a word that end an id are its pattern, as 8 bits.
 * One shuffle moves the bytes so that each id has 4 bytes of its own. This follows Plaisance and
 * others, "Vectorized VByte Decoding", 2015.
 */
#include "arch/packed_ids.h"

#include <string.h>
#include <tmmintrin.h>

#define SSSE3		__attribute__((target("ssse3")))
#define WORD_BYTES	8
#define WORD_IDS	4	/* that are read of one word at most */
#define ID_BYTES	4	/* of the longest id that is read */
#define NO_BYTE		0x80	/* _mm_shuffle_epi8() makes it 0 */

/* By pattern. */
static struct {
	uint8_t shuffle[256][WORD_IDS * ID_BYTES] __attribute__((aligned(16)));
	uint8_t nr_ids[256];
	uint8_t nr_bytes[256];	/* of these ids */
} patterns;

static void fill_pattern(unsigned int ends)
{
	uint8_t *shuffle = patterns.shuffle[ends];
	unsigned int start = 0, nr = 0;

	memset(shuffle, NO_BYTE, WORD_IDS * ID_BYTES);
	for (unsigned int i = 0; i < WORD_BYTES && i - start < ID_BYTES && nr < WORD_IDS; i++) {
		shuffle[nr * ID_BYTES + i - start] = i;
		if (!(ends >> i & 1))
			continue;
		start = i + 1;
		nr++;
	}
	/* An id that does not end here is none. */
	memset(shuffle + nr * ID_BYTES, NO_BYTE, (WORD_IDS - nr) * ID_BYTES);
	patterns.nr_ids[ends] = nr;
	patterns.nr_bytes[ends] = start;
}

static __attribute__((constructor)) void fill_patterns(void)
{
	for (unsigned int ends = 0; ends < 256; ends++)
		fill_pattern(ends);
}

struct reader {
	const uint8_t *at;
	uint32_t *to;
	__m128i max;		/* the largest id of each place in a word */
};

/* Returns: bit i is set if byte i ends an id. Only left bytes are of ids. */
static inline SSSE3 unsigned int find_ends(__m128i bytes, size_t left)
{
	unsigned int ends = ~_mm_movemask_epi8(bytes) & 0xffff;

	return left < 16 ? ends & ((1U << left) - 1) : ends;
}

static inline SSSE3 unsigned int find_zeroes(__m128i bytes)
{
	return _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
}

/* Makes one number of the 7 bits of each byte: two of 14 bits, and then one of 28. */
static inline SSSE3 __m128i join(__m128i bytes)
{
	__m128i bits = _mm_and_si128(bytes, _mm_set1_epi8(0x7f));
	__m128i pairs = _mm_maddubs_epi16(_mm_set1_epi16((int16_t)(128 << 8 | 1)), bits);

	return _mm_madd_epi16(pairs, _mm_set1_epi32(128 * 128 << 16 | 1));
}

static inline SSSE3 __m128i larger(__m128i a, __m128i b)
{
	__m128i is_a = _mm_cmpgt_epi32(a, b);

	return _mm_or_si128(_mm_and_si128(is_a, a), _mm_andnot_si128(is_a, b));
}

/* Reads up to WORD_IDS ids, whose bytes are the first ones. Places without an id are 0. */
static inline SSSE3 void read_word(struct reader *r, __m128i bytes, unsigned int ends)
{
	__m128i shuffle = _mm_load_si128((const __m128i *)patterns.shuffle[ends]);
	__m128i ids = join(_mm_shuffle_epi8(bytes, shuffle));

	r->max = larger(r->max, ids);
	_mm_storeu_si128((__m128i *)r->to, _mm_sub_epi32(ids, _mm_set1_epi32(1)));
	r->to += patterns.nr_ids[ends];
	r->at += patterns.nr_bytes[ends];
}

/*
 * Finds the ends of two words at once. The position of a word depends on the word before, and a CPU
 * finds ends as slowly as it reads the rest.
 */
static SSSE3 void read_words(struct reader *r, const uint8_t *end)
{
	while (r->at < end) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)r->at);
		unsigned int ends = find_ends(bytes, end - r->at), first = ends & 0xff;

		if (!patterns.nr_ids[first] || find_zeroes(bytes) & ends)
			break;
		read_word(r, bytes, first);
		read_word(r, _mm_loadl_epi64((const __m128i *)r->at),
			  ends >> patterns.nr_bytes[first] & 0xff);
	}
}

static SSSE3 uint32_t *read_ids(const uint8_t **at, const uint8_t *end, uint32_t *to, uint32_t *max)
{
	struct reader r = { .at = *at, .to = to, .max = _mm_setzero_si128() };
	uint32_t ids[WORD_IDS];

	read_words(&r, end);
	_mm_storeu_si128((__m128i *)ids, r.max);
	for (size_t i = 0; i < WORD_IDS; i++)
		if (ids[i] && ids[i] - 1 > *max)
			*max = ids[i] - 1;
	*at = r.at;
	return r.to;
}

uint32_t *arch_packed_ids_read(const uint8_t **at, const uint8_t *end, uint32_t *to, uint32_t *max)
{
	return __builtin_cpu_supports("ssse3") ? read_ids(at, end, to, max) : to;
}
