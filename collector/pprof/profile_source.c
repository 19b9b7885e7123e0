// SPDX-License-Identifier: GPL-2.0
#include "pprof/profile_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pprof/gzip_member.h"
#include "pprof/profile_fault.h"

#define RAW_BYTES	((size_t)64 << 10)
#define LARGE_BYTES	((off_t)256 << 10)

struct profile_source {
	int fd;				/* negative: all data is in memory from the start */
	off_t size;			/* of a regular file, or 0 */
	const uint8_t *at;
	const uint8_t *end;
	uint64_t end_offset;		/* of end in the file */
	struct gzip_member *gzip;	/* NULL if the data is not gzipped */
	bool in_member;			/* a gzip member has begun and not ended */
	uint8_t *raw;			/* NULL if all data is in memory */
	struct profile_fault *fault;	/* of the present call */
};

static int fault_errno(struct profile_source *s, int err)
{
	return profile_fault_errno(s->fault, err);
}

/* Reads more bytes of the file, after those that are left. at == end afterwards: it has ended. */
static int read_raw(struct profile_source *s)
{
	size_t left = s->end - s->at;
	ssize_t len;

	if (s->fd < 0)
		return 0;
	if (left)
		memmove(s->raw, s->at, left);
	do
		len = read(s->fd, s->raw + left, RAW_BYTES - left);
	while (len < 0 && errno == EINTR);
	if (len < 0)
		return fault_errno(s, -errno);
	s->at = s->raw;
	s->end = s->raw + left + len;
	s->end_offset += len;
	return 0;
}

/* A member begins with 1f 8b (RFC 1952). A second one may follow the first. */
static int look_for_member(struct profile_source *s)
{
	int err = 0;

	if (s->end - s->at < 2 && s->fd >= 0) {
		size_t before = s->end - s->at;

		err = read_raw(s);
		if (!err && (size_t)(s->end - s->at) > before && s->end - s->at < 2)
			err = read_raw(s);
	}
	if (err)
		return err;
	s->in_member = s->end - s->at >= 2 && s->at[0] == 0x1f && s->at[1] == 0x8b;
	return 0;
}

static int start(struct profile_source *s)
{
	int err = look_for_member(s);

	if (err)
		return err;
	if (!s->in_member)
		return 0;
	s->gzip = gzip_member_new();
	return s->gzip ? 0 : fault_errno(s, -ENOMEM);
}

static int fault_gzip(struct profile_source *s, const char *why)
{
	return profile_fault_set(s->fault, s->end_offset - (s->end - s->at),
				 "expected gzip data, found %s: get the file again", why);
}

/* Goes on to the next member, if there is one. */
static int next_member(struct profile_source *s)
{
	int err = look_for_member(s);

	if (err)
		return err;
	if (!s->in_member && s->at < s->end)
		return fault_gzip(s, "other bytes after its end");
	gzip_member_reset(s->gzip);
	return 0;
}

static int inflate_some(struct profile_source *s, uint8_t *to, size_t len, size_t *got)
{
	const char *found;
	int err;

	for (*got = 0; !*got && s->in_member;) {
		err = s->at == s->end ? read_raw(s) : 0;
		if (err)
			return err;
		err = gzip_member_read(s->gzip, &s->at, s->end, to, len, got, &found);
		if (err == -ENOMEM)
			return fault_errno(s, err);
		if (err < 0)
			return fault_gzip(s, err == -EBADMSG ? found : "its end too early");
		err = err ? next_member(s) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int copy_some(struct profile_source *s, uint8_t *to, size_t len, size_t *got)
{
	int err = s->at == s->end ? read_raw(s) : 0;

	*got = s->end - s->at;
	if (*got > len)
		*got = len;
	if (*got)
		memcpy(to, s->at, *got);
	s->at += *got;
	return err;
}

int profile_source_read(struct profile_source *s, uint8_t *to, size_t len, size_t *got,
			struct profile_fault *fault)
{
	int err;

	s->fault = fault;
	err = s->gzip ? inflate_some(s, to, len, got) : copy_some(s, to, len, got);
	if (err)
		*got = 0;
	return err;
}

bool profile_source_is_large(const struct profile_source *s)
{
	return s->gzip && s->size >= LARGE_BYTES;
}

/* Allocates the source of an open file, or of memory if fd is negative. Closes fd if it fails. */
static int make(struct profile_source **out, int fd, off_t size, struct profile_fault *fault)
{
	struct profile_source *s = calloc(1, sizeof(*s));

	if (s) {
		s->fd = fd;
		s->size = size;
		s->fault = fault;
		s->raw = fd >= 0 ? malloc(RAW_BYTES) : NULL;
		s->at = s->raw;
		s->end = s->raw;
	}
	if (s && (s->raw || fd < 0)) {
		*out = s;
		return 0;
	}
	free(s);
	if (fd >= 0)
		close(fd);
	return profile_fault_errno(fault, -ENOMEM);
}

static int start_or_free(struct profile_source **out)
{
	int err = start(*out);

	if (err) {
		profile_source_free(*out);
		*out = NULL;
	}
	return err;
}

int profile_source_open(struct profile_source **out, const char *path, struct profile_fault *fault)
{
	struct stat st;
	int fd, err;

	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	else
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return profile_fault_errno(fault, -errno);
	if (fstat(fd, &st))
		st = (struct stat){ 0 };
	if (S_ISDIR(st.st_mode)) {
		close(fd);
		return profile_fault_errno(fault, -EISDIR);
	}
	err = make(out, fd, S_ISREG(st.st_mode) ? st.st_size : 0, fault);
	return err ? err : start_or_free(out);
}

int profile_source_open_memory(struct profile_source **out, const void *data, size_t len,
			       struct profile_fault *fault)
{
	int err = make(out, -1, 0, fault);

	if (err)
		return err;
	(*out)->at = data;
	(*out)->end = (*out)->at + len;
	(*out)->end_offset = len;
	return start_or_free(out);
}

void profile_source_free(struct profile_source *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	gzip_member_free(s->gzip);
	free(s->raw);
	free(s);
}
