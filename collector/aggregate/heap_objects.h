/* SPDX-License-Identifier: GPL-2.0 */
/* The sampled heap objects that are not freed yet, by their numbers. */
#ifndef COLLECTOR_OBJECTS_H
#define COLLECTOR_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

struct object {
	uint64_t number;
	uint64_t bytes;
	uint64_t weight;	/* see struct pprof_sample */
	uint64_t image;		/* exec id of its process */
	uint32_t stack;		/* id chosen by the user of this file */
};

struct objects;

/*
 * Makes a table for at most max objects. objects_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct objects *objects_new(size_t max);

/* Frees the table. o may be NULL. */
void objects_free(struct objects *o);

/*
 * Adds an allocated object. Its free may have been read before, in this drain or in the last
 * one, since rings are read one after the other. Then the object is not added.
 * Returns: 0, -ENOMEM, or -ENOSPC if the table is full.
 */
int objects_add(struct objects *o, const struct object *object);

/*
 * Removes a freed object. If it is not there yet, its number is kept for objects_add().
 * Returns: 0, or -ENOMEM.
 */
int objects_del(struct objects *o, uint64_t image, uint64_t number);

/*
 * Marks the objects of an exec id as gone: its process executed another program.
 * Returns: 0, or -ENOMEM.
 */
int objects_end_image(struct objects *o, uint64_t image);

/*
 * Ends a drain: all rings were read. Forgets the frees and the ended exec ids of the drain
 * before, for which no object can come any more.
 */
void objects_end_drain(struct objects *o);

/*
 * Changes the stack of each object that was added since the last move to ids[stack]. If that is
 * negative, the object is forgotten.
 */
void objects_move(struct objects *o, const int64_t *ids);

/* Returns 0 to continue the visit. */
typedef int (*objects_visit_fn)(void *ctx, const struct object *object);

/*
 * Visits all objects that are not freed, in no order. visit must not call functions of this
 * file.
 * Returns: 0, or the first other result of visit.
 */
int objects_visit(struct objects *o, objects_visit_fn visit, void *ctx);

#endif /* COLLECTOR_OBJECTS_H */
