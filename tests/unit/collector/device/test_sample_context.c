// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/sample_record.c collector/device/wait_class.c
// sources: collector/device/thread_state.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "device/sample_record.h"

static union {
	struct pprof_sample sample;
	uint8_t bytes[512];
} record;

/* Makes a sample of two frames, with labels of label_bytes (-1: none), and a context of bytes. */
static struct pprof_sample *make(int label_bytes, uint32_t bytes)
{
	struct pprof_sample *s = &record.sample;
	uint8_t *at = (uint8_t *)&s->frames[2];

	memset(&record, 0, sizeof(record));
	s->nr_frames = 2;
	s->flags = PPROF_SAMPLE_CONTEXT;
	if (label_bytes >= 0) {
		s->flags |= PPROF_SAMPLE_LABELS;
		*(struct pprof_sample_labels *)at =
			(struct pprof_sample_labels){ .set = 1, .bytes = label_bytes };
		at += sizeof(struct pprof_sample_labels) + (label_bytes + 7) / 8 * 8;
	}
	*(struct pprof_sample_context *)at = (struct pprof_sample_context){ .bytes = bytes };
	s->ev.rec.size = at - record.bytes + sizeof(struct pprof_sample_context) +
			 (bytes + 7) / 8 * 8;
	return s;
}

static void test_where_it_is(void **state)
{
	static const int labels[] = { -1, 0, 1, 8, 9 };

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const struct pprof_sample *s = make(labels[i], 31);
		const struct pprof_sample_context *c = sample_context(s);

		assert_non_null(c);
		assert_int_equal(c->bytes, 31);
		assert_ptr_equal((const uint8_t *)c + sizeof(*c) + 32,
				 record.bytes + s->ev.rec.size);
	}
}

static void test_damaged(void **state)
{
	struct pprof_sample *s = make(-1, 31);

	(void)state;
	s->flags = 0;
	assert_null(sample_context(s));
	s = make(-1, PPROF_MIN_CONTEXT_BYTES - 1);
	assert_null(sample_context(s));
	((struct pprof_sample_context *)&s->frames[2])->format = PPROF_CONTEXT_LABELS;
	assert_non_null(sample_context(s));
	for (uint32_t size = sizeof(*s) + 16; size < sizeof(*s) + 16 + 8 + 31; size++) {
		s = make(-1, 31);
		s->ev.rec.size = size;
		assert_null(sample_context(s));
	}
	s = make(8, 31);
	((struct pprof_sample_labels *)&s->frames[2])->bytes = UINT32_MAX;
	assert_null(sample_context(s));
	((struct pprof_sample_labels *)&s->frames[2])->bytes = 8 + 8 + 32 + 1;
	assert_null(sample_context(s));
	s = make(8, UINT32_MAX);
	s->ev.rec.size = 200;
	assert_null(sample_context(s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_it_is),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
