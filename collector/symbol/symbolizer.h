/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names the code of one ELF file. Names come from, in this order: the file's
 * own debug info; a separate debug file, found by build ID or debuglink under
 * /usr/lib/debug, in the file's folder or in .debug in it; debuginfod, only if
 * DEBUGINFOD_URLS is set; the symbol tables.
 *
 * Names are kept from one run to the next (cache_dir.h), and are the same as if they
 * were not. As long as all that are asked for were kept, no debug info is opened.
 *
 * A struct sym is not thread-safe; several may be used in several threads.
 */
#ifndef COLLECTOR_SYM_H
#define COLLECTOR_SYM_H

#include <stdint.h>

#include "symbol/frame.h"

struct sym;

/*
 * fd: an open ELF executable or shared object. It is the sym's from here on,
 * and closed if this fails. path: where the file was found, used for its
 * folder only; it may be gone from there, or be NULL.
 * NULL: errno is ENOEXEC for what isn't ELF or is damaged, EIO if the file
 * shrank while we read it, or ENOMEM.
 */
struct sym *sym_open(int fd, const char *path);

/* NULL is fine. */
void sym_free(struct sym *s);

/* Lower-case hex, "" if the file has none. Lives as long as the sym. */
const char *sym_build_id(const struct sym *s);

/*
 * Names the byte at a file offset: address - start of mapping + offset of
 * mapping. For a return address, ask for the byte before it.
 * Fills lines, innermost inlined frame first; of more than max (at least 1)
 * the outermost are left out. Name and system_name are never NULL; all strings
 * live as long as the sym. Returns the number of lines; 0 if no function is
 * known there; -EIO if the file shrank while we read it, and then always;
 * -ENOMEM.
 */
int sym_lookup(struct sym *s, uint64_t offset, struct sym_line *lines, int max);

/*
 * Gives back all but the names that were found, and the build ID: no more names
 * are found. Debug info takes many times its size on disk.
 */
void sym_release(struct sym *s);

#endif /* COLLECTOR_SYM_H */
