/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COLLECTOR_FLAME_FILE_H
#define COLLECTOR_FLAME_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct model;

/*
 * Writes the flame graph of a sample type to out: an SVG if the name of the file ends in .svg, else
 * a page. path may be NULL. The title is made of the names of files, without their folders. Write
 * errors are left in out, for ferror().
 * Returns: 0, or a negative errno.
 */
int flame_file_write(FILE *out, const struct model *m, uint32_t type, const char *path,
		     char *const *files, size_t nr_files);

#endif /* COLLECTOR_FLAME_FILE_H */
