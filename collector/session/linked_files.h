/* SPDX-License-Identifier: GPL-2.0 */
/* The files in which a program's symbols are looked up, in that order. */
#ifndef COLLECTOR_LINKED_H
#define COLLECTOR_LINKED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "procfs/link_map.h"

/* The program's first; those that could not be opened are left out. */
struct linked {
	size_t nr;
	size_t nr_unopened;
	int fds[LINKMAP_MAX + 1];
};

/*
 * Of a process, as its dynamic linker has it. 0; -EACCES: they may not be read, -ESRCH:
 * it has ended, or is none of user space, -ENOEXEC: not of 64 bits.
 */
int linked_of_process(struct linked *l, pid_t pid);

/*
 * Of a program that is not executed yet, found as execvp() finds it. Its dynamic
 * linker is asked, in this process's environment, and given some seconds. It
 * waits for a child. 1; 0: it is no ELF file, or its dynamic linker told nothing;
 * -ENOEXEC: it is not of 64 bits.
 */
int linked_of_program(struct linked *l, const char *program);

/* Closes them all. */
void linked_fini(struct linked *l);

#endif /* COLLECTOR_LINKED_H */
