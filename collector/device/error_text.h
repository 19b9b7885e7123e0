/* SPDX-License-Identifier: GPL-2.0 */
/* What a failed call of the module means for who asked: the cause, and the mend. */
#ifndef COLLECTOR_COMPLAIN_H
#define COLLECTOR_COMPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* dev_open() failed, with errno. */
void complain_open(void);

/*
 * dev_setup() returned err, negative, for a session of all processes or not, and for so many
 * pages of each CPU's ring.
 */
void complain_setup(bool all, unsigned int buffer_pages, int err);

/* dev_attach() returned err, negative, for a process. */
void complain_attach(pid_t pid, int err);

/* dev_threads() gave err. */
void complain_threads(int err);

/* dev_custom_list() or dev_custom_read() gave err for a process. */
void complain_custom(pid_t pid, int err);

/* What to do about err, negative, of a call of the module that has no sentence of its own. */
const char *complain_mend(int err);

/* What complain_open() and complain_attach() say; 256 bytes hold it. */
void complain_open_text(int err, char *text, size_t size);
void complain_attach_text(pid_t pid, int err, char *text, size_t size);

#endif /* COLLECTOR_COMPLAIN_H */
