// SPDX-License-Identifier: GPL-2.0
#include "push/outbox.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/clock.h"
#include "pprof/profile_fault.h"
#include "push/payload.h"
#include "push/push_item.h"
#include "push/push_request.h"
#include "push/retry.h"
#include "push/transfers.h"

#define MAX_ON_WAY	4
#define MAX_WAITING	4096
#define MAX_BYTES	(UINT64_C(64) << 20)
#define NS_PER_S	UINT64_C(1000000000)
#define MESSAGE_NS	(60 * NS_PER_S)

struct parcel {
	struct outbox *outbox;
	struct push_item *item;
	unsigned int nr_tries;
	bool is_on_way;
	struct parcel *next;
};

struct outbox {
	const struct push_backend *backend;
	struct transfers *transfers;
	struct outbox_counts *counts;
	struct parcel *first;
	struct parcel **end;
	uint64_t bytes;			/* of all parcels */
	unsigned int nr_on_way;
	unsigned int nr_failures;	/* in a row */
	uint64_t not_before_ns;
	bool is_denied;			/* so was the last reply */
	uint64_t refusal_told_ns;	/* when a refusal was printed last */
};

struct outbox *outbox_new(const struct push_backend *b, struct transfers *transfers,
			  struct outbox_counts *counts)
{
	struct outbox *o = malloc(sizeof(*o));

	if (!o)
		return NULL;
	*o = (struct outbox){
		.backend = b, .transfers = transfers, .counts = counts, .end = &o->first,
	};
	return o;
}

static void append(struct outbox *o, struct parcel *p)
{
	p->next = NULL;
	*o->end = p;
	o->end = &p->next;
}

static void unlink_parcel(struct outbox *o, struct parcel *p)
{
	struct parcel **at = &o->first;

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	if (!p->next)
		o->end = at;
}

/* Takes a parcel out of the list, and frees it. */
static void remove_parcel(struct outbox *o, struct parcel *p)
{
	unlink_parcel(o, p);
	o->bytes -= p->item->bytes.nr;
	o->counts->waiting--;
	push_item_put(p->item);
	free(p);
}

void outbox_free(struct outbox *o)
{
	while (o && o->first)
		remove_parcel(o, o->first);
	free(o);
}

/* Makes room for a profile of so many bytes. What is on its way stays. */
static void drop_oldest(struct outbox *o, uint64_t bytes)
{
	struct parcel *p = o->first, *next;

	for (; p && (o->counts->waiting >= MAX_WAITING || o->bytes + bytes > MAX_BYTES); p = next) {
		next = p->next;
		if (p->is_on_way)
			continue;
		remove_parcel(o, p);
		o->counts->dropped++;
	}
}

void outbox_add(struct outbox *o, struct push_item *item)
{
	struct parcel *p = calloc(1, sizeof(*p));

	if (!p) {
		o->counts->dropped++;
		return;
	}
	drop_oldest(o, item->bytes.nr);
	*p = (struct parcel){ .outbox = o, .item = push_item_get(item) };
	append(o, p);
	o->bytes += item->bytes.nr;
	o->counts->waiting++;
}

/* Messages */

static void tell_refusal(struct outbox *o, const struct push_item *item, const char *text)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	o->counts->refused++;
	if (o->refusal_told_ns && now - o->refusal_told_ns < MESSAGE_NS)
		return;
	o->refusal_told_ns = now;
	warnx("%s does not take a %s profile: %s: see 'pprof-collect check --for'",
	      o->backend->name, item->type, text);
}

static void tell_failure(const struct outbox *o, enum push_verdict verdict, const char *text)
{
	if (verdict == PUSH_DENIED)
		warnx("cannot push to %s: %s: check the URL, --push-auth and the certificates",
		      o->backend->name, text);
	else
		warnx("cannot push to %s: %s: profiles wait, and are sent when it works again",
		      o->backend->name, text);
}

static void tell_success(const struct outbox *o)
{
	if (o->nr_failures)
		warnx("%s takes profiles again: %" PRIu64 " waited", o->backend->name,
		      o->counts->waiting);
}

/* Replies */

static void fail(struct outbox *o, enum push_verdict verdict, const struct push_reply *reply)
{
	uint32_t random = 0;

	getrandom(&random, sizeof(random), GRND_NONBLOCK);
	if (!o->nr_failures || (verdict == PUSH_DENIED && !o->is_denied))
		tell_failure(o, verdict, reply->text);
	o->nr_failures++;
	o->counts->failures++;
	o->is_denied = verdict == PUSH_DENIED;
	o->not_before_ns = clock_ns(CLOCK_MONOTONIC) +
		push_backoff_ns(o->nr_failures, random, reply->retry_after_s);
}

static void take_reply(void *ctx, const struct push_reply *reply)
{
	struct parcel *p = ctx;
	struct outbox *o = p->outbox;
	enum push_verdict verdict = push_verdict(o->backend->kind, reply);

	p->is_on_way = false;
	o->nr_on_way--;
	if (verdict == PUSH_UNSURE && ++p->nr_tries == PUSH_MAX_TRIES)
		verdict = PUSH_REFUSED;
	if (verdict == PUSH_UNSURE) {	/* others go first: the fault may be in this one */
		unlink_parcel(o, p);
		append(o, p);
	}
	if (verdict > PUSH_REFUSED) {
		fail(o, verdict, reply);
		return;
	}
	if (verdict == PUSH_REFUSED)
		tell_refusal(o, p->item, reply->text);
	else
		o->counts->sent++;
	remove_parcel(o, p);
	tell_success(o);
	o->nr_failures = 0;
	o->is_denied = false;
	o->not_before_ns = 0;
}

/* Starts */

static void start(struct outbox *o, struct parcel *p)
{
	struct push_request request = { 0 };
	struct profile_fault fault;
	int err = payload_request(o->backend, p->item, &request, &fault);

	if (err) {
		push_request_fini(&request);
	} else {
		err = transfers_start(o->transfers, o->backend, &request, take_reply, p);
		if (err)
			profile_fault_errno(&fault, err);
	}
	if (!err) {
		p->is_on_way = true;
		o->nr_on_way++;
	} else if (err == -ENODATA) {
		o->counts->sent++;
		remove_parcel(o, p);
	} else if (err == -EBADMSG) {
		tell_refusal(o, p->item, fault.text);
		remove_parcel(o, p);
	} else {
		o->counts->dropped++;
		remove_parcel(o, p);
	}
}

void outbox_step(struct outbox *o, uint64_t now_ns)
{
	struct parcel *p = o->first, *next;

	for (; p && now_ns >= o->not_before_ns; p = next) {
		next = p->next;
		if (o->nr_on_way >= (o->nr_failures ? 1 : MAX_ON_WAY))
			return;
		if (!p->is_on_way)
			start(o, p);
	}
}

uint64_t outbox_next_ns(const struct outbox *o)
{
	bool is_full = o->nr_on_way >= (o->nr_failures ? 1 : MAX_ON_WAY);

	return is_full || o->counts->waiting == o->nr_on_way ? UINT64_MAX : o->not_before_ns;
}

bool outbox_is_done(const struct outbox *o, uint64_t deadline_ns)
{
	if (o->nr_on_way)
		return false;
	return !o->first || o->is_denied || o->not_before_ns > deadline_ns;
}
