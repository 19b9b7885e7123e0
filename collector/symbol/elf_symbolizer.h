/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names the code of one ELF file. Names come from, in this order: the file's
 * own debug info; a separate debug file, found by build ID or debuglink under
 * /usr/lib/debug, in the file's folder or in .debug in it; debuginfod, only if
 * DEBUGINFOD_URLS is set; the symbol tables.
 *
 * A struct elfsym is not thread-safe; several may be used in several threads.
 */
#ifndef COLLECTOR_ELFSYM_H
#define COLLECTOR_ELFSYM_H

#include <stdbool.h>
#include <stdint.h>

#include "symbol/frame.h"

struct elfsym;

/*
 * fd: an open ELF executable or shared object. It is the elfsym's from here on,
 * and closed if this fails. path: where the file was found, used for its
 * folder only; it may be gone from there, or be NULL.
 * NULL: errno is ENOEXEC for what isn't ELF or is damaged, EIO if the file
 * shrank while we read it, or ENOMEM.
 */
struct elfsym *elfsym_open(int fd, const char *path);

/* NULL is fine. */
void elfsym_free(struct elfsym *s);

/* Lower-case hex, "" if the file has none. Lives as long as the elfsym. */
const char *elfsym_build_id(const struct elfsym *s);

/* The debug file's name that is written in it, NULL if none is. Lives as long. */
const char *elfsym_link(const struct elfsym *s);

/*
 * Names the byte at a file offset: address - start of mapping + offset of
 * mapping. For a return address, ask for the byte before it.
 * Fills lines, innermost inlined frame first; of more than max (at least 1)
 * the outermost are left out. Name and system_name are never NULL; all strings
 * live as long as the elfsym. Returns the number of lines; 0 if no function is
 * known there; -EIO if the file shrank while we read it, and then always;
 * -ENOMEM.
 */
int elfsym_lookup(struct elfsym *s, uint64_t offset, struct sym_line *lines, int max);

/* Whether debuginfod is asked, which may know more another time. */
bool elfsym_has_servers(void);

/*
 * Whether another one of the same file and the same debug file would find the same
 * names: no look-up failed, and no file of dwz's has any. debug_there: something
 * stands where elfid_open_debug() looks; if it was not used, why is not known.
 */
bool elfsym_is_sure(const struct elfsym *s, bool debug_there);

/*
 * Gives back all but the names that were found, and the build ID: no more names
 * are found. Debug info takes many times its size on disk.
 */
void elfsym_release(struct elfsym *s);

#endif /* COLLECTOR_ELFSYM_H */
