/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one image has mapped, and when. Each time that a mapping is replaced by
 * another a new *space* begins, with a copy of all the others, so that an
 * address has one meaning in a space, for ever; but a mapping that is heard of
 * late corrects the spaces that have begun since.
 */
#ifndef COLLECTOR_SPACES_H
#define COLLECTOR_SPACES_H

#include <stddef.h>
#include <stdint.h>

#include "procfs/maps.h"

struct image;

/* A stretch of time in which no address of the image changed its meaning. */
struct space {
	struct image *image;	/* whose it is: the caller's */
	struct maps *maps;
	uint64_t since_ns;
	uint32_t id;
	size_t past_bytes;	/* what it takes, since another followed it */
	struct space *before;
};

/* All images' spaces by their numbers, which are given anew. All zero is empty. */
struct spaces {
	struct space **by_id;	/* NULL: free */
	uint32_t nr;
	uint32_t first_free;	/* none below is free */
	size_t past_bytes;	/* of those that others have followed */
};

/* The ids are given back before: see spaces_end(). */
void spaces_fini(struct spaces *s);

/* Begins an image's first space, which is of all times. 0 or -ENOMEM. */
int spaces_begin(struct spaces *s, struct space **newest, struct image *image);

/* An image's spaces are no more. NULL is fine. */
void spaces_end(struct spaces *s, struct space *newest);

/* The same for all but the newest, which must be there. */
void spaces_end_past(struct spaces *s, struct space *newest);

/*
 * Maps a range, which replaces what was there by a new space that begins then, and
 * is also in those that have begun since, or the last of them, but for what is newer.
 * What is no range is left out. 0 or -ENOMEM.
 */
int spaces_insert(struct spaces *s, struct space **newest, const struct maps_range *range);

/* What is mapped from then on is a copy of maps, and nothing else. 0 or -ENOMEM. */
int spaces_renew(struct spaces *s, struct space **newest, const struct maps *maps,
		 uint64_t since_ns);

/* The one in force at a time; of a time before all of them, the oldest. */
const struct space *spaces_at(const struct space *newest, uint64_t time_ns);

#endif /* COLLECTOR_SPACES_H */
