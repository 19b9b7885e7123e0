/* SPDX-License-Identifier: GPL-2.0 */
/* Regular files, and nothing else, by names that somebody else has chosen. */
#ifndef COLLECTOR_REGULAR_H
#define COLLECTOR_REGULAR_H

#include <stdint.h>

/*
 * Opens a regular file for reading; open() itself would have effects on devices
 * and FIFOs. ino 0: whatever stands there. -1: it is none, or may not be read.
 */
int regular_open(const char *path, uint64_t ino);

#endif /* COLLECTOR_REGULAR_H */
