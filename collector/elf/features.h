/* SPDX-License-Identifier: GPL-2.0 */
/* What an ELF file has for symbolization and for unwinding. */
#ifndef COLLECTOR_FEATURES_H
#define COLLECTOR_FEATURES_H

#include <stdbool.h>

/* A part counts if the file or its separate debug file has it. */
struct elf_features {
	bool has_debug_info;	/* functions and source lines */
	bool is_unread;		/* it has debug info that libelf cannot decompress */
	bool has_symbols;	/* all functions: .symtab or .gnu_debugdata */
	bool has_exports;	/* functions that other files may call: .dynsym */
	bool has_frames;	/* .eh_frame or .debug_frame */
	bool is_32_bits;	/* the file has 32-bit code */
};

/*
 * Fills p for the open file fd, which was found at path. dir is the folder of debug files,
 * /usr/lib/debug. fd stays open.
 * Returns: 0, or -ENOEXEC for a file that is not ELF or is damaged.
 */
int elf_features_read(int fd, const char *path, const char *dir, struct elf_features *p);

#endif /* COLLECTOR_FEATURES_H */
