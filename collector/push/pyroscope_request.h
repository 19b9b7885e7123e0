/* SPDX-License-Identifier: GPL-2.0 */
/*
 * push.v1.PusherService/Push of Pyroscope, as a unary call of the Connect protocol. Sources:
 * api/push/v1/push.proto of grafana/pyroscope, and the specification of Connect.
 */
#ifndef COLLECTOR_PUSH_PYROSCOPE_REQUEST_H
#define COLLECTOR_PUSH_PYROSCOPE_REQUEST_H

struct byte_buffer;
struct push_item;
struct push_request;

/*
 * Makes the request that sends a profile to the server at the base URL.
 * Returns: 0, or -ENOMEM. push_request_fini() frees r in both cases.
 */
int pyroscope_request(const char *base, const struct push_item *item,
		      const struct byte_buffer *profile, struct push_request *r);

#endif /* COLLECTOR_PUSH_PYROSCOPE_REQUEST_H */
