/* SPDX-License-Identifier: GPL-2.0 */
/* The sampled heap objects that are not freed yet, by their numbers. */
#ifndef COLLECTOR_HEAP_OBJECTS_H
#define COLLECTOR_HEAP_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

struct heap_object {
	uint64_t number;	/* pprof_sample.arg of its sample */
	uint64_t bytes;
	uint64_t weight;	/* see struct pprof_sample */
	uint64_t exec_id;	/* of its process */
	uint32_t stack;		/* an id of the caller's, see heap_objects_move() */
};

struct heap_objects;

/*
 * Makes a table for at most max objects. heap_objects_free() frees it.
 * Returns: the table, or NULL with errno ENOMEM.
 */
struct heap_objects *heap_objects_new(size_t max);

/* Frees the table. o may be NULL. */
void heap_objects_free(struct heap_objects *o);

/*
 * Adds an allocated object. Its free may have been read before, in this drain or in the last
 * one, since rings are read one after the other. Then the object is not added.
 * Returns: 0, -ENOMEM, or -ENOSPC if the table is full.
 */
int heap_objects_add(struct heap_objects *o, const struct heap_object *object);

/*
 * Removes the freed object of an exec id. If it was not added yet, its number is kept for
 * heap_objects_add().
 * Returns: 0, or -ENOMEM.
 */
int heap_objects_del(struct heap_objects *o, uint64_t exec_id, uint64_t number);

/*
 * Marks the objects of an exec id as gone: its process executed another program. Objects of it that
 * are added in this drain or the next one are gone, too.
 * Returns: 0, or -ENOMEM.
 */
int heap_objects_end_exec(struct heap_objects *o, uint64_t exec_id);

/*
 * Ends a drain: all rings were read. Forgets the frees and the ended exec ids of the drain
 * before, for which no object can come any more.
 */
void heap_objects_end_drain(struct heap_objects *o);

/*
 * For each object that was added since the last move, replaces its stack by ids[stack]. With a
 * negative id the object is never visited.
 */
void heap_objects_move(struct heap_objects *o, const int64_t *ids);

/* Returns 0 to continue the visit. */
typedef int (*heap_objects_visit_fn)(void *ctx, const struct heap_object *object);

/*
 * Visits all objects that are not freed, in no order. visit must not call functions of this
 * file.
 * Returns: 0, or the first other result of visit.
 */
int heap_objects_visit(struct heap_objects *o, heap_objects_visit_fn visit, void *ctx);

#endif /* COLLECTOR_HEAP_OBJECTS_H */
