/* SPDX-License-Identifier: GPL-2.0 */
/* The sampled objects of a heap that are not freed, by their numbers. */
#ifndef COLLECTOR_OBJECTS_H
#define COLLECTOR_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

struct object {
	uint64_t number;
	uint64_t bytes;
	uint64_t weight;	/* see struct pprof_sample */
	uint64_t image;		/* whose memory it is: see struct pprof_event */
	uint32_t stack;		/* the caller's */
};

struct objects;

/* For max of them at once. NULL with errno ENOMEM. */
struct objects *objects_new(size_t max);

/* NULL is fine. */
void objects_free(struct objects *o);

/*
 * Adds what was allocated, or is told that it was freed. Rings are read one after
 * the other, so that the second may come first, one drain earlier at most; then the
 * object never was alive. 0 or -ENOMEM; -ENOSPC of objects_add(): there are as many
 * as may be.
 */
int objects_add(struct objects *o, const struct object *object);
int objects_del(struct objects *o, uint64_t image, uint64_t number);

/* What this image has is gone: its process executed another. 0 or -ENOMEM. */
int objects_end_image(struct objects *o, uint64_t image);

/* All rings were read. What can't come any more is not waited for. */
void objects_end_drain(struct objects *o);

/*
 * The stack of each that came after the last move becomes ids[stack]; one for which
 * that is negative is forgotten.
 */
void objects_move(struct objects *o, const int64_t *ids);

typedef int (*objects_visit_fn)(void *ctx, const struct object *object);

/*
 * Shows all that are alive, in no order; visit calls nothing here. 0, or what another
 * result of visit than 0 was.
 */
int objects_visit(struct objects *o, objects_visit_fn visit, void *ctx);

#endif /* COLLECTOR_OBJECTS_H */
