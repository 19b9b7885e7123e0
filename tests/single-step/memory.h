/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a stopped process. */
#ifndef SHADOW_MEMORY_H
#define SHADOW_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From here on it is that of pid, as it is now: what was read of it before is
 * forgotten.
 */
void memory_look_at(int pid);

/* Copies up to size bytes, fewer where memory ends; how many. */
size_t memory_read(uint64_t at, void *to, size_t size);

/* The word at any address: false if it cannot be read. */
bool memory_word(uint64_t at, uint64_t *to);

#endif
