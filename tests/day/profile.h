/* SPDX-License-Identifier: GPL-2.0 */
/* Reads what the test needs of a profile. It shares no code with the collector. */
#ifndef TESTS_DAY_PROFILE_H
#define TESTS_DAY_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <zlib.h>

#define PROFILE_BYTES	(1U << 20)

/* Numbers of fields in profile.proto. */
enum { PROFILE_SAMPLE = 2, PROFILE_TIME_NANOS = 9, PROFILE_DURATION_NANOS = 10, SAMPLE_VALUE = 2 };

struct profile {
	int64_t time_ns;
	int64_t duration_ns;
	uint64_t samples;	/* the sum of the first values */
};

struct message {
	const unsigned char *at;
	const unsigned char *end;
	bool is_bad;
};

struct field {
	uint32_t number;
	uint64_t value;		/* of a varint */
	struct message bytes;	/* else */
};

static inline uint64_t read_varint(struct message *m)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 70 && m->at < m->end; shift += 7) {
		value |= (uint64_t)(*m->at & 0x7f) << shift;
		if (!(*m->at++ & 0x80))
			return value;
	}
	m->is_bad = true;
	return 0;
}

/* Returns: is there one more? A profile has varints and bytes only. */
static inline bool next_field(struct message *m, struct field *f)
{
	uint64_t key;

	if (m->is_bad || m->at == m->end)
		return false;
	key = read_varint(m);
	*f = (struct field){ .number = key >> 3, .value = read_varint(m) };
	if ((key & 7) == 2 && f->value <= (uint64_t)(m->end - m->at)) {
		f->bytes = (struct message){ m->at, m->at + f->value, false };
		m->at += f->value;
	} else if ((key & 7) != 0) {
		m->is_bad = true;
	}
	return !m->is_bad;
}

/* Returns the first value of a sample. */
static inline uint64_t read_sample(struct message *sample, bool *is_bad)
{
	uint64_t value = 0;
	struct field f;

	while (next_field(sample, &f))
		if (f.number == SAMPLE_VALUE)
			value = read_varint(&f.bytes);
	*is_bad |= sample->is_bad;
	return value;
}

/* Returns: is it a profile? */
static inline bool read_profile(const char *path, struct profile *p)
{
	static unsigned char image[PROFILE_BYTES];
	gzFile file = gzopen(path, "r");
	int bytes = file ? gzread(file, image, sizeof(image)) : -1;
	struct message m = { image, image + bytes, bytes <= 0 || bytes == sizeof(image) };
	struct field f;

	*p = (struct profile){ 0 };
	if (file && gzclose(file) != Z_OK)
		m.is_bad = true;
	while (next_field(&m, &f)) {
		if (f.number == PROFILE_SAMPLE)
			p->samples += read_sample(&f.bytes, &m.is_bad);
		else if (f.number == PROFILE_TIME_NANOS)
			p->time_ns = f.value;
		else if (f.number == PROFILE_DURATION_NANOS)
			p->duration_ns = f.value;
	}
	return !m.is_bad;
}

#endif /* TESTS_DAY_PROFILE_H */
