/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/pprof: one session of the module, and its rings. A function that returns int returns a
 * negative errno on failure. On success it returns 0, unless its comment names another result. No
 * function prints a message: see device/error_text.h.
 */
#ifndef COLLECTOR_DEVICE_H
#define COLLECTOR_DEVICE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "device/ring.h"

struct device;

/*
 * Opens /dev/pprof; device_close() closes it.
 * Returns: the session, or NULL with errno. ENOENT or ENXIO: the module is not loaded. EPROTO: the
 * module has another ABI, or an older one. EPERM: the kernel is locked down, or the container may
 * not open the device. EACCES: the mode of the device forbids it. EMFILE: there are too many
 * sessions.
 */
struct device *device_open(void);

/* Closes the session. This stops all of its sources. d may be NULL. */
void device_close(struct device *d);

/* Returns the ABI version of the module of the last device_open(). For use after EPROTO. */
void device_foreign_abi(unsigned int *major, unsigned int *minor);

/* Gives device_setup() the open folder of a cgroup: PPROF_SETUP_CGROUP. It stays the caller's. */
void device_set_cgroup(struct device *d, int fd);

/*
 * Sets the session up and maps its rings. Call it once. flags are PPROF_SETUP_*. ring_bytes is
 * the size of one CPU's ring. max_frames may be 0 for the default. After a failure, only
 * device_close() makes sense.
 * Returns: 0; -EPERM (PPROF_SETUP_ALL, PPROF_SETUP_CGROUP, or large rings, without CAP_PERFMON),
 * -ENOMEM, -EINVAL, or another negative errno.
 */
int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames);

/*
 * Makes the process of thread *pid a target. *pid becomes the pid of its leader, and *exec_id its
 * exec id. For a process that calls exec meanwhile, this tries up to 100 times.
 * Returns: 0, or a negative errno of PPROF_IOC_ATTACH.
 */
int device_attach(struct device *d, pid_t *pid, uint64_t *exec_id);

/*
 * Reads the exec id of a process into *exec_id, with the checks of device_attach().
 * Returns: 0, or a negative errno of PPROF_IOC_EXEC_ID.
 */
int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id);

/*
 * Passes an unwind table to the module, and reads the number that the module gives it. The
 * module copies the table: it stays the caller's. Any thread may call this.
 * Returns: 0, or a negative errno of PPROF_IOC_TABLE_ADD.
 */
int device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number);

/*
 * Frees the number of a table. Processes that have the table keep it until their ranges change.
 * Returns: 0, or a negative errno of PPROF_IOC_TABLE_DROP.
 */
int device_drop_table(struct device *d, uint32_t number);

/*
 * Binds a table to the open file fd, whose ctime was read before the table was made from it; fd -1
 * and a ctime of 0: to the vDSO. Number 0: the file has no table. From then on mappings of the file
 * get the table at once. Any thread may call this.
 * Returns: 0, or a negative errno of PPROF_IOC_TABLE_BIND.
 */
int device_bind_table(struct device *d, uint32_t number, int fd, const struct timespec *ctime);

/*
 * Replaces the ranges of a process with list, in rising order of address. exec_id is the exec id
 * that the list belongs to. context is where its threads have their contexts; NULL: nowhere.
 * Any thread may call this.
 * Returns: 0, or a negative errno of PPROF_IOC_RANGES.
 */
int device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id, const struct pprof_range *list,
		      uint32_t nr, const struct pprof_tls_address *context);

/*
 * Sets the uprobes of the source heap. Call it before the source starts.
 * Returns: 0, or a negative errno of PPROF_IOC_HEAP.
 */
int device_heap(struct device *d, const struct pprof_heap_probe *probes, uint32_t nr);

/* Returns how many times the uprobes of the source heap were hit, on all CPUs. */
uint64_t device_heap_traps(const struct device *d);

/* Starts a source. For the unit of period see struct pprof_start. */
int device_start(struct device *d, uint32_t source, uint64_t period);

/* Stops a source. -EAGAIN: not all samples fit into the rings. Drain them and call this again. */
int device_stop(struct device *d, uint32_t source);

/*
 * Takes a sample of each thread of the targets. *next is 0 for the first call. It becomes 0
 * again when all samples are in the rings. If it is not 0, drain the rings and call this again.
 * Returns: 0, or a negative errno of PPROF_IOC_THREADS; -ENOTTY if the module is too old.
 */
int device_threads(struct device *d, uint32_t *next);

/*
 * Lists the custom profiles of a process in names, which has room for `room` of them.
 * Returns: the number of names that were written; a negative errno of device_exec_id(); or -ENOTTY
 * if the module is too old.
 */
int device_custom_list(struct device *d, pid_t pid, struct pprof_custom_name *names, uint32_t room);

/*
 * Reads values of a custom profile into data, of that many bytes. The caller sets read->pid,
 * read->name, read->next and read->until: see struct pprof_custom_read.
 * Returns: 0; -ENOENT if there is no such profile; or another negative errno of
 * PPROF_IOC_CUSTOM_READ.
 */
int device_custom_read(struct device *d, struct pprof_custom_read *read, void *data,
		       uint32_t bytes);

/*
 * Returns the descriptor for poll(). POLLIN: a ring is filled to its watermark. POLLHUP: no
 * target is left. The session owns the descriptor.
 */
int device_fd(const struct device *d);

/*
 * Returns how much of a class was lost on all CPUs, for all reasons. class is PPROF_SOURCE_* or
 * PPROF_CLASS_*. The unit is that of struct pprof_ring_head.
 */
uint64_t device_nr_lost(const struct device *d, uint32_t class);

/* The same for one reason: PPROF_LOST_*. */
uint64_t device_nr_lost_for(const struct device *d, uint32_t class, uint32_t reason);

/*
 * Freezes the loss counters that device_nr_lost() and device_nr_lost_for() return. Records after
 * the end of the run are ignored, so later losses must not count either: see aggregator_end(). Two
 * classes are not frozen, since their records still count after the end: samples of wall, and
 * process events.
 */
void device_end_losses(struct device *d);

/*
 * Returns the longest time between two ticks of the source on any CPU, in ns. Only the sources
 * cpu and wall have ticks. Returns 0 for other sources, and before the source starts.
 */
uint64_t device_slowest_ns(const struct device *d, uint32_t source);

/*
 * Returns the start of the interval in which wall gives ticks to threads, in ns of
 * CLOCK_MONOTONIC: see struct pprof_ring_head. Returns 0 before wall has started.
 */
uint64_t device_wall_begin_ns(const struct device *d);

/* Returns the end of that interval, or 0 before wall has stopped. */
uint64_t device_wall_end_ns(const struct device *d);

/* Returns the number of possible rings; their numbers are 0 .. nr - 1. */
uint32_t device_nr_rings(const struct device *d);

/* Returns the ring of a CPU, or NULL if the machine cannot have this CPU. The session owns it. */
struct ring *device_ring(struct device *d, uint32_t cpu);

#endif /* COLLECTOR_DEVICE_H */
