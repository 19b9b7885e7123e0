/* SPDX-License-Identifier: GPL-2.0 */
/* The output files of a run: one for each requested profile type. */
#ifndef COLLECTOR_OUTPUT_FILES_H
#define COLLECTOR_OUTPUT_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "aggregate/profile_types.h"

struct settings;
struct gzip_file;

/* A file of each profile type, and a flame graph. */
#define OUTPUT_FILES_MAX	(PROFILE_TYPE_NR + 1)

struct output_files {
	struct gzip_file *gz[PROFILE_TYPE_NR];	/* by profile type; NULL if it was not requested */
	char *path[PROFILE_TYPE_NR];		/* name of the file; o owns it */
	struct gzip_file *flame;		/* of the flame graph; NULL: there is none */
};

/*
 * Opens the output files. Call this before the sampling: a folder that cannot be written must
 * not cost a profile. A default name has the target's `comm` and pid; comm is NULL for a run
 * with --all.
 * Returns: 0, or -1 after an error message.
 */
int output_files_open(struct output_files *o, const struct settings *settings, const char *comm,
		      pid_t pid);

/*
 * Opens the folders in which output_files_commit() renames files. Fills folders; an entry is
 * negative if its file is written in place, or its folder is gone. The caller closes the others.
 * Returns: the number of entries.
 */
size_t output_files_open_folders(const struct output_files *o, int folders[OUTPUT_FILES_MAX]);

/* Closes and removes the files that were not committed, and frees the names. */
void output_files_fini(struct output_files *o);

/*
 * Completes the output file of a profile type. path[profile_type] becomes its final name.
 * Returns: 0; or -1 after an error message, and then there is no file.
 */
int output_files_commit(struct output_files *o, uint32_t profile_type);

/* Prints why a file cannot be written. option named it. err is a negative errno. */
void output_files_print_error(const char *path, const char *option, int err);

/*
 * Returns "nginx.1234.cpu": a part of a file name, without characters that a shell expands. comm is
 * NULL for all processes. A pid of 0 is left out. The caller frees it. Returns NULL without memory.
 */
char *output_files_name(const char *comm, pid_t pid, const char *profile_type);

#endif /* COLLECTOR_OUTPUT_FILES_H */
