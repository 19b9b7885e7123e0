/* SPDX-License-Identifier: GPL-2.0 */
/*
 * OTLP profiles over HTTP. The labels are attributes of the resource, by OpenTelemetry's names as
 * far as it has them: service.name, host.name, process.pid. See formats/otlp_writer.h for the
 * version of the protocol.
 */
#ifndef COLLECTOR_PUSH_OTLP_REQUEST_H
#define COLLECTOR_PUSH_OTLP_REQUEST_H

struct model;
struct profile_fault;
struct push_item;
struct push_request;

/*
 * Changes a profile to what receivers of OTLP know:
 *
 * - Samples that are counted by a clock are sent as counts and a period alone: receivers multiply
 *   them. The value in nanoseconds would be a second profile of the same name.
 * - Waits of a block profile are off_cpu/nanoseconds without a period type. Pyroscope knows
 *   off-CPU time by this (pkg/ingester/otlp, grafana/pyroscope).
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
