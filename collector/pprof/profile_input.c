// SPDX-License-Identifier: GPL-2.0
#include "pprof/profile_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "pprof/profile_fault.h"

#define WINDOW_BYTES	((size_t)256 << 10)
#define RAW_BYTES	((size_t)64 << 10)

/* The bytes of the file: read from fd, or all in memory from the start if fd is negative. */
struct profile_source {
	int fd;
	const uint8_t *at;
	const uint8_t *end;
	bool is_gzip;
	bool in_member;			/* a gzip member has begun and not ended */
	z_stream z;
	uint8_t raw[RAW_BYTES];
};

static int fault_errno(struct profile_input *in, int err)
{
	return profile_fault_errno(in->fault, err);
}

/* Reads more bytes of the file, after those that are left. at == end afterwards: it has ended. */
static int read_raw(struct profile_input *in)
{
	struct profile_source *s = in->source;
	size_t left = s->end - s->at;
	ssize_t len;

	if (s->fd < 0)
		return 0;
	if (left)
		memmove(s->raw, s->at, left);
	do
		len = read(s->fd, s->raw + left, sizeof(s->raw) - left);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return fault_errno(in, -errno);
	s->at = s->raw;
	s->end = s->raw + left + len;
	return 0;
}

/* A member begins with 1f 8b (RFC 1952). A second one may follow the first. */
static int look_for_member(struct profile_input *in)
{
	struct profile_source *s = in->source;
	int err = 0;

	if (s->end - s->at < 2 && s->fd >= 0) {
		size_t before = s->end - s->at;

		err = read_raw(in);
		if (!err && (size_t)(s->end - s->at) > before && s->end - s->at < 2)
			err = read_raw(in);
	}
	if (err)
		return err;
	s->in_member = s->end - s->at >= 2 && s->at[0] == 0x1f && s->at[1] == 0x8b;
	return 0;
}

static int start_source(struct profile_input *in)
{
	struct profile_source *s = in->source;
	int err = look_for_member(in);

	if (err)
		return err;
	s->is_gzip = s->in_member;
	/* 16 selects the gzip header and trailer (zlib.h). */
	if (s->is_gzip && inflateInit2(&s->z, 16 + MAX_WBITS) != Z_OK)
		return fault_errno(in, -ENOMEM);
	return 0;
}

static int fault_gzip(struct profile_input *in, const char *why)
{
	return profile_fault_set(in->fault, profile_input_offset(in, in->end),
				 "expected gzip data, found %s: get the file again", why);
}

/* Goes on to the next member, if there is one. */
static int next_member(struct profile_input *in)
{
	struct profile_source *s = in->source;
	int err = look_for_member(in);

	if (err)
		return err;
	if (!s->in_member && s->at < s->end)
		return fault_gzip(in, "other bytes after its end");
	return inflateReset(&s->z) == Z_OK ? 0 : fault_errno(in, -ENOMEM);
}

/* Inflates up to len bytes. *got is 0 only at the end of the data. */
static int inflate_some(struct profile_input *in, uint8_t *to, size_t len, size_t *got)
{
	struct profile_source *s = in->source;
	int err, ret;

	for (*got = 0; !*got && s->in_member;) {
		err = s->at == s->end ? read_raw(in) : 0;
		if (err)
			return err;
		s->z.next_in = s->at;
		s->z.avail_in = s->end - s->at;
		s->z.next_out = to;
		s->z.avail_out = len;
		ret = inflate(&s->z, Z_NO_FLUSH);
		*got = len - s->z.avail_out;
		if (ret == Z_BUF_ERROR && s->at == s->end)
			return fault_gzip(in, "its end too early");
		if (ret == Z_MEM_ERROR)
			return fault_errno(in, -ENOMEM);
		if (ret != Z_OK && ret != Z_STREAM_END)
			return fault_gzip(in, s->z.msg ? s->z.msg : "a fault");
		s->at = s->z.next_in;
		err = ret == Z_STREAM_END ? next_member(in) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int copy_some(struct profile_input *in, uint8_t *to, size_t len, size_t *got)
{
	struct profile_source *s = in->source;
	int err = s->at == s->end ? read_raw(in) : 0;

	*got = s->end - s->at;
	if (*got > len)
		*got = len;
	if (*got)
		memcpy(to, s->at, *got);
	s->at += *got;
	return err;
}

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
		more = realloc(in->window, room);
		if (!more)
			return fault_errno(in, -ENOMEM);
		in->window = more;
		in->room = room;
	}
	in->at = in->window;
	in->end = in->window + left;
	return 0;
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
		if (in->source->is_gzip)
			err = inflate_some(in, in->window + (in->end - in->window), room, &got);
		else
			err = copy_some(in, in->window + (in->end - in->window), room, &got);
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

/* Makes an input of the bytes of fd, which it closes later, or of those in memory. */
static int start(struct profile_input *in, int fd, const void *data, size_t len)
{
	in->window = malloc(WINDOW_BYTES);
	in->room = WINDOW_BYTES;
	in->at = in->window;
	in->end = in->window;
	in->source = calloc(1, sizeof(*in->source));
	if (!in->source || !in->window) {
		if (fd >= 0)
			close(fd);
		return fault_errno(in, -ENOMEM);
	}
	in->source->fd = fd;
	in->source->at = data ? data : in->source->raw;
	in->source->end = in->source->at + len;
	return start_source(in);
}

int profile_input_open(struct profile_input *in, const char *path, uint64_t max_bytes,
		       struct profile_fault *fault)
{
	struct stat st;
	int fd;

	*in = (struct profile_input){ .max_bytes = max_bytes, .fault = fault };
	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return fault_errno(in, -errno);
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		close(fd);
		return fault_errno(in, -EISDIR);
	}
	return start(in, fd, NULL, 0);
}

int profile_input_open_memory(struct profile_input *in, const void *data, size_t len,
			      uint64_t max_bytes, struct profile_fault *fault)
{
	*in = (struct profile_input){ .max_bytes = max_bytes, .fault = fault };
	return start(in, -1, data, len);
}

void profile_input_close(struct profile_input *in)
{
	if (in->source) {
		if (in->source->fd >= 0)
			close(in->source->fd);
		if (in->source->is_gzip)
			inflateEnd(&in->source->z);
	}
	free(in->source);
	free(in->window);
	*in = (struct profile_input){ 0 };
}
