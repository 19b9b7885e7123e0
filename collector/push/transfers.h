/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sends HTTP requests by libcurl, several at once. Redirects are not followed: a secret could reach
 * another host. Proxies are those of the environment: see curl(1).
 *
 * A try fails if there is no connection within 10 s, if no byte moves for a minute, or after an
 * hour.
 */
#ifndef COLLECTOR_PUSH_TRANSFERS_H
#define COLLECTOR_PUSH_TRANSFERS_H

struct push_backend;
struct push_reply;
struct push_request;
struct transfers;

/* Receives the reply to a request, which is valid during the call. May start further requests. */
typedef void transfer_done(void *ctx, const struct push_reply *reply);

/* Returns: an empty set, or NULL with errno ENOMEM. transfers_free() frees it. */
struct transfers *transfers_new(void);

/* Ends all requests without a reply, and frees t, which may be NULL. */
void transfers_free(struct transfers *t);

/*
 * Starts a request with the secret and the certificates of its backend, whose files are read now. t
 * takes the strings and the body of r, even if it returns an error, and r is empty then.
 * transfers_wait() calls done with ctx, even if a file cannot be read.
 * Returns: 0, or -ENOMEM, and then done is not called.
 */
int transfers_start(struct transfers *t, const struct push_backend *b, struct push_request *r,
		    transfer_done *done, void *ctx);

/*
 * Waits until libcurl has work, fd is readable, or timeout_ms is over. fd may be -1. Then calls
 * done() for each request that has ended. Does not wait if one has ended before.
 */
void transfers_wait(struct transfers *t, int fd, int timeout_ms);

#endif /* COLLECTOR_PUSH_TRANSFERS_H */
