/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames that a profile in a legacy format does not want to show, as drop_frames and
 * keep_frames: those of the profiler or of the allocator. The names are those in Go's pprof.
 */
#ifndef COLLECTOR_FRAME_PATTERNS_H
#define COLLECTOR_FRAME_PATTERNS_H

struct model;

/* Sets drop_frames and keep_frames by the sample types of m. Returns: 0, or -ENOMEM. */
int frame_patterns_set(struct model *m);

#endif /* COLLECTOR_FRAME_PATTERNS_H */
