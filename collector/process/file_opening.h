/* SPDX-License-Identifier: GPL-2.0 */
/* Opens the file of a mapping, as long as some path leads to it. */
#ifndef COLLECTOR_FILE_OPENING_H
#define COLLECTOR_FILE_OPENING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel reports about a mapped file. */
struct mapped_files_key {
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
	const char *path;	/* in its mount namespace; "" or NULL if there is none */
};

/* One mapping of a file, and the process that has it. */
struct mapped_files_mapping {
	pid_t pid;
	uint64_t start;
	uint64_t end;
};

/* Returns a descriptor of the file with this key, or a negative errno. */
int file_opening_open(const struct mapped_files_key *key, const struct mapped_files_mapping *m);

/* Does the file begin as an ELF file? fd may be negative. A library may be loaded from a memfd. */
bool file_opening_is_elf(int fd);

/*
 * Is a file with this path memory, although it has a name? fd is its descriptor, or negative: then
 * a memfd is taken for memory.
 */
bool file_opening_is_memory(const char *path, int fd);

#endif /* COLLECTOR_FILE_OPENING_H */
