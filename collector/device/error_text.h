/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error messages for failed calls of the module: what failed, the cause, and a hint. The
 * functions that return void and take no buffer print one line on standard error.
 */
#ifndef COLLECTOR_COMPLAIN_H
#define COLLECTOR_COMPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Prints why dev_open() failed, by errno. */
void complain_open(void);

/*
 * Prints why dev_setup() returned err, a negative errno. all: the session has PPROF_SETUP_ALL.
 * buffer_pages: the size of one CPU's ring.
 */
void complain_setup(bool all, unsigned int buffer_pages, int err);

/* Prints why dev_attach() returned err, a negative errno, for process pid. */
void complain_attach(pid_t pid, int err);

/* Prints why dev_threads() returned err, a negative errno. */
void complain_threads(int err);

/*
 * Prints why dev_custom_list() or dev_custom_read() returned err, a negative errno, for process
 * pid.
 */
void complain_custom(pid_t pid, int err);

/* Returns the hint for err, a negative errno, of a call without a message of its own. Static. */
const char *complain_mend(int err);

/*
 * Writes the text that complain_open() prints for err, a negative errno, to text, of size bytes.
 * It has no program name and no newline. 256 bytes are enough.
 */
void complain_open_text(int err, char *text, size_t size);

/* Writes the text that complain_attach() prints, in the same way. */
void complain_attach_text(pid_t pid, int err, char *text, size_t size);

#endif /* COLLECTOR_COMPLAIN_H */
