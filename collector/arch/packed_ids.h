/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads packed ids of a profile.proto. Most bytes of a large profile are the location ids of its
 * stacks. Their lengths are in no order that a CPU could predict, so a loop over bytes is slow. The
 * folder of each CPU has its packed_ids.c.
 */
#ifndef COLLECTOR_ARCH_PACKED_IDS_H
#define COLLECTOR_ARCH_PACKED_IDS_H

#include <stdint.h>

#define ARCH_PACKED_IDS_READ	16	/* bytes from end on that are readable */
#define ARCH_PACKED_IDS_ROOM	4	/* numbers that fit after those of the ids */

/*
 * Reads varints from *at on, and moves *at behind them. Stops at end, or before it: the caller then
 * reads the next one in another way, and calls again. Ids of up to four bytes are read, unless a
 * byte of 0 follows soon: 0 is no id. A CPU may read none at all.
 *
 * Writes id - 1 of each one, and raises *max to the largest of these numbers. `to` has room for as
 * many numbers as there are bytes, and for ARCH_PACKED_IDS_ROOM more.
 * Returns: the end of the numbers in `to`.
 * Context: any thread.
 */
uint32_t *arch_packed_ids_read(const uint8_t **at, const uint8_t *end, uint32_t *to, uint32_t *max);

#endif /* COLLECTOR_ARCH_PACKED_IDS_H */
