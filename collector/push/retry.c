// SPDX-License-Identifier: GPL-2.0
#include "push/retry.h"

#include <stdbool.h>

#include "pprof/protobuf_reader.h"

#define NS_PER_S	UINT64_C(1000000000)
#define MIN_NS		(NS_PER_S / 2)
#define MAX_NS		(300 * NS_PER_S)
#define MAX_AFTER_S	86400

/* Returns what an HTTP status means. push_verdict() corrects that for OTLP. */
static enum push_verdict verdict_of_status(long status)
{
	switch (status) {
	case 200 ... 299:
		return PUSH_SENT;
	case 401:		/* no or wrong secret */
	case 403:		/* no rights */
	case 404:		/* wrong address */
	case 405:
	case 407:		/* a proxy */
	case 300 ... 399:	/* a redirect could send the secret to another host */
	case 501:
		return PUSH_DENIED;
	case 429:
	case 502 ... 504:
		return PUSH_BUSY;
	case 408:
	case 409:		/* Connect: aborted */
	case 500:
	case 505 ... 599:
		return PUSH_UNSURE;
	default:
		return PUSH_REFUSED;
	}
}

/*
 * Has a receiver of OTLP refused a profile, although the status is 200? Then the reply has the
 * field partial_success (1), with the field rejected_profiles (1).
 */
static bool is_rejected(const struct push_reply *reply)
{
	struct proto_message m = { reply->body, reply->body + reply->body_len };
	struct proto_field f;

	if (m.at == m.end || proto_read_head(&m, &f) || f.number != 1 || f.type != PROTO_BYTES ||
	    m.at == m.end || proto_read_head(&m, &f))
		return false;
	return f.number == 1 && f.type == PROTO_VARINT && f.value;
}

enum push_verdict push_verdict(enum push_kind kind, const struct push_reply *reply)
{
	enum push_verdict verdict;

	if (reply->outcome == PUSH_NO_ANSWER)
		return PUSH_BUSY;
	if (reply->outcome == PUSH_NOT_TRUSTED)
		return PUSH_DENIED;
	verdict = verdict_of_status(reply->status);
	if (kind == PUSH_OTLP && verdict == PUSH_SENT && is_rejected(reply))
		return PUSH_REFUSED;
	/* The specification of OTLP allows another try after 429, 502, 503 and 504 only. */
	if (kind == PUSH_OTLP && verdict == PUSH_UNSURE)
		return PUSH_REFUSED;
	return verdict;
}

uint64_t push_backoff_ns(unsigned int nr_failures, uint32_t random, uint64_t retry_after_s)
{
	uint64_t ns = MIN_NS, after_ns;

	while (--nr_failures && ns < MAX_NS)
		ns *= 2;
	if (ns > MAX_NS)
		ns = MAX_NS;
	ns = ns / 2 + (ns / 2) * (random >> 16) / UINT16_MAX;
	after_ns = (retry_after_s < MAX_AFTER_S ? retry_after_s : MAX_AFTER_S) * NS_PER_S;
	return ns > after_ns ? ns : after_ns;
}
