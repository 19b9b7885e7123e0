/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flags of a mapping. Set a flag only if it is true for every sampled location of the mapping.
 * If none is set, pprof itself reads the binary and replaces the lines of this profile.
 */
#ifndef COLLECTOR_MAPPING_FLAGS_H
#define COLLECTOR_MAPPING_FLAGS_H

#define PROFILE_HAS_FUNCTIONS		(1U << 0)
#define PROFILE_HAS_FILENAMES		(1U << 1)
#define PROFILE_HAS_LINE_NUMBERS	(1U << 2)
#define PROFILE_HAS_INLINE_FRAMES	(1U << 3)

#endif /* COLLECTOR_MAPPING_FLAGS_H */
