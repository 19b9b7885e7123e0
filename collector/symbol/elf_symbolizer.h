/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the symbols of one ELF file. The sources, in order:
 * - its own debug info;
 * - a separate debug file, found by build ID or debuglink under /usr/lib/debug, in the file's
 *   folder, or in .debug in it;
 * - debuginfod, only if DEBUGINFOD_URLS is set;
 * - pclntab of a Go program, which has inlined functions and lines, too;
 * - the symbol tables.
 * Split debug info is read from .dwo and .dwp files: see split_dwarf.h.
 *
 * A struct elf_symbolizer is not thread-safe. Different threads may use different ones. Nothing
 * here prints a message.
 */
#ifndef COLLECTOR_ELF_SYMBOLIZER_H
#define COLLECTOR_ELF_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/code_span.h"
#include "symbol/debug_fault.h"
#include "symbol/frame.h"

struct elf_symbolizer;

/*
 * Opens an ELF program or library. fd now belongs to the symbolizer; it is closed also after an
 * error. path is where the file was found; debug files are searched near it. path may be NULL, and
 * the file may be gone. elf_symbolizer_free() closes all.
 * Returns: the symbolizer, or NULL with errno. ENOEXEC: the file is not ELF, or damaged. EIO: it
 * was truncated meanwhile. ENOMEM.
 */
struct elf_symbolizer *elf_symbolizer_open(int fd, const char *path);

/* Frees all, with the strings of all frames. s may be NULL. */
void elf_symbolizer_free(struct elf_symbolizer *s);

/* Returns the build ID in lower-case hex, or "". It is valid as long as s. */
const char *elf_symbolizer_build_id(const struct elf_symbolizer *s);

/* Returns the file name in .gnu_debuglink, or NULL if there is none. It is valid as long as s. */
const char *elf_symbolizer_link(const struct elf_symbolizer *s);

/*
 * Finds the frames at a file offset, which is: address - start of mapping + offset of mapping.
 * For a return address, pass the byte before it.
 *
 * Fills frames, innermost inlined frame first, at most max (at least 1); the outermost ones
 * beyond that are left out. name and system_name are never NULL. All strings are valid as long
 * as s.
 * Returns: the number of frames; 0 if no function is known there; -EIO if the file was truncated
 * meanwhile, for this and all later calls; or -ENOMEM.
 */
int elf_symbolizer_lookup(struct elf_symbolizer *s, uint64_t offset, struct frame *frames, int max);

/*
 * As elf_symbolizer_lookup(). Also sets *span to the code around offset that has the same frames:
 * only their offsets differ. It is of use if the result is not negative.
 * Returns -ENOENT, too: the answer is in the symbol table, which no look-up has needed yet. To read
 * it takes some ms, and functions in debug info end where an answer needs it.
 */
int elf_symbolizer_probe(struct elf_symbolizer *s, uint64_t offset, struct frame *frames, int max,
			 struct code_span *span);

/* Is debuginfod in use? Its servers may have more symbols at another time. */
bool elf_symbolizer_has_servers(void);

/*
 * Would another symbolizer of the same file and the same debug file find the same symbols? That is
 * not certain if a look-up failed, or if the debug info names other files (dwz, .dwo). debug_there
 * means that a file exists at a path of build_id_open_debug(). If it exists and was not used, the
 * answer is no, since the reason is not known.
 */
bool elf_symbolizer_is_sure(const struct elf_symbolizer *s, bool debug_there);

/*
 * Returns why debug info could not be used, as far as look-ups have shown it. Debug info that does
 * not exist is no fault. Valid as long as s.
 */
const struct debug_fault *elf_symbolizer_fault(const struct elf_symbolizer *s);

/*
 * Frees everything except the build ID, the link and the strings of frames that were found.
 * Later look-ups find nothing. Debug info takes many times its size on disk, so release it
 * early.
 */
void elf_symbolizer_release(struct elf_symbolizer *s);

#endif /* COLLECTOR_ELF_SYMBOLIZER_H */
