/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the symbols of one ELF file. The sources, in order:
 * - its own debug info;
 * - a separate debug file, found by build ID or debuglink under /usr/lib/debug, in the file's
 *   folder, or in .debug in it;
 * - debuginfod, only if DEBUGINFOD_URLS is set;
 * - the symbol tables.
 *
 * A struct elfsym is not thread-safe. Different threads may use different ones. Nothing here
 * prints a message.
 */
#ifndef COLLECTOR_ELFSYM_H
#define COLLECTOR_ELFSYM_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/frame.h"

struct elfsym;

/*
 * Opens an ELF program or library. fd now belongs to the elfsym; it is closed also after an
 * error. path is where the file was found; only its folder is used. path may be NULL, and the
 * file may be gone. elfsym_free() closes all.
 * Returns: the symbolizer, or NULL with errno. ENOEXEC: the file is not ELF, or damaged. EIO: it
 * was truncated meanwhile. ENOMEM.
 */
struct elfsym *elfsym_open(int fd, const char *path);

/* Frees all, with the strings of all frames. s may be NULL. */
void elfsym_free(struct elfsym *s);

/* Returns the build ID in lower-case hex, or "". It is valid as long as s. */
const char *elfsym_build_id(const struct elfsym *s);

/* Returns the file name in .gnu_debuglink, or NULL if there is none. It is valid as long as s. */
const char *elfsym_link(const struct elfsym *s);

/*
 * Finds the frames at a file offset, which is: address - start of mapping + offset of mapping.
 * For a return address, pass the byte before it.
 *
 * Fills lines, innermost inlined frame first, at most max (at least 1); the outermost ones
 * beyond that are left out. name and system_name are never NULL. All strings are valid as long
 * as s.
 * Returns: the number of frames; 0 if no function is known there; -EIO if the file was truncated
 * meanwhile, for this and all later calls; or -ENOMEM.
 */
int elfsym_lookup(struct elfsym *s, uint64_t offset, struct sym_line *lines, int max);

/* Is debuginfod in use? Its servers may have more symbols at another time. */
bool elfsym_has_servers(void);

/*
 * Would another elfsym of the same file and the same debug file find the same symbols? It would
 * not if a look-up failed, or if the debug info names an alternate file (dwz). debug_there: a
 * file exists at a path of elfid_open_debug(); if it was not used then, the reason is not known.
 */
bool elfsym_is_sure(const struct elfsym *s, bool debug_there);

/*
 * Frees everything except the build ID, the link and the strings of frames that were found.
 * Later look-ups find nothing. Debug info takes many times its size on disk, so release it
 * early.
 */
void elfsym_release(struct elfsym *s);

#endif /* COLLECTOR_ELFSYM_H */
