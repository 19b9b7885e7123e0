/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decides whether an ELF file may be passed to libelf and libdw. Any user can map a file of some
 * KB that declares millions of sections, or that inflates to some GB. The libraries would
 * believe it and use the memory. So each file is checked here first.
 */
#ifndef COLLECTOR_VALIDATE_H
#define COLLECTOR_VALIDATE_H

#include <stddef.h>

/*
 * Checks an open file. The check reads headers with pread(). Where the section headers are cut
 * off it stops, since libelf sees no sections there either. A file that its owner changes after
 * the check can still do harm.
 * Returns: 0; or -ENOEXEC for a file that is not little-endian ELF, or would need more memory
 * than any real program. It is also -ENOEXEC if the file is not regular, or cannot be mapped.
 */
int elf_validate_file(int fd);

/* Checks an ELF image of bytes in memory, in the same way. */
int elf_validate_image(const void *image, size_t bytes);

#endif /* COLLECTOR_VALIDATE_H */
