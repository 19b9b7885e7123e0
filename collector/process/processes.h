/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes, what they execute, and what is mapped where and when. A process
 * and an image (see struct pprof_event) have one address space, which is told as
 * one or more spaces: see address_space.h.
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

/* Which image does pid execute now? 0, or a negative errno. */
typedef int (*procs_query_fn)(void *ctx, pid_t pid, uint64_t *image);

/* NULL with errno ENOMEM. */
struct procs *procs_new(struct files *files, procs_query_fn query, void *ctx);

/* NULL is fine. */
void procs_free(struct procs *p);

/* Takes over what any record but a sample tells. 0 or -ENOMEM. */
int procs_take(struct procs *p, const struct pprof_event *ev);

/*
 * Reads what pid has mapped now. 0; -ESRCH if it is gone or changed its image
 * meanwhile; -ENOMEM.
 */
int procs_load(struct procs *p, pid_t pid);

/*
 * The space that addresses of (pid, image) at that time belong to; reads
 * /proc/PID/maps if nothing is known of it yet. -ENOMEM.
 */
int64_t procs_space(struct procs *p, pid_t pid, uint64_t image, uint64_t time_ns);

/* Of a space: its mappings, its process's name and number. */
const struct maps *procs_maps(const struct procs *p, uint32_t space);
const char *procs_comm(const struct procs *p, uint32_t space);
pid_t procs_pid(const struct procs *p, uint32_t space);

/* The main executable's file; FILES_NONE if unknown. */
uint32_t procs_exe(const struct procs *p, uint32_t space);

/* What a process has mapped now. */
struct procs_image {
	pid_t pid;
	uint64_t number;
	const struct maps *maps;
	bool again;		/* nothing has changed since it was shown last */
};

/* 1: dealt with; 0: show it again next time; a negative errno ends the visit. */
typedef int (*procs_visit_fn)(void *ctx, const struct procs_image *image);

/*
 * Shows each image whose mappings have changed since it was dealt with; a child
 * of one that had been dealt with when it forked need not be shown. visit must
 * not call back. 0, or what ended it.
 */
int procs_visit_changed(struct procs *p, procs_visit_fn visit, void *ctx);

/*
 * Looks once more for perf maps of code without a file: they may be younger
 * than the code. What has been mapped is named by them from its beginning on.
 */
void procs_find_perfmaps(struct procs *p);

/* How many processes and images have ended whose spaces are still kept. */
size_t procs_nr_dead(const struct procs *p);

/* What the living's spaces take that others have followed. */
size_t procs_past_bytes(const struct procs *p);

/*
 * Forgets the dead, and of the living all spaces but the newest, which stands for
 * all times then. The numbers of those spaces may be given anew.
 */
void procs_forget_past(struct procs *p);

#endif /* COLLECTOR_PROCS_H */
