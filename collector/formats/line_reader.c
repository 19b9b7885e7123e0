// SPDX-License-Identifier: GPL-2.0
#include "formats/line_reader.h"

#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

/* Finds the end of the line that begins at in->at. *len is its length, without the newline. */
static int find_end(struct line_reader *r, size_t *len)
{
	struct profile_input *in = r->in;
	size_t searched = 0, left;
	const uint8_t *found = NULL;
	int err = 0;

	for (;; searched = left) {
		left = in->end - in->at;
		if (left > searched)
			found = memchr(in->at + searched, '\n', left - searched);
		if (found || left > LINE_READER_MAX_BYTES)
			break;
		err = profile_input_fill(in, left + 1);
		if (err || (size_t)(in->end - in->at) == left)
			break;
	}
	r->is_cut = !found;
	*len = found ? found - in->at : in->end - in->at;
	return err;
}

int line_reader_next(struct line_reader *r)
{
	struct profile_input *in = r->in;
	size_t len;
	int err = find_end(r, &len);

	r->line = (struct text_cursor){ 0 };
	if (err)
		return err;
	if (!len && r->is_cut)
		return 0;
	r->number++;
	if (len > LINE_READER_MAX_BYTES)
		return line_reader_fault(r, "at most 4 MiB in a line");
	r->line.at = (const char *)in->at;
	r->line.end = r->line.at + len;
	if (len && r->line.end[-1] == '\r')
		r->line.end--;
	in->at += len + !r->is_cut;
	return 1;
}

int line_reader_fault(struct line_reader *r, const char *expected)
{
	return profile_fault_set(r->fault, PROFILE_FAULT_NO_OFFSET,
				 "line %llu: expected %s%s: get the file again",
				 (unsigned long long)r->number, expected,
				 r->is_cut ? ", found the end of the file" : "");
}

int line_reader_check_end(struct line_reader *r)
{
	return r->is_cut ? line_reader_fault(r, "a whole line") : 0;
}

int line_reader_errno(struct line_reader *r, int err)
{
	return profile_fault_errno(r->fault, err);
}
