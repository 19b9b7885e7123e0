/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The build ID of an ELF file, and the separate debug file that belongs to it. All reads use
 * pread(): a file that is truncated meanwhile gives an error and no SIGBUS.
 */
#ifndef COLLECTOR_BUILD_ID_H
#define COLLECTOR_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* Build IDs have 20 bytes by default. A note of up to this size is still read. */
#define BUILD_ID_MAX_BYTES	64
#define BUILD_ID_HEX_SIZE	(2 * BUILD_ID_MAX_BYTES + 1)

/* The default folder of debug files. */
#define BUILD_ID_DEBUG_DIR	"/usr/lib/debug"

/* Describes a debug file to look for. All strings belong to the caller. */
struct build_id_wanted {
	/* Of the file that the debug file belongs to, in hex; "" if not known. */
	const char *build_id;
	/* Name in .gnu_debuglink, or path in .gnu_debugaltlink; NULL if none. */
	const char *link;
	uint32_t crc;		/* CRC-32 of the whole debug file; used if build_id is "" */
	const char *folder;	/* folder of the file that has the link; NULL if not known */
};

/*
 * Reads the build ID of an open file into hex, in lower case. hex is "" if the file has no build
 * ID, or one over BUILD_ID_MAX_BYTES. The position of fd may change.
 * Returns: 0, or -ENOEXEC for a file that elf/validate.h refuses.
 */
int build_id_read(int fd, char hex[BUILD_ID_HEX_SIZE]);

#define BUILD_ID_MAX_PATHS	4

/* Tries one path. Returns a number below 0 to refuse the path; the search then goes on. */
typedef int (*build_id_try_fn)(void *ctx, const char *path);

/*
 * Calls fn with each path of the search of build_id_open_debug(), in its order, until fn accepts
 * one. There are at most BUILD_ID_MAX_PATHS.
 * Returns: the result of fn for the accepted path, or -ENOENT.
 */
int build_id_try_debug(const char *dir, const struct build_id_wanted *w, build_id_try_fn fn,
		       void *ctx);

/*
 * Finds and opens a debug file, by gdb's manual, chapter "Separate Debug Files". The paths, in
 * order: DIR/.build-id/xx/yyyy.debug, FOLDER/LINK, FOLDER/.debug/LINK, DIR/FOLDER/LINK. A link
 * that contains a slash is not followed.
 *
 * The build ID of the debug file must be equal. The CRC is compared only if build_id is "". The
 * file has passed elf/validate.h.
 * Returns: a descriptor that the caller closes, or -ENOENT.
 */
int build_id_open_debug(const char *dir, const struct build_id_wanted *w);

/*
 * Opens the file into which dwz moved common debug info. Looks by build ID first, as above, then
 * at link, which is a path; a relative one starts at folder. The path must lie under dir or
 * folder with all symbolic links resolved, and the build ID must be equal.
 * Returns: a descriptor that the caller closes, or -ENOENT.
 */
int build_id_open_alt(const char *dir, const struct build_id_wanted *w);

/*
 * Returns the folder of path, for build_id_wanted.folder; the caller frees it. Returns NULL if path
 * is NULL or has no slash, or without memory.
 */
char *build_id_folder_of(const char *path);

/* Writes size bytes as lower-case hex and a NUL to hex, which has room for 2 * size + 1 bytes. */
void build_id_to_hex(const uint8_t *bytes, size_t size, char *hex);

#endif /* COLLECTOR_BUILD_ID_H */
