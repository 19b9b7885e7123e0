/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the memory of a stopped process. */
#ifndef SINGLE_STEP_MEMORY_H
#define SINGLE_STEP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Selects the process that the functions below read, and drops what they have cached. */
void memory_select(int pid);

/* Copies up to size bytes. Returns: how many; fewer if the rest cannot be read. */
size_t memory_read(uint64_t at, void *to, size_t size);

/* Reads the word at any address. Returns: false if it cannot be read. */
bool memory_word(uint64_t at, uint64_t *to);

#endif
