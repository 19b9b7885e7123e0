/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The request for each kind of backend. Pyroscope and Parca get a profile of this program as it is,
 * and other profiles with clean names. OTLP gets the profile in its own format. HTTP and S3 get the
 * file as it is.
 */
#ifndef COLLECTOR_PUSH_PAYLOAD_H
#define COLLECTOR_PUSH_PAYLOAD_H

struct profile_fault;
struct push_backend;
struct push_item;
struct push_request;

/*
 * Makes the request that sends an item to a backend.
 * Returns: 0; -ENODATA if the profile is empty and the backend takes no empty ones; or another
 * negative errno, and then *fault is set. -EBADMSG: the profile is damaged, and can never be sent.
 * push_request_fini() frees r in all cases.
 */
int payload_request(const struct push_backend *b, const struct push_item *item,
		    struct push_request *r, struct profile_fault *fault);

#endif /* COLLECTOR_PUSH_PAYLOAD_H */
