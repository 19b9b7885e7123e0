/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The profiles that wait for one backend, in the order in which they came, and those that are being
 * sent. At most four are sent at once; only one while the backend fails. A profile leaves the
 * outbox when the backend has accepted or refused it, when it is a day old, or when the outbox is
 * full: then the oldest one is dropped. An outbox is full with 4,096 profiles, with 64 MiB in
 * memory, or 256 MiB in a spool. A profile that is dropped is removed from the spool, too.
 *
 * Messages are printed when the backend begins to fail and when it works again, and at most once a
 * minute for profiles that it refuses.
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
	uint64_t refused;	/* by the backend, for ever */
	uint64_t dropped;	/* there was no room or memory, or the profile was too old */
	uint64_t failures;	/* tries after which the profile waits again */
	uint64_t waiting;	/* profiles, now */
};

/*
 * Makes an outbox with the profiles in the spool, or an empty one if spool is NULL. All arguments
 * are borrowed. It counts in *counts, which may be read at any time.
 * Returns: the outbox, or NULL with errno. outbox_free() frees it.
 */
struct outbox *outbox_new(const struct push_backend *b, struct transfers *transfers,
			  struct spool *spool, struct outbox_counts *counts);

/* Frees the outbox. Free the transfers before. o may be NULL. */
void outbox_free(struct outbox *o);

/*
 * Adds a profile. It is stored in the spool; without a spool, or if the disk is full, it is kept in
 * memory, shared with the caller. If there is no memory, it counts as dropped.
 */
void outbox_add(struct outbox *o, struct push_item *item);

/* Starts what is due at now_ns (CLOCK_MONOTONIC). */
void outbox_step(struct outbox *o, uint64_t now_ns);

/* Returns when outbox_step() has work next; UINT64_MAX: only after a transfer, or outbox_add(). */
uint64_t outbox_next_ns(const struct outbox *o);

/*
 * Is nothing left that could be sent by deadline_ns? Nothing can be sent to a backend that denies
 * (PUSH_DENIED): a person has to change something first.
 */
bool outbox_is_done(const struct outbox *o, uint64_t deadline_ns);

#endif /* COLLECTOR_PUSH_OUTBOX_H */
