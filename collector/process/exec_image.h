/* SPDX-License-Identifier: GPL-2.0 */
/* What processes execute, one after the other: all that is known of each, by pid and number. */
#ifndef COLLECTOR_IMAGES_H
#define COLLECTOR_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pprof.h"
#include "process/address_space.h"

struct image {
	pid_t pid;
	uint64_t number;	/* see struct pprof_event */
	char comm[PPROF_COMM_LEN + 1];
	uint32_t exe;		/* as a parent or /proc has it */
	uint32_t first_file;	/* that a record told of */
	bool execed;		/* told by an exec: then its first file is the program */
	bool loaded;		/* told by a fork or exec, or read from /proc */
	bool gone;		/* before it could be read */
	struct space *newest;
	struct image *next_dead;
	bool dead;
	pid_t parent_pid;	/* of whom it is a child, from born_ns on; 0: not known */
	uint64_t parent_number;
	uint64_t born_ns;
	uint64_t forked_ns;	/* when its own youngest child was born */
	struct image *next_changed;
	bool changed;		/* in the list of those */
	bool shown;		/* since it changed last */
	uint64_t shown_ns;	/* when it was dealt with last, by the records' clock */
	uint32_t perfmap;	/* names code without a file */
	uint32_t inherited;	/* perf map that names what there was of it at the fork */
	uint64_t perfmap_ns;	/* when it was looked for last; 0: there is no such code */
	size_t many_ranges;	/* with as many, what is mapped is read anew */
};

/* All zero is empty. */
struct images {
	void *tree;		/* tsearch()'s */
	struct image *last;	/* most samples come in rows of one image */
	struct spaces spaces;	/* of all of them */
	struct image *dead;
	size_t nr_dead;
};

void images_fini(struct images *images);

/* NULL: not known. */
struct image *images_find(struct images *images, pid_t pid, uint64_t number);

/* The same, made if it is not known. NULL: no memory. */
struct image *images_get(struct images *images, pid_t pid, uint64_t number);

/* It has ended; it is kept until images_forget_dead(). */
void images_bury(struct images *images, struct image *image);
void images_forget_dead(struct images *images);

/* Notes that a child was born then. */
void images_fork(struct image *parent, struct image *child, uint64_t time_ns);

/* 0, or a negative errno, which ends the visit. */
typedef int (*images_visit_fn)(void *ctx, struct image *image);

/* Visits the children that were born later than that, dead ones too. 0, or what ended it. */
int images_visit_children(const struct images *images, const struct image *parent,
			  uint64_t since_ns, images_visit_fn visit, void *ctx);

#endif /* COLLECTOR_IMAGES_H */
