/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Profiles of OTLP over HTTP. The labels become attributes of the resource. Labels that
 * OpenTelemetry has names for get those: service.name, host.name, process.pid. See
 * formats/otlp_writer.h for the version of the protocol.
 */
#ifndef COLLECTOR_PUSH_OTLP_REQUEST_H
#define COLLECTOR_PUSH_OTLP_REQUEST_H

struct model;
struct profile_fault;
struct push_item;
struct push_request;

/*
 * Changes a profile of this type to the sample types that receivers of OTLP know:
 *
 * - Samples that a clock takes are sent as counts and a period alone: receivers multiply the two.
 *   The value in nanoseconds would become a second profile of the same name.
 * - The waits of a block profile are sent as off_cpu/nanoseconds, without a period type. By this
 *   Pyroscope knows off-CPU time (pkg/ingester/otlp, grafana/pyroscope).
 *
 * Returns: 0, or -ENOMEM.
 */
int otlp_request_shape(struct model *m, const char *type);

/*
 * Makes the request that sends m, the profile of item, to the server at the base URL.
 * Returns: 0; -ENODATA if it has no samples; or another negative errno, and then *fault is set.
 * push_request_fini() frees r in all cases.
 */
int otlp_request(const char *base, const struct push_item *item, const struct model *m,
		 struct push_request *r, struct profile_fault *fault);

#endif /* COLLECTOR_PUSH_OTLP_REQUEST_H */
