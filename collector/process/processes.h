/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes, the programs that they execute, and their mappings over time. A pid and an exec id
 * (see struct pprof_event) name one address space. It is stored as one or more address-space
 * epochs: see address_space.h.
 */
#ifndef COLLECTOR_PROCESSES_H
#define COLLECTOR_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/mapped_files.h"
#include "process/process_context.h"
#include "procfs/maps.h"
#include "pprof.h"

struct cgroup;
struct device;
struct processes;

/*
 * Makes an empty table. files and dev are borrowed. processes_free() frees the table.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct processes *processes_new(struct mapped_files *files, struct device *dev);

/* Frees the table. p may be NULL. */
void processes_free(struct processes *p);

/*
 * Processes a record; samples and unknown records are ignored.
 * Returns: 0, or -ENOMEM.
 */
int processes_take(struct processes *p, const struct pprof_event *ev);

/*
 * Reads the current mappings of pid from /proc.
 * Returns: 0; -ESRCH if the process is gone, or executed another program meanwhile; or -ENOMEM.
 */
int processes_load(struct processes *p, pid_t pid);

/*
 * Returns the number of the address-space epoch of a pid and an exec id at a time. Reads
 * /proc/PID/maps if nothing is known of the exec id yet. Returns -ENOMEM without memory.
 */
int64_t processes_epoch(struct processes *p, pid_t pid, uint64_t exec_id, uint64_t time_ns);

/* Returns the mappings of an epoch. They are valid until the table changes. */
const struct maps *processes_maps(const struct processes *p, uint32_t epoch);

/* Returns the name of the process of an epoch. */
const char *processes_comm(const struct processes *p, uint32_t epoch);

/*
 * Returns the cgroup of the process of an epoch. It is read from /proc at the first call for an
 * exec id. NULL: the process had ended by then, or has none.
 */
const struct cgroup *processes_cgroup(struct processes *p, uint32_t epoch);

/* Returns the pid of the process of an epoch. */
pid_t processes_pid(const struct processes *p, uint32_t epoch);

/*
 * Returns what the process of an epoch publishes about itself, as the name of its service. Nothing
 * is read before the first call for a process. Then each call reads the process again if enough
 * time has passed: see published_context.h, also for is_urgent. After the end of the process it
 * returns what was read last. The result is empty if nothing was read. It is valid until the next
 * call for this process.
 */
const struct process_context *processes_context(struct processes *p, uint32_t epoch,
						bool is_urgent);

/* Returns the file number of the program of an epoch, or MAPPED_FILES_NONE if it is not known. */
uint32_t processes_exe(const struct processes *p, uint32_t epoch);

/* The current mappings of a process, as a visit gets them. */
struct processes_exec {
	pid_t pid;
	uint64_t exec_id;
	const struct maps *maps;
	bool again;		/* nothing has changed since the last visit */
	bool ended;		/* its mappings are those at its end */
};

/*
 * Returns: 1 if the exec id is done until its mappings change again; 0 to visit it again next time;
 * a negative errno to end the visit.
 */
typedef int (*processes_visit_fn)(void *ctx, const struct processes_exec *exec);

/*
 * Visits each exec id whose mappings have changed since visit returned 1 for it. One that has ended
 * is visited once. A child is not visited if its parent was done before the fork, and the child has
 * mapped nothing since. visit must not call functions of this file.
 * Returns: 0, or the negative errno that ended the visit.
 */
int processes_visit_changed(struct processes *p, processes_visit_fn visit, void *ctx);

/*
 * Searches again for perf maps of code without a file: a map may be younger than its code. A map
 * that is found names all such code, in all epochs.
 */
void processes_find_perfmaps(struct processes *p);

/*
 * Does the same, but rarely if earlier searches found no map. Call it often: after the end of a
 * process its map is not found any more.
 */
void processes_poll_perfmaps(struct processes *p);

/* Returns how many ended exec ids still have epochs. */
size_t processes_nr_dead(const struct processes *p);

/* Returns the memory, in bytes, of epochs that a later one has followed. */
size_t processes_past_bytes(const struct processes *p);

/* After so many calls processes_forget_past() asks the module which processes still run. */
#define PROCESSES_NR_FLUSHES	16

/*
 * Frees all ended exec ids. Of a living one, frees all epochs except the newest, which then covers
 * all times. The numbers of freed epochs are reused.
 *
 * A record of the end may be lost, or come before a last sample, which then makes the exec id
 * again. So now and then this looks for such exec ids, and frees those that have been gone for
 * PROCESSES_NR_FLUSHES calls.
 */
void processes_forget_past(struct processes *p);

/*
 * Applies mapped_files_newest() to the mappings of all processes that run: samples from now on are
 * of the new numbers. Their ranges count as changed. Call this after a file was found to have
 * changed.
 * Returns: 0, or -ENOMEM.
 */
int processes_renew_files(struct processes *p);

/* Is this exec id known, and has no event reported its end? */
bool processes_has(struct processes *p, pid_t pid, uint64_t exec_id);

/* Sets marks[file] of each file that a process has mapped, executes, or has as its perf map. */
void processes_mark_files(const struct processes *p, bool *marks);

#endif /* COLLECTOR_PROCESSES_H */
