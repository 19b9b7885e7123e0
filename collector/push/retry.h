/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the reply of a backend means for the profile that was sent, and how long to wait before the
 * next try. Sources: the error codes of the Connect protocol; the specification of OTLP over HTTP,
 * "Failures" and "OTLP/HTTP throttling"; pyroscope.write of Grafana Alloy.
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
	PUSH_UNSURE,	/* the backend failed, perhaps for this profile alone: PUSH_MAX_TRIES */
	PUSH_DENIED,	/* rights, address or certificate are wrong: a person must correct them */
};

/* How often a profile is sent at most, if the verdict is PUSH_UNSURE each time. */
#define PUSH_MAX_TRIES	10

enum push_outcome {
	PUSH_ANSWERED,		/* the reply has a status */
	PUSH_NO_ANSWER,		/* no connection, a broken one, or a timeout */
	PUSH_NOT_TRUSTED,	/* TLS refused one of the two sides, or a file cannot be used */
};

/* The answer to a request. */
struct push_reply {
	enum push_outcome outcome;
	long status;			/* of HTTP, if PUSH_ANSWERED */
	uint64_t retry_after_s;		/* Retry-After; 0: there is none */
	char text[256];			/* for messages: the status, or the cause of a failure */
	uint8_t body[160];		/* the start of the reply's body */
	size_t body_len;
};

/* Returns what a reply of a backend of this kind means. */
enum push_verdict push_verdict(enum push_kind kind, const struct push_reply *reply);

/*
 * Returns how many ns to wait after nr_failures failures in a row; nr_failures is at least 1. The
 * time doubles with each failure, from 0.5 s to 5 minutes. random is any number, which chooses
 * between a half of that time and all of it, so that many senders do not come at once. A longer
 * retry_after_s is obeyed, up to a day.
 */
uint64_t push_backoff_ns(unsigned int nr_failures, uint32_t random, uint64_t retry_after_s);

#endif /* COLLECTOR_PUSH_RETRY_H */
