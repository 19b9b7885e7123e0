/* SPDX-License-Identifier: GPL-2.0 */
/*
 * WriteRaw of Parca through its JSON gateway, so that neither gRPC nor HTTP/2 is needed. Source:
 * proto/parca/profilestore/v1alpha1/profilestore.proto of parca-dev/parca.
 */
#ifndef COLLECTOR_PUSH_PARCA_REQUEST_H
#define COLLECTOR_PUSH_PARCA_REQUEST_H

struct byte_buffer;
struct push_item;
struct push_request;

/*
 * Makes the request that sends a profile to the server at the base URL.
 * Returns: 0, or -ENOMEM. push_request_fini() frees r in both cases.
 */
int parca_request(const char *base, const struct push_item *item,
		  const struct byte_buffer *profile, struct push_request *r);

#endif /* COLLECTOR_PUSH_PARCA_REQUEST_H */
