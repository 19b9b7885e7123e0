/* SPDX-License-Identifier: GPL-2.0 */
/* Message Sample of profile.proto. */
#ifndef COLLECTOR_DECODE_SAMPLE_H
#define COLLECTOR_DECODE_SAMPLE_H

struct decoder;
struct proto_field;

/*
 * Adds the sample of a field of message Profile, whose type is PROTO_BYTES. The last samples get
 * their stacks later.
 * Returns: 0, or a negative errno, and then *d->fault is set.
 */
int decode_sample(struct decoder *d, const struct proto_field *f);

/* Call this after the last sample: all get their stacks. Returns: as decode_sample(). */
int decode_sample_finish(struct decoder *d);

#endif /* COLLECTOR_DECODE_SAMPLE_H */
