/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Split debug info (DWARF 5, section 7.3.2): gcc -gsplit-dwarf leaves a skeleton of each unit in
 * the ELF file, and writes its functions to a .dwo file. dwp packs these files into one .dwp file.
 */
#ifndef COLLECTOR_SPLIT_DWARF_H
#define COLLECTOR_SPLIT_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "symbol/debug_fault.h"

struct split_dwarf;

/*
 * Prepares the search for the split units of dw. path is that of the ELF file; it may be NULL. dw
 * must live as long as the result. split_dwarf_free() frees it.
 * Returns: the search, or NULL with errno ENOMEM.
 */
struct split_dwarf *split_dwarf_new(Dwarf *dw, const char *path);

/*
 * Frees the search, and all split units. is_broken: a SIGBUS left libdw, so its memory is leaked.
 * s may be NULL.
 */
void split_dwarf_free(struct split_dwarf *s, bool is_broken);

/*
 * Finds the split unit of a skeleton of dw. Its file is searched in the folder of the ELF file,
 * then at the path that the skeleton names, then at PATH.dwp. It must be regular, and pass
 * elf/validate.h. *split becomes the DIE of the unit. A second call for a skeleton finds the same.
 * Returns: 1; 0 if there is none, or it cannot be read; or -ENOMEM.
 */
int split_dwarf_find(struct split_dwarf *s, Dwarf_Die *skeleton, Dwarf_Die *split);

/* Returns why a split unit was not found. Of several faults it is the first. */
const struct debug_fault *split_dwarf_fault(const struct split_dwarf *s);

#endif /* COLLECTOR_SPLIT_DWARF_H */
