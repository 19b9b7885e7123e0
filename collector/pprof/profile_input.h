/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a profile file, inflated if it is gzip. The data streams through a window, so a
 * file of any size needs little memory. The window grows only to the size of one message, and
 * only as its bytes arrive: a length that a hostile file claims allocates nothing.
 *
 * A large file is inflated by a thread of its own (pprof/read_ahead.h).
 */
#ifndef COLLECTOR_PROFILE_INPUT_H
#define COLLECTOR_PROFILE_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct profile_fault;

/* The limit for max_bytes that fits a person's files. */
#define PROFILE_INPUT_MAX_BYTES	((uint64_t)1 << 30)

/*
 * The number of bytes from end on that may be read. They have no meaning, but a reader of words
 * reads them together with the last bytes.
 */
#define PROFILE_INPUT_AFTER	16

struct profile_input {
	/* The next byte, and the first byte after the window. The reader moves at. */
	const uint8_t *at;
	const uint8_t *end;
	/* The rest is private. */
	struct profile_source *source;
	struct read_ahead *ahead;	/* NULL without a thread */
	uint8_t *window;
	size_t room;
	uint64_t window_offset;		/* of the window's first byte in the data */
	uint64_t max_bytes;
	struct profile_fault *fault;
};

/*
 * Opens a file; "-" is standard input. More than max_bytes of inflated data are a fault. fault is
 * set by every function that fails. profile_input_close() frees it, also after an error.
 * Returns: 0, or a negative errno.
 */
int profile_input_open(struct profile_input *in, const char *path, uint64_t max_bytes,
		       struct profile_fault *fault);

/* Opens data that is in memory, which the caller keeps until profile_input_close(). */
int profile_input_open_memory(struct profile_input *in, const void *data, size_t len,
			      uint64_t max_bytes, struct profile_fault *fault);

/* Closes the file. in may be all zeroes. */
void profile_input_close(struct profile_input *in);

/*
 * Makes at least want bytes available at in->at; fewer only at the end of the data. Moves the
 * window: earlier pointers into it become invalid.
 * Returns: 0, or a negative errno.
 */
int profile_input_fill(struct profile_input *in, uint64_t want);

/* Skips len bytes, or all if there are fewer. Returns: 0, or a negative errno. */
int profile_input_skip(struct profile_input *in, uint64_t len);

/* The offset in the data of a pointer into the window. */
static inline uint64_t profile_input_offset(const struct profile_input *in, const uint8_t *at)
{
	return in->window_offset + (at - in->window);
}

#endif /* COLLECTOR_PROFILE_INPUT_H */
