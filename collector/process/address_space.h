/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The mappings of one exec id over time, as a list of address-space epochs (struct address_space).
 *
 * An epoch begins each time that a new mapping replaces another one; it starts with a copy of
 * all other mappings. So an address has one meaning within an epoch, for ever. A mapping that is
 * reported late is also inserted into the epochs that have begun since.
 */
#ifndef COLLECTOR_ADDRESS_SPACE_H
#define COLLECTOR_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "procfs/maps.h"

struct exec_image;

/* An epoch: a time in which no address of the exec id changed its meaning. */
struct address_space {
	struct exec_image *exec;	/* the exec id; belongs to the caller */
	struct maps *maps;
	uint64_t since_ns;	/* start of the epoch, by the clock of records */
	uint32_t id;
	size_t past_bytes;	/* its memory in bytes, once a later epoch exists; else 0 */
	struct address_space *before;	/* the epoch before, or NULL */
};

/* The epochs of all exec ids, by their numbers. Numbers are reused. All zeroes is empty. */
struct address_spaces {
	struct address_space **by_id;	/* NULL if the number is free */
	uint32_t nr;
	uint32_t first_free;	/* no lower number is free */
	size_t past_bytes;	/* sum of past_bytes of all epochs */
};

/* Frees the list of numbers. The epochs must be gone before: see address_spaces_end(). */
void address_spaces_fini(struct address_spaces *s);

/*
 * Begins the first epoch of an exec id, which covers all times. *newest is NULL before.
 * Returns: 0, or -ENOMEM.
 */
int address_spaces_begin(struct address_spaces *s, struct address_space **newest,
			 struct exec_image *exec);

/* Frees all epochs of an exec id, and their numbers. newest may be NULL. */
void address_spaces_end(struct address_spaces *s, struct address_space *newest);

/* Frees all epochs of an exec id except the newest. newest must not be NULL. */
void address_spaces_end_past(struct address_spaces *s, struct address_space *newest);

/*
 * Adds a mapping at the time range->since_ns. If it replaces another mapping, a new epoch begins at
 * that time. The mapping is also inserted into later epochs, where newer mappings stay. If more
 * than 64 epochs are later, only the newest 64 get the mapping: a program that maps in a loop would
 * make this slow. An empty range is ignored.
 * Returns: 0, or -ENOMEM.
 */
int address_spaces_insert(struct address_spaces *s, struct address_space **newest,
			  const struct maps_range *range);

/*
 * Begins an epoch at since_ns, whose only mappings are a copy of maps.
 * Returns: 0, or -ENOMEM.
 */
int address_spaces_renew(struct address_spaces *s, struct address_space **newest,
			 const struct maps *maps, uint64_t since_ns);

/* Returns the epoch at a time; for a time before all of them, the oldest. */
const struct address_space *address_spaces_at(const struct address_space *newest, uint64_t time_ns);

#endif /* COLLECTOR_ADDRESS_SPACE_H */
