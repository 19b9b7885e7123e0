/* SPDX-License-Identifier: GPL-2.0 */
/* The sections of an ELF file with debug info. */
#ifndef COLLECTOR_DEBUG_SECTIONS_H
#define COLLECTOR_DEBUG_SECTIONS_H

#include <stdbool.h>

/*
 * Has the open file debug info that libelf cannot decompress? libelf before 0.189 has no zstd, and
 * later ones can be built without. The file has passed elf/validate.h. It is read with pread().
 */
bool debug_sections_are_unread(int fd);

#endif /* COLLECTOR_DEBUG_SECTIONS_H */
