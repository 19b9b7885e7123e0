/* SPDX-License-Identifier: GPL-2.0 */
/* What an ELF file brings for whoever names and unwinds its code. */
#ifndef COLLECTOR_ELFPARTS_H
#define COLLECTOR_ELFPARTS_H

#include <stdbool.h>

struct elfparts {
	bool has_debug_info;	/* functions and lines; also in a separate debug file */
	bool has_symbols;	/* all functions; also in a separate debug file */
	bool has_exports;	/* names of those that others may call */
	bool has_frames;	/* .eh_frame or .debug_frame */
	bool is_32_bits;	/* code of i386 or x32 */
};

/*
 * fd: an open file, which stays the caller's; path: where it was found; dir: where
 * debug files are, /usr/lib/debug. 0, or -ENOEXEC for what isn't ELF or is damaged.
 */
int elfparts_read(int fd, const char *path, const char *dir, struct elfparts *p);

#endif /* COLLECTOR_ELFPARTS_H */
