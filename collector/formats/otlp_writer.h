/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes OTLP profiles: the message ProfilesData of opentelemetry-proto 1.10 and 1.11
 * (opentelemetry/proto/profiles/v1development/profiles.proto). It is also the body of a request to
 * /v1development/profiles. The protocol is in development: version 1.9 had other numbers of
 * fields, and reads these bytes wrongly.
 *
 * - Each sample type is a profile of its own, with one value for each sample. Samples of value 0,
 *   and sample types without others, are left out: receivers refuse a profile without samples.
 * - Stacks are leaf first, and lines innermost first, as in pprof. Only entries that samples use
 *   are written. Element 0 of each table is the empty one.
 * - Labels are attributes of samples, and a label with several values is an array. Bytes that are
 *   not UTF-8 become U+FFFD.
 * - The rest of the pprof profile is in attributes named by OpenTelemetry's semantic conventions
 *   for pprof. The default sample type and the original order of the types are in the scope.
 * - The resource is the main program's file, and what the caller knows: a profile has no
 *   service.name.
 */
#ifndef COLLECTOR_OTLP_WRITER_H
#define COLLECTOR_OTLP_WRITER_H

#include <stdint.h>
#include <stdio.h>

struct model;
struct profile_fault;

/*
 * Writes all sample types; type is the index of the default one. Write errors are left in out, for
 * ferror().
 * Returns: 0, or a negative errno, and then *fault is set.
 */
int otlp_write(const struct model *m, uint32_t type, FILE *out, struct profile_fault *fault);

/* An attribute of the resource: a text in valid UTF-8, or a number. */
struct otlp_resource_attribute {
	const char *key;
	const char *text;	/* NULL: it is a number */
	int64_t number;
};

/* The same with nr attributes of the resource, whose keys differ. */
int otlp_write_of(const struct model *m, uint32_t type,
		  const struct otlp_resource_attribute *attributes, size_t nr, FILE *out,
		  struct profile_fault *fault);

#endif /* COLLECTOR_OTLP_WRITER_H */
