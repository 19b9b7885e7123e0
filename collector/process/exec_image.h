/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exec ids: each program that a process executes, one after the other, has a record here (struct
 * image). The key is the pid and the exec id.
 */
#ifndef COLLECTOR_IMAGES_H
#define COLLECTOR_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"
#include "process/address_space.h"

struct image {
	/* Key, with number. */
	pid_t pid;
	uint64_t number;	/* the exec id: see struct pprof_event */
	char comm[PPROF_COMM_LEN + 1];
	uint32_t exe;		/* file of the program, from a parent or from /proc */
	uint32_t first_file;	/* first file that a record reported */
	bool execed;		/* an exec was reported: the program is then first_file */
	/* The mappings are known: from a fork or an exec, or from /proc. */
	bool loaded;
	bool gone;		/* it ended before /proc could be read */
	/* Its newest address-space epoch. */
	struct space *newest;
	struct image *next_dead;
	bool dead;
	pid_t parent_pid;	/* the process that forked it, at born_ns; 0 if not known */
	uint64_t parent_number;
	uint64_t born_ns;
	uint64_t forked_ns;	/* when its youngest child was forked */
	struct image *next_changed;
	bool changed;		/* in the list of changed ones (procs.changed) */
	bool shown;		/* visited since its last change */
	uint64_t shown_ns;	/* when a visit last dealt with it, by the clock of records */
	uint32_t perfmap;	/* file number of the perf map for code without a file */
	/* File number of the parent's perf map, which names the code from before the fork. */
	uint32_t inherited;
	/* When its perf map was last searched; 0 if it has no such code. */
	uint64_t perfmap_ns;
	size_t many_ranges;	/* at so many mappings, all are read again from /proc */
};

/* All zeroes is empty. */
struct images {
	void *tree;		/* root for tsearch() */
	/* The last one that was found: most samples in a row have the same one. */
	struct image *last;
	struct spaces spaces;	/* address-space epochs of all exec ids */
	struct image *dead;
	size_t nr_dead;
};

/* Frees all exec ids, with their epochs. */
void images_fini(struct images *images);

/* Finds an exec id. Returns NULL if it is not known. */
struct image *images_find(struct images *images, pid_t pid, uint64_t number);

/* Finds an exec id, or adds it. Returns NULL without memory. */
struct image *images_get(struct images *images, pid_t pid, uint64_t number);

/* Marks an exec id as ended. It is kept until images_forget_dead(). */
void images_bury(struct images *images, struct image *image);

/* Frees all exec ids that are marked as ended. */
void images_forget_dead(struct images *images);

/* Notes that parent forked child at time_ns. */
void images_fork(struct image *parent, struct image *child, uint64_t time_ns);

/* Returns 0, or a negative errno, which ends the visit. */
typedef int (*images_visit_fn)(void *ctx, struct image *image);

/*
 * Visits the children of parent that were forked after since_ns, also ended ones.
 * Returns: 0, or the result that ended the visit.
 */
int images_visit_children(const struct images *images, const struct image *parent,
			  uint64_t since_ns, images_visit_fn visit, void *ctx);

#endif /* COLLECTOR_IMAGES_H */
