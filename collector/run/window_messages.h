/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the child that writes a window to its parent: the names of complete files, and the
 * symbols and build IDs that it has found, so that the next child need not look again.
 *
 * A message is a list of records. The parent checks them: the child reads files of other users.
 */
#ifndef COLLECTOR_WINDOW_MESSAGES_H
#define COLLECTOR_WINDOW_MESSAGES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"
#include "symbol/frame.h"

/* A socket of SOCK_SEQPACKET takes messages of some 200 KiB: net.core.wmem_default. */
#define WINDOW_MESSAGE_BYTES	(64U << 10)

/* A complete file of a window. */
struct window_message_file {
	uint32_t profile_type;		/* PROFILE_TYPE_* */
	int32_t pid;			/* 0: the file is not of one process */
	char comm[PPROF_COMM_LEN + 1];	/* "": the file is of all processes */
	char path[PATH_MAX];
};

struct window_sender {
	int fd;
	size_t nr;			/* bytes that are not sent yet */
	char bytes[WINDOW_MESSAGE_BYTES] __attribute__((aligned(8)));
};

/* Sends the name of a file, and all that was added before. Ignores a parent that has ended. */
void window_send_file(struct window_sender *s, const struct window_message_file *file);

/* Adds the symbols of a location. Names that do not fit into a message are not sent. */
void window_send_name(struct window_sender *s, uint32_t id, const struct frame *lines, uint32_t nr);

struct named_code_run;

/* Adds a run of code. One that does not fit into a message is not sent. */
void window_send_code(struct window_sender *s, const struct named_code_run *run);

/* Adds the build ID of a mapped file. */
void window_send_build_id(struct window_sender *s, uint32_t file, const char *build_id);

/* Sends what was added. */
void window_send(struct window_sender *s);

/* The functions that take records. They get ctx. Strings are valid during the call. */
struct window_takers {
	void (*file)(void *ctx, const struct window_message_file *file);
	void (*name)(void *ctx, uint32_t id, const struct frame *lines, uint32_t nr);
	void (*code)(void *ctx, const struct named_code_run *run);
	void (*build_id)(void *ctx, uint32_t file, const char *build_id);
	void *ctx;
};

/*
 * Calls a function for each record of a message, which is aligned to 8 bytes. After a record that
 * is not valid it ignores the rest.
 */
void window_take_message(const void *bytes, size_t nr, const struct window_takers *takers);

#endif /* COLLECTOR_WINDOW_MESSAGES_H */
