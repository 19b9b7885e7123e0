/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads profile.proto into a model. Takes all that Go's reader takes: packed and single numbers,
 * tables in any order, ids of any size, unknown fields. As in all readers, a label whose members
 * are all 0 but the key is dropped.
 *
 * What Go's CheckValid() refuses is a fault, too: the model is always consistent.
 */
#ifndef COLLECTOR_DECODE_H
#define COLLECTOR_DECODE_H

struct decode_facts;
struct model;
struct profile_fault;
struct profile_input;

/*
 * Reads all of the input. facts may be NULL.
 * Returns: 0 and *out, which model_free() frees; or a negative errno, and then *fault is set.
 */
int decode_profile(struct profile_input *in, struct model **out, struct decode_facts *facts,
		   struct profile_fault *fault);

#endif /* COLLECTOR_DECODE_H */
