/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect cfi FILE...`: compiles the unwind tables of files and prints their sizes. */
#ifndef COLLECTOR_CMD_CFI_H
#define COLLECTOR_CMD_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Compiles each file and prints a line for it to out. With check, compares each table with
 * libdw. Prints errors of files on standard error.
 * Returns: 0; or -EINVAL if a file has no table, or a wrong one.
 */
int cmd_cfi_run(char *const *files, size_t nr_files, bool check, FILE *out);

#endif /* COLLECTOR_CMD_CFI_H */
