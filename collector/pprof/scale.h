/* SPDX-License-Identifier: GPL-2.0 */
/* Multiplies the values of a profile. Results are rounded, half away from zero. */
#ifndef COLLECTOR_SCALE_H
#define COLLECTOR_SCALE_H

struct model;
struct profile_fault;

/*
 * Multiplies the values of each sample type by its own ratio; ratios has sample_types.nr. Samples
 * whose values all become 0 are dropped, unless all ratios are 1.
 */
void scale_types(struct model *m, const double *ratios);

/*
 * Scales m so that the sum of each sample type is that of base. A type whose sum is 0 stays 0.
 * Returns: 0; -EBADMSG with *fault if the sample types or period types differ; or -ENOMEM.
 */
int scale_normalize(struct model *m, const struct model *base, struct profile_fault *fault);

#endif /* COLLECTOR_SCALE_H */
