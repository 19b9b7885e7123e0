/* SPDX-License-Identifier: GPL-2.0 */
/* Reads a fuzzed profile by one of the formats, and checks the model or the fault. */
#ifndef TESTS_FUZZ_TEXT_H
#define TESTS_FUZZ_TEXT_H

#include <string.h>

#include "formats/line_reader.h"
#include "pprof/decode.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "tests/fuzz/model.h"

#define MAX_BYTES	(1 << 20)

struct format {
	bool (*claims)(struct text_cursor head);
	int (*read)(struct line_reader *lines, struct model *m);
};

/* Each model can be written, and read again. */
static void check_model(const struct model *m)
{
	struct written w;
	struct profile_fault fault = { 0 };
	struct profile_input in;
	struct model *again = NULL;

	check_samples(m);
	check_tables(m);
	w = encode(m);
	if (w.len) {
		check(!profile_input_open_memory(&in, w.data, w.len, UINT64_MAX, &fault));
		check(!decode_profile(&in, &again, NULL, &fault));
		check(again->samples.nr == m->samples.nr);
		profile_input_close(&in);
	}
	model_free(again);
	free(w.data);
}

static void read_format(const struct format *format, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct profile_fault fault = { 0 };
	struct profile_input in;
	struct line_reader lines = { .in = &in, .fault = &fault };
	struct model *m;

	if (!format->claims((struct text_cursor){ text, text + size }))
		return;
	m = model_new();
	check(m && !profile_input_open_memory(&in, data, size, MAX_BYTES, &fault));
	if (format->read(&lines, m))
		check(strstr(fault.text, ": get the file again") ||
		      strstr(fault.text, ": split the profile"));
	else
		check_model(m);
	profile_input_close(&in);
	model_free(m);
}

#endif /* TESTS_FUZZ_TEXT_H */
