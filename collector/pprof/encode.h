/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a model as profile.proto. Strings are numbered in the order of use, and unused ones are
 * left out. Everything else keeps its order, so equal models give equal bytes. Apart from fields
 * of value 0, the bytes are those that Go's pprof writes.
 */
#ifndef COLLECTOR_ENCODE_H
#define COLLECTOR_ENCODE_H

#include "pprof/protobuf.h"

struct model;

/*
 * Writes m to a sink, without gzip. A numeric label of 0 without a unit is left out: no reader can
 * see one.
 * Returns: 0, -ENOMEM, or the error of the sink.
 */
int encode_profile(const struct model *m, proto_sink *sink, void *ctx);

#endif /* COLLECTOR_ENCODE_H */
