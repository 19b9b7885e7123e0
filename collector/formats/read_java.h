/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads heap and contention profiles of Java programs. Their addresses are only the numbers of the
 * names that follow.
 *
 *	--- heapz 1 ---					or: --- contentionz 1 ---
 *	format = java
 *	resolution = bytes
 *	7048 1 @ 0x00000003 0x00000004			bytes and objects; or delay and contentions
 *	 0x00000003 com.example.f (Source.java:103)
 */
#ifndef COLLECTOR_READ_JAVA_H
#define COLLECTOR_READ_JAVA_H

#include <stdbool.h>

#include "formats/text_cursor.h"

struct line_reader;
struct model;

/* Is this the start of such a profile? */
bool read_java_claims(struct text_cursor head);

/* Reads the profile into m, which is empty. Returns: 0, or a negative errno; the fault is set. */
int read_java(struct line_reader *lines, struct model *m);

#endif /* COLLECTOR_READ_JAVA_H */
