/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/pprof: one session of the module and its rings. */
#ifndef COLLECTOR_DEV_H
#define COLLECTOR_DEV_H

#include <stdint.h>
#include <sys/types.h>

#include "device/ring.h"

struct dev;

/*
 * Opens a session. NULL with errno: ENOENT or ENXIO if the module is not
 * loaded, EPROTO if it speaks another ABI, EPERM under lockdown, EMFILE if
 * there are too many sessions.
 */
struct dev *dev_open(void);

/* Ends the session and all that runs in it. NULL is fine. */
void dev_close(struct dev *d);

/* Another ABI's version, after dev_open() failed with EPROTO. */
void dev_foreign_abi(unsigned int *major, unsigned int *minor);

/*
 * Sets the session up and maps its rings; once. max_frames 0: the default.
 * Negative errno: -EPERM
 * (PPROF_SETUP_ALL without CAP_PERFMON), -ENOMEM, -EINVAL.
 */
int dev_setup(struct dev *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames);

/*
 * Makes the process of thread *pid a target; *pid becomes its leader's and
 * *image what it executes. Negative errno, see PPROF_IOC_ATTACH.
 */
int dev_attach(struct dev *d, pid_t *pid, uint64_t *image);

/* Which image does the process execute now? Negative errno likewise. */
int dev_image(struct dev *d, pid_t pid, uint64_t *image);

/*
 * Gives the module a table, which is the caller's afterwards as before, and
 * gets its number; sets the ranges of a process. Any thread. Negative errno,
 * see PPROF_IOC_TABLE_ADD and PPROF_IOC_RANGES.
 */
int dev_add_table(struct dev *d, const void *table, uint32_t bytes, uint32_t *number);
int dev_set_ranges(struct dev *d, pid_t pid, uint64_t image, const struct pprof_range *list,
		   uint32_t nr);

/* Where the source heap stops its targets; before it starts. See PPROF_IOC_HEAP. */
int dev_heap(struct dev *d, const struct pprof_heap_probe *probes, uint32_t nr);

/* How often it stopped them. */
uint64_t dev_heap_traps(const struct dev *d);

/*
 * Starts and stops a source; for period see struct pprof_start. -EAGAIN of
 * dev_stop(): drain the rings and stop it again.
 */
int dev_start(struct dev *d, uint32_t source, uint64_t period);
int dev_stop(struct dev *d, uint32_t source);

/*
 * Samples all threads, from *next on (0: the first), which becomes 0 when all are in
 * the rings; else they must be drained before the next call. Negative errno: -ENOTTY
 * of an older module, see PPROF_IOC_THREADS.
 */
int dev_threads(struct dev *d, uint32_t *next);

/*
 * The profiles that a process keeps itself, of which *names gets the first room: how
 * many it got. Negative errno: those of dev_image(), and -ENOTTY of an older module.
 */
int dev_custom_list(struct dev *d, pid_t pid, struct pprof_custom_name *names, uint32_t room);

/*
 * Fills a buffer with values of the profile read->name of read->pid, from read->next
 * on: see PPROF_IOC_CUSTOM_READ. Negative errno, -ENOENT if there is no such profile.
 */
int dev_custom_read(struct dev *d, struct pprof_custom_read *read, void *data, uint32_t bytes);

/* For poll(): POLLIN at a ring's watermark, POLLHUP when no target is left. */
int dev_fd(const struct dev *d);

/* Of a class, all that no ring handed over: see struct pprof_ring_head. */
uint64_t dev_nr_lost(const struct dev *d, uint32_t class);

/* The same, for one reason: PPROF_LOST_*. */
uint64_t dev_nr_lost_for(const struct dev *d, uint32_t class, uint32_t reason);

/*
 * What is lost from now on is not counted, as what comes is not: see collect_end(). But
 * for samples of wall, and for records of lives.
 */
void dev_end_losses(struct dev *d);

/*
 * The longest time between ticks of the source cpu, or wall, on any CPU; 0 before it
 * starts, and of other sources.
 */
uint64_t dev_slowest_ns(const struct dev *d, uint32_t source);

/* When wall began, and ended: see struct pprof_ring_head. 0: it has not. */
uint64_t dev_wall_begin_ns(const struct dev *d);
uint64_t dev_wall_end_ns(const struct dev *d);

/* Rings have numbers below this; dev_ring() is NULL for a CPU without one. */
uint32_t dev_nr_rings(const struct dev *d);
struct ring *dev_ring(struct dev *d, uint32_t cpu);

#endif /* COLLECTOR_DEV_H */
