/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the symbols of one ELF file, as elf_symbolizer.h does, with a cache from one run to the
 * next (cache_dir.h). The cache never changes the result. While all look-ups are in the cache, no
 * debug info is opened.
 *
 * A struct symbolizer is not thread-safe. Different threads may use different ones. Nothing here
 * prints a message.
 */
#ifndef COLLECTOR_SYMBOLIZER_H
#define COLLECTOR_SYMBOLIZER_H

#include <stdint.h>

#include "base/code_span.h"
#include "symbol/debug_fault.h"
#include "symbol/frame.h"

struct symbolizer;

/*
 * Opens an ELF program or library. fd now belongs to the symbolizer; it is closed also after an
 * error. path is where the file was found; debug files are searched near it. path may be NULL, and
 * the file may be gone. symbolizer_free() closes all.
 * Returns: the symbolizer, or NULL with errno. ENOEXEC: the file is not ELF, or damaged. EIO: it
 * was truncated meanwhile. ENOMEM.
 */
struct symbolizer *symbolizer_open(int fd, const char *path);

/*
 * Frees all, with the strings of all frames. Writes new symbols to the cache if
 * symbolizer_release() has not. s may be NULL.
 */
void symbolizer_free(struct symbolizer *s);

/* Returns the build ID in lower-case hex, or "". It is valid as long as s. */
const char *symbolizer_build_id(const struct symbolizer *s);

/*
 * Finds the frames at a file offset, which is: address - start of mapping + offset of mapping.
 * For a return address, pass the byte before it.
 *
 * Fills frames, innermost inlined frame first, at most max (at least 1); the outermost ones
 * beyond that are left out. name and system_name are never NULL. All strings are valid as long
 * as s.
 * Returns: the number of frames; 0 if no function is known there; -EIO if the file was truncated
 * or damaged meanwhile, for this and all later calls; or -ENOMEM.
 */
int symbolizer_lookup(struct symbolizer *s, uint64_t offset, struct frame *frames, int max);

/*
 * As symbolizer_lookup(), for the code around an address that was looked up. The results are not
 * cached. Also sets *span to the code around offset that has the same frames: only their offsets
 * differ.
 * Returns -ENOENT, too: the file is released, the cache has answered all look-ups, or the answer
 * needs a symbol table that no look-up has read.
 */
int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *frames, int max,
		     struct code_span *span);

/*
 * Returns why debug info could not be used, as far as look-ups have shown it. Such symbols are not
 * cached. Valid as long as s, also after symbolizer_release().
 */
const struct debug_fault *symbolizer_fault(const struct symbolizer *s);

/*
 * Writes new symbols to the cache, and frees everything except the build ID and the strings of
 * frames that were found. Later look-ups find nothing. Debug info takes many times its size on
 * disk, so release it early.
 */
void symbolizer_release(struct symbolizer *s);

#endif /* COLLECTOR_SYMBOLIZER_H */
