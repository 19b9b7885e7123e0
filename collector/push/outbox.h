/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profiles that wait for one backend, in the order in which they came, and those that are being
 * sent. At most four are sent at once; only one while the backend fails.
 *
 * A profile leaves the outbox when the backend has accepted or refused it, or when it is a day old.
 * If the outbox is full, the oldest profile is dropped. It is full with 4,096 profiles, with 64 MiB
 * in memory, or with 256 MiB in a spool. A profile that is dropped is removed from the spool, too.
 *
 * Messages are printed when the backend begins to fail, and when it works again. Messages about
 * profiles that it refuses are printed once a minute at most.
 */
#ifndef COLLECTOR_PUSH_OUTBOX_H
#define COLLECTOR_PUSH_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "push/backend.h"

struct outbox;
struct push_item;
struct spool;
struct transfers;

struct outbox_counts {
	uint64_t sent;
	uint64_t refused;	/* by the backend, which will never accept them */
	uint64_t dropped;	/* for lack of room or memory, or since they were too old */
	uint64_t failures;	/* attempts after which the profile waits again */
	uint64_t waiting;	/* now, with those that are being sent */
};

/*
 * Makes an outbox with the profiles in the spool, or an empty one if spool is NULL. All arguments
 * are borrowed. The outbox counts in *counts, which another process may read at any time.
 * Returns: the outbox, which outbox_free() frees; or NULL with errno.
 */
struct outbox *outbox_new(const struct push_backend *b, struct transfers *transfers,
			  struct spool *spool, struct outbox_counts *counts);

/* Frees the outbox, after the transfers. Profiles in the spool stay there. o may be NULL. */
void outbox_free(struct outbox *o);

/*
 * Adds a profile. It is stored in the spool. Without a spool, or if the disk is full, the outbox
 * keeps a reference to item. If memory is short, the profile counts as dropped.
 */
void outbox_add(struct outbox *o, struct push_item *item);

/* Starts the requests that are due at now_ns (CLOCK_MONOTONIC). */
void outbox_step(struct outbox *o, uint64_t now_ns);

/*
 * Returns when outbox_step() has work next, in ns of CLOCK_MONOTONIC. UINT64_MAX: not before a
 * transfer ends, or outbox_add() is called.
 */
uint64_t outbox_next_ns(const struct outbox *o);

/*
 * Is nothing left that could be sent by deadline_ns (CLOCK_MONOTONIC)? Nothing can be sent to a
 * backend whose last verdict is PUSH_DENIED: a person has to change something first.
 */
bool outbox_is_done(const struct outbox *o, uint64_t deadline_ns);

#endif /* COLLECTOR_PUSH_OUTBOX_H */
