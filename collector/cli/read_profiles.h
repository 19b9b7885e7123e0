/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the profiles that a command line names. */
#ifndef COLLECTOR_READ_PROFILES_H
#define COLLECTOR_READ_PROFILES_H

#include <stddef.h>

struct model;

/*
 * Reads one profile, or adds several up (pprof/merge.h). "-" is standard input.
 * Returns: 0 and *out, which model_free() frees; or a negative errno after it printed the cause.
 */
int read_profiles(char *const *files, size_t nr_files, struct model **out);

/* Prints a problem of a file: "pprof-collect: FILE: TEXT". Returns: err. */
int read_profiles_print_error(const char *file, const char *text, int err);

#endif /* COLLECTOR_READ_PROFILES_H */
