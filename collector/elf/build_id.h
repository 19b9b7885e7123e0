/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What identifies an ELF file, its build ID, and which separate debug file
 * belongs to it. Reads with pread(), so that a file that shrinks is an error.
 */
#ifndef COLLECTOR_ELFID_H
#define COLLECTOR_ELFID_H

#include <stddef.h>
#include <stdint.h>

/* Build IDs have 20 bytes by default; the notes of this size are still read. */
#define ELFID_MAX_BYTES	64
#define ELFID_HEX_SIZE	(2 * ELFID_MAX_BYTES + 1)

#define ELFID_DEBUG_DIR	"/usr/lib/debug"

/* A debug file to look for. */
struct elfid_wanted {
	const char *build_id;	/* hex, "" if not known */
	const char *link;	/* a file's name, NULL if none */
	uint32_t crc;		/* of the whole linked file, if build_id is "" */
	const char *folder;	/* the linking file's, NULL if not known */
};

/*
 * Writes the build ID of an open file in lower-case hex, "" if it has none;
 * the file's position is not kept. 0, or -ENOEXEC for what libelf and libdw
 * must not see: see validate.h.
 */
int elfid_read(int fd, char hex[ELFID_HEX_SIZE]);

#define ELFID_MAX_PATHS	4

/* Takes no path it returns a negative number for. */
typedef int (*elfid_try_fn)(void *ctx, const char *path);

/*
 * Calls fn with each path at which elfid_open_debug() looks, in its order, at most
 * ELFID_MAX_PATHS, until one is taken. Returns what fn returned of that, or -ENOENT.
 */
int elfid_try_debug(const char *dir, const struct elfid_wanted *w, elfid_try_fn fn, void *ctx);

/*
 * Opens the debug file, as gdb's manual, "Separate Debug Files", says:
 * DIR/.build-id/xx/yyyy.debug, then FOLDER/LINK, FOLDER/.debug/LINK and
 * DIR/FOLDER/LINK. The build IDs have to agree; the CRC is for files without.
 * What is opened has passed validate.h.
 * Returns a descriptor for the caller to close, or -ENOENT.
 */
int elfid_open_debug(const char *dir, const struct elfid_wanted *w);

/*
 * Opens the file that dwz moved common debug info to: by build ID as above,
 * then by link, a path, relative to folder if not absolute. It has to lie
 * under dir or folder, and its build ID to agree.
 * Returns a descriptor for the caller to close, or -ENOENT.
 */
int elfid_open_alt(const char *dir, const struct elfid_wanted *w);

/* For struct elfid_wanted, and the caller to free: NULL of none, or without memory. */
char *elfid_folder_of(const char *path);

/* Writes size bytes in lower-case hex and a NUL. */
void elfid_to_hex(const uint8_t *bytes, size_t size, char *hex);

#endif /* COLLECTOR_ELFID_H */
