/* SPDX-License-Identifier: GPL-2.0 */
/* The files in which the dynamic linker searches the symbols of a program, in its order. */
#ifndef COLLECTOR_LINKED_FILES_H
#define COLLECTOR_LINKED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "procfs/link_map.h"

/* The program comes first. A file that could not be opened is left out. */
struct linked_files {
	size_t nr;
	size_t nr_unopened;	/* mapped files that could not be opened */
	int fds[LINK_MAP_MAX + 1];
};

/*
 * Opens the files of a running process, in the order of its dynamic linker. Call
 * linked_files_fini() also after an error.
 * Returns: 0; -EACCES if they may not be read; -ESRCH if the process has ended, or is a kernel
 * thread; -ENOEXEC if it is not a 64-bit program.
 */
int linked_files_of_process(struct linked_files *l, pid_t pid);

/*
 * Opens the files of a program that is not executed yet. The program is found as by execvp(). If it
 * is glibc's dynamic linker, the files are those of the program that its arguments name. Runs the
 * dynamic linker with --list, in the environment of this process, for at most some seconds, and
 * waits for this child. Call linked_files_fini() also after an error.
 * Returns: 1; 0 if the program is no ELF file, or its dynamic linker listed nothing; -ENOEXEC if it
 * is not a 64-bit program.
 */
int linked_files_of_program(struct linked_files *l, char *const *argv);

/* Closes all files. */
void linked_files_fini(struct linked_files *l);

#endif /* COLLECTOR_LINKED_FILES_H */
