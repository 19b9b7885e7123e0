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

struct decoder;
struct proto_field;

/*
 * Adds a field of message Profile to the model. Fields of unknown numbers are ignored. The bytes of
 * f are in the window of the input.
 * Returns: 0, or a negative errno, and then *d->fault is set.
 */
int decode_message(struct decoder *d, const struct proto_field *f);

#endif /* COLLECTOR_DECODE_MESSAGE_H */
