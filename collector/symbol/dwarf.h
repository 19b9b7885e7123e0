/* SPDX-License-Identifier: GPL-2.0 */
/* The DWARF debug info of one ELF file: functions, inlined frames and lines at an address. */
#ifndef COLLECTOR_DWARF_H
#define COLLECTOR_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/code_span.h"
#include "symbol/debug_fault.h"
#include "symbol/frame.h"

struct debuginfo;
struct strtab;
struct Dwarf;

/*
 * Reads which addresses each compilation unit covers. The rest of a unit is read at the first
 * look-up inside of it. New strings are added to `strings`. dw and strings must live as long as
 * the result. path is that of the ELF file, for split_dwarf_new(). debuginfo_free() frees it.
 * Returns: the debug info, or NULL with errno ENOMEM.
 */
struct debuginfo *debuginfo_new(struct Dwarf *dw, struct strtab *strings, const char *path);

/* Frees the debug info. is_broken: a SIGBUS left libdw, so its memory is leaked. d may be NULL. */
void debuginfo_free(struct debuginfo *d, bool is_broken);

/*
 * Fills frames with those at addr, at most max (at least 1), innermost inlined frame first.
 * addr is an address in dw. Strings belong to dw or to the table of debuginfo_new().
 *
 * A function with a linkage name, or of a unit in C or assembly, gets system_name. Any other
 * function gets only name, with its scopes: gcc writes no linkage name for local C++ functions. A
 * function without a name gets neither. offset counts from the start of the outermost function,
 * since inlined frames are part of its code.
 * Narrows span to addresses with the same frames; only offset differs.
 * Returns: the number of frames, or -ENOMEM. If it is 0, frames[0] has file, line and column as
 * far as they are known: assembly code has lines only.
 */
int debuginfo_lookup(struct debuginfo *d, uint64_t addr, struct frame *frames, int max,
		     struct code_span *span);

/* Is a part of the debug info in other files: .dwo or .dwp? */
bool debuginfo_is_split(const struct debuginfo *d);

/* Returns why look-ups did not find such a file. Of several faults it is the first. */
const struct debug_fault *debuginfo_fault(const struct debuginfo *d);

#endif /* COLLECTOR_DWARF_H */
