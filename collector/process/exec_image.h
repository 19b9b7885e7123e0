/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exec ids. A process may execute several programs, one after the other. Each of them has a struct
 * exec_image, whose key is the pid and the exec id.
 */
#ifndef COLLECTOR_EXEC_IMAGE_H
#define COLLECTOR_EXEC_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"
#include "process/address_space.h"
#include "process/published_context.h"

struct cgroup;
struct device;
struct mapped_files;

struct exec_image {
	/* The key: see struct pprof_event. */
	pid_t pid;
	uint64_t exec_id;
	char comm[PPROF_COMM_LEN + 1];
	uint32_t exe;		/* file of the program, from a parent or from /proc */
	uint32_t first_file;	/* first file that a record reported */
	bool execed;		/* an exec was reported: without exe, the program is first_file */
	/* The mappings are known: from a fork or an exec, or from /proc. */
	bool loaded;
	bool gone;		/* it ended before /proc could be read */
	/* Its newest address-space epoch. */
	struct address_space *newest;
	struct exec_image *next_dead;	/* in the list exec_images.dead */
	bool dead;		/* marked as ended, and in that list */
	bool was_gone;		/* at the last exec_images_bury_gone() */
	uint64_t entered_ns;	/* when it last became a target; an earlier end is late */
	pid_t parent_pid;	/* the process that forked it, at born_ns; 0 if not known */
	uint64_t parent_exec_id;
	uint64_t born_ns;
	uint64_t forked_ns;	/* when its youngest child was forked */
	struct exec_image *next_changed;
	bool changed;		/* in the list processes.changed */
	bool shown;		/* visited since its last change */
	uint64_t shown_ns;	/* when a visit last returned 1, by the clock of records */
	uint32_t perfmap;	/* file number of the perf map for code without a file */
	/* File number of the parent's perf map, which names the code from before the fork. */
	uint32_t inherited;
	/*
	 * When its perf map was last searched. 0: it has no code without a file. 1: it has, but
	 * there was no search yet.
	 */
	uint64_t perfmap_ns;
	uint64_t perfmap_wait_ns;	/* until processes_poll_perfmaps() searches again */
	bool cgroup_read;	/* only once in the time that the process is a target */
	struct cgroup *cgroup;	/* NULL: not read, or not known */
	size_t many_ranges;	/* /proc is read again when there are as many mappings */
	struct published_context context;
};

/* All zeroes is empty. */
struct exec_images {
	void *tree;		/* root for tsearch() */
	/* The result of the last search: most samples in a row have the same exec id. */
	struct exec_image *last;
	struct address_spaces address_spaces;	/* address-space epochs of all exec ids */
	struct exec_image *dead;	/* list of those that are marked as ended */
	size_t nr_dead;
};

/* Frees all exec ids, with their epochs. */
void exec_images_fini(struct exec_images *exec_images);

/*
 * Finds an exec id. The result is valid until exec_images_forget_dead() or exec_images_fini() frees
 * it. Returns NULL if it is not known.
 */
struct exec_image *exec_images_find(struct exec_images *exec_images, pid_t pid, uint64_t exec_id);

/* The same, but adds an exec id that is not known. Returns NULL if there is no memory. */
struct exec_image *exec_images_get(struct exec_images *exec_images, pid_t pid, uint64_t exec_id);

/* Asks the module if the process still executes the program of this exec id. False if it ended. */
bool exec_image_runs(const struct exec_image *exec, struct device *dev);

/* Marks an exec id as ended, if it is not marked. It is kept until exec_images_forget_dead(). */
void exec_images_bury(struct exec_images *exec_images, struct exec_image *exec);

/*
 * Marks the exec ids that have not run at two calls in a row, although no record has reported their
 * end. Of one that is gone at the first call, records may still be in the rings.
 */
void exec_images_bury_gone(struct exec_images *exec_images, struct device *dev);

/* Takes the mark back, if there is one: the process is a target again. */
void exec_images_revive(struct exec_images *exec_images, struct exec_image *exec);

/* Frees all exec ids that are marked as ended. */
void exec_images_forget_dead(struct exec_images *exec_images);

/* Notes that parent forked child at time_ns. */
void exec_images_fork(struct exec_image *parent, struct exec_image *child, uint64_t time_ns);

/* Returns 0, or a negative errno, which ends the visit. */
typedef int (*exec_images_visit_fn)(void *ctx, struct exec_image *exec);

/*
 * Visits the children of parent that were forked after since_ns, also ended ones.
 * Returns: 0, or the result that ended the visit.
 */
int exec_images_visit_children(const struct exec_images *exec_images,
			       const struct exec_image *parent, uint64_t since_ns,
			       exec_images_visit_fn visit, void *ctx);

/*
 * Begins an epoch at since_ns for each exec id with a mapping that mapped_files_newest() changes,
 * and calls visit for it. Ended ones are left alone.
 * Returns: 0, -ENOMEM, or the result that ended the visit.
 */
int exec_images_renew_files(struct exec_images *exec_images, const struct mapped_files *files,
			    uint64_t since_ns, exec_images_visit_fn visit, void *ctx);

/* See processes_mark_files(). */
void exec_images_mark_files(const struct exec_images *exec_images, bool *marks);

#endif /* COLLECTOR_EXEC_IMAGE_H */
