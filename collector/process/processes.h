/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes, the programs that they execute, and their mappings over time. A pid and an exec id
 * (see struct pprof_event) name one address space. It is stored as one or more address-space
 * epochs: see address_space.h.
 */
#ifndef COLLECTOR_PROCS_H
#define COLLECTOR_PROCS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/mapped_files.h"
#include "procfs/maps.h"
#include "pprof.h"

struct procs;

/*
 * Reads the exec id of the program that pid executes now.
 * Returns: 0, or a negative errno.
 */
typedef int (*procs_query_fn)(void *ctx, pid_t pid, uint64_t *image);

/*
 * Makes an empty table. files is borrowed. query is called with ctx. procs_free() frees the
 * table.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct procs *procs_new(struct files *files, procs_query_fn query, void *ctx);

/* Frees the table. p may be NULL. */
void procs_free(struct procs *p);

/*
 * Processes a record; samples and unknown records are ignored.
 * Returns: 0, or -ENOMEM.
 */
int procs_take(struct procs *p, const struct pprof_event *ev);

/*
 * Reads the current mappings of pid from /proc.
 * Returns: 0; -ESRCH if the process is gone, or executed another program meanwhile; or -ENOMEM.
 */
int procs_load(struct procs *p, pid_t pid);

/*
 * Returns the number of the address-space epoch of (pid, image) at a time; image is an exec id.
 * Reads /proc/PID/maps if nothing is known of the exec id yet. Returns -ENOMEM without memory.
 */
int64_t procs_space(struct procs *p, pid_t pid, uint64_t image, uint64_t time_ns);

/* Returns the mappings of an epoch. They are valid until the table changes. */
const struct maps *procs_maps(const struct procs *p, uint32_t space);

/* Returns the name of the process of an epoch. */
const char *procs_comm(const struct procs *p, uint32_t space);

/* Returns the pid of the process of an epoch. */
pid_t procs_pid(const struct procs *p, uint32_t space);

/* Returns the file number of the program of an epoch, or FILES_NONE if it is not known. */
uint32_t procs_exe(const struct procs *p, uint32_t space);

/* The current mappings of a process, as a visit gets them. */
struct procs_image {
	pid_t pid;
	uint64_t number;	/* exec id */
	const struct maps *maps;
	bool again;		/* nothing has changed since the last visit */
};

/*
 * Returns: 1 if the visit dealt with it; 0 to visit it again next time; a negative errno to end
 * the visit.
 */
typedef int (*procs_visit_fn)(void *ctx, const struct procs_image *image);

/*
 * Visits each exec id whose mappings have changed since a visit dealt with it. A child is not
 * visited if its parent had been dealt with before the fork, and the child has mapped nothing
 * since. visit must not call functions of this file.
 * Returns: 0, or the negative errno that ended the visit.
 */
int procs_visit_changed(struct procs *p, procs_visit_fn visit, void *ctx);

/*
 * Searches again for perf maps of code without a file: a map may be younger than its code. A map
 * that is found names all such code, in all epochs.
 */
void procs_find_perfmaps(struct procs *p);

/* Returns how many ended exec ids still have epochs. */
size_t procs_nr_dead(const struct procs *p);

/* Returns the memory, in bytes, of epochs that a later one has followed. */
size_t procs_past_bytes(const struct procs *p);

/*
 * Frees all ended exec ids. Of a living one, frees all epochs except the newest, which then covers
 * all times. The numbers of freed epochs are reused.
 */
void procs_forget_past(struct procs *p);

#endif /* COLLECTOR_PROCS_H */
