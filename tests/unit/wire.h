/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the protobuf wire format. It shares no code with the writer. The test fails if the
 * bytes are not valid. Only varints and lengths with bytes are read: profiles have no others.
 */
#ifndef TESTS_WIRE_H
#define TESTS_WIRE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct message {
	const unsigned char *at;
	const unsigned char *end;
};

struct field {
	uint32_t number;
	uint64_t value;		/* a varint, or the length of bytes */
	struct message bytes;
};

static inline uint64_t read_varint(struct message *m)
{
	uint64_t value = 0;
	int shift = 0;

	do {
		assert_true(m->at < m->end);
		assert_true(shift < 70);
		value |= (uint64_t)(*m->at & 0x7f) << shift;
		shift += 7;
	} while (*m->at++ & 0x80);
	return value;
}

static inline bool next_field(struct message *m, struct field *f)
{
	uint64_t key;

	if (m->at == m->end)
		return false;
	key = read_varint(m);
	assert_true((key & 7) == 0 || (key & 7) == 2);
	f->number = key >> 3;
	f->value = read_varint(m);
	if ((key & 7) == 2) {
		assert_true(f->value <= (size_t)(m->end - m->at));
		f->bytes = (struct message){ m->at, m->at + f->value };
		m->at += f->value;
	}
	return true;
}

static inline size_t nr_fields(struct message m, uint32_t number)
{
	struct field f;
	size_t nr = 0;

	while (next_field(&m, &f))
		nr += f.number == number;
	return nr;
}

/* Returns the nth field with this number, from 0 on. Without one, value and bytes are zero. */
static inline struct field field(struct message m, uint32_t number, size_t n)
{
	struct field f;

	while (next_field(&m, &f))
		if (f.number == number && !n--)
			return f;
	return (struct field){ .number = number };
}

static inline uint64_t number(struct message m, uint32_t field_number)
{
	return field(m, field_number, 0).value;
}

static inline struct message nested(struct message m, uint32_t field_number, size_t n)
{
	struct field f = field(m, field_number, n);

	assert_non_null(f.bytes.at);
	return f.bytes;
}

static inline void assert_packed(struct message m, const uint64_t *want, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		assert_int_equal(read_varint(&m), want[i]);
	assert_ptr_equal(m.at, m.end);
}

#define ASSERT_PACKED(m, ...) do {						\
	const uint64_t want_[] = { __VA_ARGS__ };				\
	assert_packed(m, want_, sizeof(want_) / sizeof(*want_));		\
} while (0)

#endif /* TESTS_WIRE_H */
