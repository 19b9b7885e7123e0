/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The messages of profile.proto, each read into the model as it comes. The numbers of fields are
 * those of profile.proto.
 *
 * Messages come in any order, and strings and ids may be used before they are defined. So the
 * members of the model hold the file's string indices, and the handles of ids (pprof/id_space.h).
 * decode_references_resolve() replaces them when all is read.
 */
#ifndef COLLECTOR_DECODE_MESSAGE_H
#define COLLECTOR_DECODE_MESSAGE_H

#include "pprof/decode_references.h"
#include "pprof/label_cache.h"
#include "pprof/model.h"
#include "pprof/protobuf_reader.h"

struct profile_fault;
struct profile_input;

struct decoder {
	struct profile_input *in;
	struct profile_fault *fault;
	struct model *m;
	struct decode_references refs;
	struct label_cache labels;
	/* The stacks of the last samples. Each one is for the sample of its index. */
	struct span_batch stacks;
	size_t sample_of_stack[SPAN_BATCH_MAX];
	/* Lines of the current location. */
	MODEL_ARRAY(struct model_line, lines);
};

/*
 * Adds a field of message Profile to the model. Fields of unknown numbers are ignored. The bytes of
 * f are in the window of the input.
 * Returns: 0, or a negative errno, and then *d->fault is set.
 */
int decode_message(struct decoder *d, const struct proto_field *f);

/*
 * Ends the messages: the last samples get their stacks.
 * Returns: 0, or a negative errno, and then *d->fault is set.
 */
int decode_message_finish(struct decoder *d);

#endif /* COLLECTOR_DECODE_MESSAGE_H */
