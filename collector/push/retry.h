/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an answer means for the profile that was sent, and how long to wait before the next try.
 * Sources: the error codes of the Connect protocol; the specification of OTLP over HTTP, "Failures"
 * and "OTLP/HTTP throttling"; what Grafana Alloy does for pyroscope.write.
 */
#ifndef COLLECTOR_PUSH_RETRY_H
#define COLLECTOR_PUSH_RETRY_H

#include <stddef.h>
#include <stdint.h>

#include "push/backend.h"

enum push_verdict {
	PUSH_SENT,
	PUSH_REFUSED,	/* the backend will never accept this profile: drop it */
	PUSH_BUSY,	/* the backend is down or busy: it may accept the profile later */
	PUSH_UNSURE,	/* a fault of the backend, perhaps for this profile alone: try 10 times */
	PUSH_DENIED,	/* rights, address or certificate are wrong: a person must correct them */
};

/* How often a profile is sent while the verdict is PUSH_UNSURE. */
#define PUSH_MAX_TRIES	10

enum push_outcome {
	PUSH_ANSWERED,		/* with a status */
	PUSH_NO_ANSWER,		/* no connection, or it broke, or it took too long */
	PUSH_NOT_TRUSTED,	/* TLS refused the server or this client, or a file is not usable */
};

/* The answer to a request. */
struct push_reply {
	enum push_outcome outcome;
	long status;			/* of HTTP */
	uint64_t retry_after_s;		/* Retry-After; 0: there is none */
	char text[256];			/* the cause of a failure, as far as it is known */
	uint8_t body[160];		/* the start of the answer */
	size_t body_len;
};

/* Returns what a reply of a backend of this kind means. */
enum push_verdict push_verdict(enum push_kind kind, const struct push_reply *reply);

/*
 * Returns how many ns to wait after nr_failures failures in a row, at least 1: twice as long after
 * each, from 0.5 s to 5 minutes. random is any number: the time is between a half of that and all
 * of it, so that many senders do not come at once. It is at least retry_after_s, but a day at most.
 */
uint64_t push_backoff_ns(unsigned int nr_failures, uint32_t random, uint64_t retry_after_s);

#endif /* COLLECTOR_PUSH_RETRY_H */
