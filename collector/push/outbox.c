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
#include "push/item_codec.h"
#include "push/payload.h"
#include "push/push_item.h"
#include "push/push_request.h"
#include "push/retry.h"
#include "push/spool.h"
#include "push/transfers.h"

#define MAX_SENDING	4
#define MAX_WAITING	4096
#define MAX_BYTES	(UINT64_C(64) << 20)
#define MAX_SPOOL_BYTES	(UINT64_C(256) << 20)
#define NS_PER_S	UINT64_C(1000000000)
#define MESSAGE_NS	(60 * NS_PER_S)
#define MAX_AGE_NS	(86400 * NS_PER_S)

/* A profile that waits or is being sent. */
struct entry {
	struct outbox *outbox;
	struct push_item *item;		/* NULL: its content is in the spool only */
	struct spool_name name;		/* of the entry in the spool; "": it is in memory */
	uint64_t bytes;
	uint64_t came_ns;		/* since the epoch */
	unsigned int nr_tries;
	bool is_sending;
	struct entry *next;
};

struct outbox {
	const struct push_backend *backend;
	struct transfers *transfers;
	struct spool *spool;		/* NULL: there is none */
	struct outbox_counts *counts;
	struct entry *first;
	struct entry **end;
	uint64_t bytes;			/* of all entries */
	unsigned int nr_sending;
	unsigned int nr_failures;	/* in a row */
	uint64_t not_before_ns;		/* of the next try, CLOCK_MONOTONIC */
	bool is_denied;			/* the last reply was PUSH_DENIED */
	bool is_reported;		/* a message says that the backend fails */
	/* When each kind of message was printed last, CLOCK_MONOTONIC; 0: never. */
	uint64_t failure_printed_ns;
	uint64_t refusal_printed_ns;
	uint64_t drop_printed_ns;
	bool keeps_spool;		/* entries that are freed stay in the spool */
	bool is_spool_broken;		/* the last profile could not be stored */
};

static void append(struct outbox *o, struct entry *e)
{
	e->next = NULL;
	*o->end = e;
	o->end = &e->next;
}

static void unlink_entry(struct outbox *o, struct entry *e)
{
	struct entry **at = &o->first;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	if (!e->next)
		o->end = at;
}

/* Takes an entry out of the list, and frees it. */
static void remove_entry(struct outbox *o, struct entry *e)
{
	unlink_entry(o, e);
	o->bytes -= e->bytes;
	o->counts->waiting--;
	if (o->spool && e->name.text[0] && !o->keeps_spool)
		spool_remove(o->spool, &e->name);
	push_item_put(e->item);
	free(e);
}

void outbox_free(struct outbox *o)
{
	if (!o)
		return;
	o->keeps_spool = true;
	while (o->first)
		remove_entry(o, o->first);
	free(o);
}

/* Limits messages to one a minute. If it returns true, it sets *printed_ns to the current time. */
static bool may_print(uint64_t *printed_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (*printed_ns && now - *printed_ns < MESSAGE_NS)
		return false;
	*printed_ns = now;
	return true;
}

static void count_drop(struct outbox *o)
{
	o->counts->dropped++;
	if (may_print(&o->drop_printed_ns))
		warnx("%" PRIu64 " profiles for %s are lost: too many wait, or they are too old: "
		      "see why it takes none", o->counts->dropped, o->backend->name);
}

static bool is_full(const struct outbox *o, uint64_t bytes)
{
	return o->counts->waiting >= MAX_WAITING ||
		o->bytes + bytes > (o->spool ? MAX_SPOOL_BYTES : MAX_BYTES);
}

/*
 * Drops profiles that are too old. Then drops the oldest ones until there is room for a profile of
 * this size. Profiles that are being sent stay.
 */
static void drop_oldest(struct outbox *o, uint64_t bytes, uint64_t now_ns)
{
	struct entry *e = o->first, *next;

	for (; e; e = next) {
		next = e->next;
		if (e->is_sending)
			continue;
		if (!is_full(o, bytes) && e->came_ns + MAX_AGE_NS > now_ns)
			return;
		remove_entry(o, e);
		count_drop(o);
	}
}

/* Returns: the new entry at the end of the list, or NULL if memory is short. */
static struct entry *add_entry(struct outbox *o, uint64_t bytes, uint64_t came_ns)
{
	struct entry *e = calloc(1, sizeof(*e));

	if (!e) {
		o->counts->dropped++;
		return NULL;
	}
	*e = (struct entry){ .outbox = o, .bytes = bytes, .came_ns = came_ns };
	append(o, e);
	o->bytes += bytes;
	return e;
}

static void take_spooled(void *ctx, const struct spool_name *name, uint64_t bytes)
{
	struct outbox *o = ctx;
	struct entry *e = add_entry(o, bytes, spool_name_ns(name));

	if (!e)
		return;
	e->name = *name;
	o->counts->waiting++;
}

struct outbox *outbox_new(const struct push_backend *b, struct transfers *transfers,
			  struct spool *spool, struct outbox_counts *counts)
{
	struct outbox *o = malloc(sizeof(*o));
	int err;

	if (!o)
		return NULL;
	*o = (struct outbox){
		.backend = b, .transfers = transfers, .spool = spool, .counts = counts,
		.end = &o->first,
	};
	err = spool ? spool_list(spool, take_spooled, o) : 0;
	drop_oldest(o, 0, clock_ns(CLOCK_REALTIME));
	if (!err)
		return o;
	outbox_free(o);
	errno = -err;
	return NULL;
}

static int store(struct outbox *o, const struct push_item *item, struct entry *e)
{
	struct byte_buffer data = { 0 };
	int err = item_codec_encode(item, &data);

	if (!err)
		err = spool_add(o->spool, e->came_ns, &data, &e->name);
	if (err)
		e->name.text[0] = '\0';
	free(data.items);
	return err;
}

void outbox_add(struct outbox *o, struct push_item *item)
{
	uint64_t now_ns = clock_ns(CLOCK_REALTIME);
	struct entry *e;
	int err;

	drop_oldest(o, item->bytes.nr, now_ns);
	e = add_entry(o, item->bytes.nr, now_ns);
	if (!e)
		return;
	err = o->spool ? store(o, item, e) : 0;
	if (!e->name.text[0])
		e->item = push_item_get(item);
	if (err && !o->is_spool_broken)
		warnx("cannot store a profile in --push-spool: %s: free space there",
		      strerror(-err));
	o->is_spool_broken = err;
	/* It counts once it is stored: another process may read the count at any time. */
	o->counts->waiting++;
}

/* Messages */

static void report_refusal(struct outbox *o, const char *text)
{
	o->counts->refused++;
	if (may_print(&o->refusal_printed_ns))
		warnx("%s does not take a profile: %s: see its log%s", o->backend->name, text,
		      o->backend->kind < PUSH_OTLP ? ", or 'pprof-collect check --for'" : "");
}

/* Even if a backend fails and works in turn, at most one message a minute says that it fails. */
static void report_failure(struct outbox *o, enum push_verdict verdict, const char *text)
{
	bool is_new = !o->is_reported || (verdict == PUSH_DENIED && !o->is_denied);

	if (!is_new || (!o->is_reported && !may_print(&o->failure_printed_ns)))
		return;
	o->is_reported = true;
	if (verdict == PUSH_DENIED)
		warnx("cannot push to %s: %s: check the URL, --push-auth and the certificates",
		      o->backend->name, text);
	else
		warnx("cannot push to %s: %s: profiles wait, and are sent when it works again",
		      o->backend->name, text);
}

static void report_success(struct outbox *o)
{
	if (o->is_reported)
		warnx("%s takes profiles again: %" PRIu64 " waited", o->backend->name,
		      o->counts->waiting);
	o->is_reported = false;
}

/* Replies */

static void fail(struct outbox *o, enum push_verdict verdict, const struct push_reply *reply)
{
	uint32_t random = 0;

	getrandom(&random, sizeof(random), GRND_NONBLOCK);
	report_failure(o, verdict, reply->text);
	o->nr_failures++;
	o->counts->failures++;
	o->is_denied = verdict == PUSH_DENIED;
	o->not_before_ns = clock_ns(CLOCK_MONOTONIC) +
		push_backoff_ns(o->nr_failures, random, reply->retry_after_s);
}

static void take_reply(void *ctx, const struct push_reply *reply)
{
	struct entry *e = ctx;
	struct outbox *o = e->outbox;
	enum push_verdict verdict = push_verdict(o->backend->kind, reply);

	e->is_sending = false;
	o->nr_sending--;
	if (verdict == PUSH_UNSURE && ++e->nr_tries == PUSH_MAX_TRIES)
		verdict = PUSH_REFUSED;
	if (verdict == PUSH_UNSURE) {	/* this profile may be the cause: the others go first */
		unlink_entry(o, e);
		append(o, e);
	}
	if (verdict > PUSH_REFUSED) {
		fail(o, verdict, reply);
		return;
	}
	if (verdict == PUSH_REFUSED)
		report_refusal(o, reply->text);
	else
		o->counts->sent++;
	remove_entry(o, e);
	report_success(o);
	o->nr_failures = 0;
	o->is_denied = false;
	o->not_before_ns = 0;
}

/* Transfers */

/* Returns: the profile, which push_item_put() frees; or NULL if it is gone or damaged. */
static struct push_item *load(const struct outbox *o, const struct entry *e)
{
	struct byte_buffer data = { 0 };
	struct push_item *item = NULL;

	if (e->item)
		return push_item_get(e->item);
	if (!spool_read(o->spool, &e->name, &data))
		item = item_codec_decode(data.items, data.nr);
	free(data.items);
	return item;
}

/* Returns: 0; -ENODATA for an empty profile; or another negative errno, and *fault is set. */
static int start_item(struct outbox *o, struct entry *e, const struct push_item *item,
		      struct profile_fault *fault)
{
	struct push_request request = { 0 };
	int err = payload_request(o->backend, item, &request, fault);

	if (err) {
		push_request_fini(&request);
		return err;
	}
	err = transfers_start(o->transfers, o->backend, &request, take_reply, e);
	return err ? profile_fault_errno(fault, err) : 0;
}

static void start(struct outbox *o, struct entry *e)
{
	struct push_item *item = load(o, e);
	struct profile_fault fault;
	int err = item ? start_item(o, e, item, &fault) : -EIO;

	push_item_put(item);
	if (!err) {
		e->is_sending = true;
		o->nr_sending++;
		return;
	}
	if (err == -EBADMSG)
		report_refusal(o, fault.text);
	else if (err == -ENODATA)
		o->counts->sent++;
	else
		o->counts->dropped++;
	remove_entry(o, e);
}

void outbox_step(struct outbox *o, uint64_t now_ns)
{
	struct entry *e = o->first, *next;

	for (; e && now_ns >= o->not_before_ns; e = next) {
		next = e->next;
		if (o->nr_sending >= (o->nr_failures ? 1 : MAX_SENDING))
			return;
		if (!e->is_sending)
			start(o, e);
	}
}

uint64_t outbox_next_ns(const struct outbox *o)
{
	bool is_full = o->nr_sending >= (o->nr_failures ? 1 : MAX_SENDING);

	return is_full || o->counts->waiting == o->nr_sending ? UINT64_MAX : o->not_before_ns;
}

bool outbox_is_done(const struct outbox *o, uint64_t deadline_ns)
{
	if (o->nr_sending)
		return false;
	return !o->first || o->is_denied || o->not_before_ns > deadline_ns;
}
