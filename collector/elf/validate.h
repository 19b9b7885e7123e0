/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether an ELF file may be shown to libelf and libdw. A file of some KB on
 * disk, mapped by anybody, can say that it has millions of sections, or inflates
 * to some GB, and they believe it. What they are shown passes here first.
 */
#ifndef COLLECTOR_ELFBOUNDS_H
#define COLLECTOR_ELFBOUNDS_H

#include <stddef.h>

/*
 * An open file, or one in memory: 0, or -ENOEXEC for what isn't little-endian
 * ELF, or would cost more memory than a program's file ever does. Reads the
 * headers with pread(); where they are cut off, libelf sees none. Whoever
 * changes the file after that can still do harm.
 */
int elfbounds_check_file(int fd);
int elfbounds_check_image(const void *image, size_t bytes);

#endif /* COLLECTOR_ELFBOUNDS_H */
