// SPDX-License-Identifier: GPL-2.0
#include "pprof/profile_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/profile_fault.h"
#include "pprof/profile_source.h"
#include "pprof/read_ahead.h"

#define WINDOW_BYTES	((size_t)256 << 10)

/* Moves the unread bytes to the start of the window, and makes the window larger if it is full. */
static int make_room(struct profile_input *in, uint64_t want)
{
	size_t left = in->end - in->at, room = in->room;
	uint8_t *more;

	in->window_offset += in->at - in->window;
	if (left)
		memmove(in->window, in->at, left);
	if (left == room) {
		room *= 2;
		if (room > want + WINDOW_BYTES)
			room = want + WINDOW_BYTES;
		more = realloc(in->window, room + PROFILE_INPUT_AFTER);
		if (!more)
			return profile_fault_errno(in->fault, -ENOMEM);
		in->window = more;
		in->room = room;
	}
	in->at = in->window;
	in->end = in->window + left;
	return 0;
}

static int read_some(struct profile_input *in, uint8_t *to, size_t len, size_t *got)
{
	if (in->ahead)
		return read_ahead_read(in->ahead, to, len, got, in->fault);
	return profile_source_read(in->source, to, len, got, in->fault);
}

int profile_input_fill(struct profile_input *in, uint64_t want)
{
	size_t got = 1, room;
	int err = 0;

	while (!err && got && (uint64_t)(in->end - in->at) < want) {
		if (in->end == in->window + in->room || in->at != in->window)
			err = make_room(in, want);
		if (err)
			break;
		room = in->window + in->room - in->end;
		err = read_some(in, in->window + (in->end - in->window), room, &got);
		in->end += got;
		if (!err && profile_input_offset(in, in->end) > in->max_bytes)
			err = profile_fault_set(in->fault, in->max_bytes,
						"expected at most %llu bytes, inflated: split the profile",
						(unsigned long long)in->max_bytes);
	}
	return err;
}

int profile_input_skip(struct profile_input *in, uint64_t len)
{
	uint64_t part;
	int err = 0;

	while (len && !err) {
		err = profile_input_fill(in, 1);
		part = in->end - in->at;
		if (err || !part)
			break;
		if (part > len)
			part = len;
		in->at += part;
		len -= part;
	}
	return err;
}

/* A file that is not large is read before a thread would run. */
static int start(struct profile_input *in, int err)
{
	if (err)
		return err;
	if (profile_source_is_large(in->source))
		in->ahead = read_ahead_start(in->source);
	in->window = malloc(WINDOW_BYTES + PROFILE_INPUT_AFTER);
	in->room = WINDOW_BYTES;
	in->at = in->window;
	in->end = in->window;
	return in->window ? 0 : profile_fault_errno(in->fault, -ENOMEM);
}

int profile_input_open(struct profile_input *in, const char *path, uint64_t max_bytes,
		       struct profile_fault *fault)
{
	*in = (struct profile_input){ .max_bytes = max_bytes, .fault = fault };
	return start(in, profile_source_open(&in->source, path, fault));
}

int profile_input_open_memory(struct profile_input *in, const void *data, size_t len,
			      uint64_t max_bytes, struct profile_fault *fault)
{
	*in = (struct profile_input){ .max_bytes = max_bytes, .fault = fault };
	return start(in, profile_source_open_memory(&in->source, data, len, fault));
}

void profile_input_close(struct profile_input *in)
{
	read_ahead_stop(in->ahead);
	profile_source_free(in->source);
	free(in->window);
	*in = (struct profile_input){ 0 };
}
