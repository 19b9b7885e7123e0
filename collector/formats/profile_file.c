// SPDX-License-Identifier: GPL-2.0
#include "formats/profile_file.h"

#include <errno.h>

#include "formats/line_reader.h"
#include "formats/read_contention.h"
#include "formats/read_count.h"
#include "formats/read_cpu.h"
#include "formats/read_heap.h"
#include "formats/read_java.h"
#include "formats/read_threads.h"
#include "pprof/decode.h"
#include "pprof/decode_facts.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

/* The format must show in the first bytes. Comments may stand before the first line. */
#define HEAD_BYTES	(64U << 10)

/* Tried in this order, which is that of Go's pprof as far as it has these formats. */
static const struct {
	bool (*claims)(struct text_cursor head);
	int (*read)(struct line_reader *lines, struct model *m);
} formats[] = {
	{ read_cpu_claims, read_cpu },
	{ read_heap_claims, read_heap },
	{ read_count_claims, read_count },
	{ read_threads_claims, read_threads },
	{ read_contention_claims, read_contention },
	{ read_java_claims, read_java },
};

#define NR_FORMATS	(sizeof(formats) / sizeof(*formats))

static int read_text(struct line_reader *lines, size_t format, struct model **out,
		     struct decode_facts *facts)
{
	struct model *m = model_new();
	int err = m ? formats[format].read(lines, m) : line_reader_errno(lines, -ENOMEM);

	if (err) {
		model_free(m);
		return err;
	}
	model_trim(m);
	*out = m;
	if (facts)
		*facts = (struct decode_facts){
			.nr_bytes = profile_input_offset(lines->in, lines->in->at),
		};
	return 0;
}

static int read_any(struct profile_input *in, struct model **out, struct decode_facts *facts,
		    struct profile_fault *fault)
{
	struct line_reader lines = { .in = in, .fault = fault };
	int err = profile_input_fill(in, HEAD_BYTES);
	struct text_cursor head = { (const char *)in->at, (const char *)in->end };

	for (size_t i = 0; !err && i < NR_FORMATS; i++)
		if (formats[i].claims(head))
			return read_text(&lines, i, out, facts);
	return err ? err : decode_profile(in, out, facts, fault);
}

int profile_file_read(const char *path, uint64_t max_bytes, struct model **out,
		      struct decode_facts *facts, struct profile_fault *fault)
{
	struct profile_input in;
	int err = profile_input_open(&in, path, max_bytes, fault);

	if (!err)
		err = read_any(&in, out, facts, fault);
	profile_input_close(&in);
	return err;
}
