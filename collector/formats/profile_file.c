// SPDX-License-Identifier: GPL-2.0
#include "formats/profile_file.h"

#include <errno.h>

#include "formats/line_reader.h"
#include "formats/read_contention.h"
#include "formats/read_count.h"
#include "formats/read_cpu.h"
#include "formats/read_folded.h"
#include "formats/read_heap.h"
#include "formats/read_java.h"
#include "formats/read_perf_script.h"
#include "formats/read_threads.h"
#include "pprof/decode.h"
#include "pprof/decode_facts.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

/* Bytes that are read to find the first line that is no comment: at first, and at most. */
#define HEAD_BYTES	(64U << 10)
#define MAX_HEAD_BYTES	(2 * LINE_READER_MAX_BYTES)

/* Tried in this order, which is that of Go's pprof as far as it has these formats. */
static const struct {
	bool (*claims)(struct text_cursor head);
	int (*read)(struct line_reader *lines, struct model *m);
	bool is_binary;
} formats[] = {
	{ read_cpu_claims, read_cpu, true },
	{ read_heap_claims, read_heap, false },
	{ read_count_claims, read_count, false },
	{ read_threads_claims, read_threads, false },
	{ read_contention_claims, read_contention, false },
	{ read_java_claims, read_java, false },
	{ read_perf_script_claims, read_perf_script, false },
	{ read_folded_claims, read_folded, false },
};

#define NR_FORMATS	(sizeof(formats) / sizeof(*formats))

static int read_format(struct line_reader *lines, size_t format, struct model **out,
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

/* Fills the window. *head becomes the first bytes of the data, with a whole line of no comment. */
static int fill_head(struct profile_input *in, struct text_cursor *head)
{
	uint64_t want = HEAD_BYTES;
	int err;

	do {
		err = profile_input_fill(in, want);
		*head = (struct text_cursor){ (const char *)in->at, (const char *)in->end };
		want *= 2;
	} while (!err && text_left(head) >= want / 2 && want <= MAX_HEAD_BYTES &&
		 text_first_line(*head).end == head->end);
	return err;
}

/* No protobuf is text: its numbers are control characters. */
static bool is_text(struct text_cursor head)
{
	for (; head.at < head.end; head.at++)
		if ((unsigned char)*head.at < ' ' ? !text_is_blank(*head.at) : *head.at == 0x7f)
			return false;
	return true;
}

/* Can message Profile begin with this byte, the tag of a field? */
static bool is_tag(uint8_t byte)
{
	unsigned int number = byte >> 3, type = byte & 7;

	return number && number <= 15 && (type == 0 || type == 2);
}

/* Says what the data is, if it is not a profile. Returns: 0 if it may be one. */
static int check_foreign(const struct text_cursor *head, struct profile_fault *fault)
{
	struct text_cursor c = *head;

	if (c.at == c.end)
		return 0;
	if (text_take(&c, "PERFILE2"))
		return profile_fault_set(fault, 0,
					 "expected a profile, found perf.data: read the output of perf script -i FILE");
	if (is_text(c))
		return profile_fault_set(fault, 0,
					 "expected a profile, found text of another format: name a profile");
	if (!is_tag(*c.at))
		return profile_fault_set(fault, 0,
					 "expected a profile, found data of another format: name a profile");
	return 0;
}

static int read_any(struct profile_input *in, struct model **out, struct decode_facts *facts,
		    struct profile_fault *fault)
{
	struct line_reader lines = { .in = in, .fault = fault };
	struct text_cursor head;
	int err = fill_head(in, &head);

	for (size_t i = 0; !err && i < NR_FORMATS; i++)
		if ((formats[i].is_binary || is_text(text_first_line(head))) &&
		    formats[i].claims(head))
			return read_format(&lines, i, out, facts);
	if (!err)
		err = check_foreign(&head, fault);
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
