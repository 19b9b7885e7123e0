/* SPDX-License-Identifier: GPL-2.0 */
/* The build IDs of the running kernel and of its modules, from the notes below /sys. */
#ifndef COLLECTOR_KERNEL_NOTES_H
#define COLLECTOR_KERNEL_NOTES_H

#include <stddef.h>

#include "elf/build_id.h"

/*
 * Reads the build ID of a module, or of the kernel if module is NULL, into hex in lower case. hex
 * is "" if it is not known.
 */
void kernel_notes_build_id(const char *module, char hex[BUILD_ID_HEX_SIZE]);

/* Finds the build ID in the bytes of notes. hex is "" if there is none. */
void kernel_notes_find(const void *notes, size_t bytes, char hex[BUILD_ID_HEX_SIZE]);

#endif /* COLLECTOR_KERNEL_NOTES_H */
