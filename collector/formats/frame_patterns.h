/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drop_frames and keep_frames of profiles in a legacy format. They hide the frames of the profiler,
 * of the allocator or of locks. The expressions are those of Go's pprof.
 */
#ifndef COLLECTOR_FRAME_PATTERNS_H
#define COLLECTOR_FRAME_PATTERNS_H

struct model;

/* Sets drop_frames and keep_frames by the sample types of m. Returns: 0, or -ENOMEM. */
int frame_patterns_set(struct model *m);

#endif /* COLLECTOR_FRAME_PATTERNS_H */
