/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the stacks of all threads, as gperftools and programs with a threadz page print them:
 *
 *	--- threadz 1 ---
 *	--- Thread 7f794ab90940 (name: main/14748) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg *)
 *	  0x0040be31: main
 *
 * The addresses may also stand in one line, without names. The leaf is no return address.
 */
#ifndef COLLECTOR_READ_THREADS_H
#define COLLECTOR_READ_THREADS_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_threads_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_threads(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_THREADS_H */
