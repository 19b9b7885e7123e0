/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames that samples leave out: see PPROF_SETUP_SHARED. Each sample of a ring must pass here
 * once, in the order of the ring.
 */
#ifndef COLLECTOR_SHARED_FRAMES_H
#define COLLECTOR_SHARED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "pprof.h"

struct shared_stack;

/* Zeroed before the first sample. */
struct shared_frames {
	struct shared_stack **stacks;	/* by ring, then by tid; NULL: no sample yet */
	uint32_t nr_rings;
	struct pprof_sample *whole;	/* the last sample that left out frames */
	size_t whole_bytes;
};

/* Frees the memory. */
void shared_frames_fini(struct shared_frames *s);

/*
 * Makes a sample of a ring whole. *sample becomes a sample with all frames and no nr_shared, which
 * is valid until the next call. If the frames that it refers to are not known, it has the frames of
 * its record, and ends with PPROF_END_NOT_SHARED.
 *
 * A sample that fails sample_is_sane() stays as it is. From then on the ring's earlier frames are
 * not known, as after shared_frames_forget().
 * Returns: 0, or -ENOMEM.
 */
int shared_frames_add(struct shared_frames *s, uint32_t ring, const struct pprof_sample **sample);

/* Forgets all frames of a ring. Call this if a record was skipped that may have been a sample. */
void shared_frames_forget(struct shared_frames *s, uint32_t ring);

#endif /* COLLECTOR_SHARED_FRAMES_H */
