// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/outbox.c collector/push/push_item.c collector/push/push_labels.c
// sources: collector/push/push_request.c collector/push/byte_buffer.c collector/push/retry.c
// sources: collector/push/item_codec.c collector/push/spool.c
// sources: collector/pprof/profile_fault.c collector/pprof/protobuf.c collector/base/utf8.c
// libs: -lxxhash
/* The transfers are those of this test: it answers each of them when it wants to. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "pprof/profile_fault.h"
#include "push/outbox.h"
#include "push/payload.h"
#include "push/push_request.h"
#include "push/retry.h"
#include "push/spool.h"
#include "push/transfers.h"
#include "made_item.h"

#define S	UINT64_C(1000000000)

static struct push_backend backend = { .kind = PUSH_PYROSCOPE, .name = "pyroscope=http://a" };
static struct outbox_counts counts;
static struct outbox *outbox;

/* What is on its way, oldest first. */
static struct {
	transfer_done *done;
	void *ctx;
	char type[16];
} on_way[16];
static size_t nr_on_way;
static const char *next_type;
static int payload_error;

int payload_request(const struct push_backend *b, const struct push_item *item,
		    struct push_request *r, struct profile_fault *fault)
{
	assert_ptr_equal(b, &backend);
	next_type = item->type;
	(void)r;
	if (payload_error)
		profile_fault_set(fault, 0, "wrong: mend it");
	return payload_error;
}

int transfers_start(struct transfers *t, const struct push_backend *b, struct push_request *r,
		    transfer_done *done, void *ctx)
{
	(void)t;
	(void)b;
	(void)r;
	assert_true(nr_on_way < 16);
	on_way[nr_on_way].done = done;
	on_way[nr_on_way].ctx = ctx;
	strcpy(on_way[nr_on_way++].type, next_type);
	return 0;
}

/* Answers the oldest request. */
static void answer(const struct push_reply *reply)
{
	transfer_done *done = on_way[0].done;
	void *ctx = on_way[0].ctx;

	assert_true(nr_on_way > 0);
	memmove(&on_way[0], &on_way[1], --nr_on_way * sizeof(on_way[0]));
	done(ctx, reply);
}

static void answer_status(long status)
{
	answer(&(struct push_reply){ .status = status });
}

static void add(const char *type)
{
	struct push_item *item = made_item(type);

	outbox_add(outbox, item);
	push_item_put(item);
}

static uint64_t now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Steps when the outbox wants it. Returns: how far that is from now. */
static uint64_t step_when_due(void)
{
	uint64_t due = outbox_next_ns(outbox), at = now();

	assert_int_not_equal(due, UINT64_MAX);
	if (due)
		outbox_step(outbox, due - 1);
	assert_int_equal(nr_on_way, 0);
	outbox_step(outbox, due);
	return due > at ? due - at : 0;
}

static int setup(void **state)
{
	(void)state;
	counts = (struct outbox_counts){ 0 };
	nr_on_way = 0;
	payload_error = 0;
	backend.kind = PUSH_PYROSCOPE;
	outbox = outbox_new(&backend, NULL, NULL, &counts);
	return !outbox;
}

static int teardown(void **state)
{
	(void)state;
	outbox_free(outbox);
	assert_int_equal(counts.waiting, 0);
	return 0;
}

static void order(void **state)
{
	(void)state;
	for (const char *type = "abcdef"; *type; type++)
		add((char[]){ *type, '\0' });
	outbox_step(outbox, now());
	assert_int_equal(nr_on_way, 4);
	assert_string_equal(on_way[0].type, "a");
	assert_string_equal(on_way[3].type, "d");
	assert_int_equal(outbox_next_ns(outbox), UINT64_MAX);
	answer_status(200);
	outbox_step(outbox, now());
	assert_string_equal(on_way[3].type, "e");
	while (nr_on_way)
		answer_status(200);
	outbox_step(outbox, now());
	answer_status(200);
	assert_int_equal(counts.sent, 6);
	assert_int_equal(counts.waiting, 0);
	assert_true(outbox_is_done(outbox, now()));
}

/* One try at a time while the backend is down, the oldest first, and all after it came back. */
static void outage(void **state)
{
	uint64_t waited = 0;

	(void)state;
	for (const char *type = "abcdef"; *type; type++)
		add((char[]){ *type, '\0' });
	outbox_step(outbox, now());
	for (int i = 0; i < 4; i++)
		answer(&(struct push_reply){ .outcome = PUSH_NO_ANSWER, .text = "down" });
	for (int i = 0; i < 40; i++) {
		uint64_t ns = step_when_due();

		assert_int_equal(nr_on_way, 1);
		assert_string_equal(on_way[0].type, "a");
		assert_in_range(ns, waited / 4, 301 * S);
		waited = ns;
		answer_status(i % 2 ? 503 : 429);
	}
	assert_true(waited > 100 * S);
	assert_true(outbox_is_done(outbox, now() + 50 * S));
	assert_false(outbox_is_done(outbox, now() + 400 * S));
	step_when_due();
	answer_status(200);
	outbox_step(outbox, now());
	assert_int_equal(nr_on_way, 4);
	while (nr_on_way)
		answer_status(200);
	assert_int_equal(counts.sent, 5);
	assert_int_equal(counts.failures, 44);
	assert_int_equal(counts.dropped + counts.refused, 0);
}

static void retry_after(void **state)
{
	(void)state;
	add("a");
	outbox_step(outbox, now());
	answer(&(struct push_reply){ .status = 429, .retry_after_s = 77 });
	assert_in_range(step_when_due(), 76 * S, 77 * S);
	answer_status(200);
}

/* A profile that makes the backend fail does not stop the others. */
static void poison(void **state)
{
	(void)state;
	add("bad");
	for (int i = 1; i <= PUSH_MAX_TRIES; i++) {
		outbox_step(outbox, outbox_next_ns(outbox));
		assert_string_equal(on_way[0].type, "bad");
		add("good");
		answer_status(500);
		assert_int_equal(counts.refused, i == PUSH_MAX_TRIES);
		step_when_due();
		assert_string_equal(on_way[0].type, "good");
		answer_status(200);
	}
	assert_int_equal(counts.sent, PUSH_MAX_TRIES);
	assert_int_equal(counts.waiting, 0);
}

static void refusal(void **state)
{
	(void)state;
	add("a");
	add("b");
	outbox_step(outbox, now());
	answer_status(422);
	answer_status(200);
	assert_int_equal(counts.refused, 1);
	assert_int_equal(counts.sent, 1);
	payload_error = -EBADMSG;
	add("c");
	outbox_step(outbox, now());
	assert_int_equal(nr_on_way, 0);
	assert_int_equal(counts.refused, 2);
	payload_error = -ENOMEM;
	add("d");
	outbox_step(outbox, now());
	assert_int_equal(counts.dropped, 1);
	assert_int_equal(counts.waiting, 0);
}

/* A person must mend it: the profile waits, but a run does not wait for it at its end. */
static void denial(void **state)
{
	(void)state;
	add("a");
	outbox_step(outbox, now());
	assert_false(outbox_is_done(outbox, now() + 1000 * S));
	answer_status(401);
	assert_int_equal(counts.waiting, 1);
	assert_true(outbox_is_done(outbox, now() + 1000 * S));
	step_when_due();
	answer_status(200);
	assert_int_equal(counts.sent, 1);
}

static void full(void **state)
{
	(void)state;
	add("first");
	outbox_step(outbox, now());
	for (int i = 0; i < 4096; i++)
		add(i ? "late" : "second");
	assert_int_equal(counts.waiting, 4096);
	assert_int_equal(counts.dropped, 1);
	answer_status(200);
	outbox_step(outbox, now());
	assert_string_equal(on_way[0].type, "late");
	nr_on_way = 0;
}

/* 64 MiB at most, and what is on its way stays. */
static void full_of_bytes(void **state)
{
	struct push_item *big = made_item("big");

	(void)state;
	big->bytes.nr = PUSH_ITEM_MAX_BYTES / 4;
	for (int i = 0; i < 4; i++)
		outbox_add(outbox, big);
	outbox_step(outbox, now());
	assert_int_equal(counts.dropped, 0);
	outbox_add(outbox, big);
	assert_int_equal(counts.dropped, 0);
	outbox_add(outbox, big);
	assert_int_equal(counts.dropped, 1);
	assert_int_equal(counts.waiting, 5);
	big->bytes.nr = 7;
	nr_on_way = 0;
	push_item_put(big);
}

/* With a spool */

static char path[64];
static int dir;
static struct spool *spool;

static int setup_spool(void **state)
{
	strcpy(path, "/tmp/test_outbox.XXXXXX");
	if (!mkdtemp(path))
		return -1;
	dir = open(path, O_RDONLY | O_DIRECTORY);
	backend.url = "http://a";
	if (spool_make(dir, &backend))
		return -1;
	spool = spool_open(dir, &backend);
	return !spool || setup(state);
}

static int teardown_spool(void **state)
{
	char command[96];
	int result = teardown(state);

	spool_close(spool);
	close(dir);
	snprintf(command, sizeof(command), "rm -r %s", path);
	return result || system(command);
}

static void count_entry(void *ctx, const struct spool_name *name, uint64_t bytes)
{
	(void)name;
	(void)bytes;
	++*(size_t *)ctx;
}

static size_t nr_spooled(void)
{
	size_t nr = 0;

	assert_int_equal(spool_list(spool, count_entry, &nr), 0);
	return nr;
}

/* Begins anew with what is in the spool. */
static void restart(void)
{
	outbox_free(outbox);
	assert_int_equal(counts.waiting, 0);
	counts = (struct outbox_counts){ 0 };
	nr_on_way = 0;
	outbox = outbox_new(&backend, NULL, spool, &counts);
	assert_non_null(outbox);
}

static void kept_in_the_spool(void **state)
{
	(void)state;
	restart();
	add("a");
	add("b");
	outbox_step(outbox, now());
	assert_int_equal(nr_spooled(), 2);
	answer_status(200);
	assert_int_equal(nr_spooled(), 1);
	answer_status(503);
	restart();
	assert_int_equal(nr_spooled(), 1);
	assert_int_equal(counts.waiting, 1);
	outbox_step(outbox, now());
	assert_string_equal(on_way[0].type, "b");
	answer_status(400);
	assert_int_equal(nr_spooled(), 0);
}

/* Adds a file of so many bytes, without content, that came so long ago. */
static void add_file(uint64_t bytes, uint64_t age_s)
{
	char name[160];
	int fd;

	snprintf(name, sizeof(name), "%s/pyroscope-b86111fc2ae2854f/%020llu", path,
		 (unsigned long long)(clock_ns(CLOCK_REALTIME) - age_s * S));
	fd = open(name, O_CREAT | O_WRONLY | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	close(fd);
}

static void old_and_damaged(void **state)
{
	(void)state;
	add_file(100, 86400 + 60);
	add_file(100, 86400 - 60);
	restart();
	assert_int_equal(counts.dropped, 1);
	assert_int_equal(counts.waiting, 1);
	outbox_step(outbox, now());
	assert_int_equal(counts.dropped, 2);
	assert_int_equal(nr_on_way, 0);
	assert_int_equal(nr_spooled(), 0);
}

static void full_spool(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		add_file(64 << 20, 100 - i);
	restart();
	assert_int_equal(counts.dropped, 1);
	assert_int_equal(nr_spooled(), 4);
	add("a");
	assert_int_equal(counts.dropped, 2);
	assert_int_equal(nr_spooled(), 4);
}

/* A disk without room: the profile stays in memory, and is sent. */
static void broken_spool(void **state)
{
	char command[96];

	(void)state;
	restart();
	snprintf(command, sizeof(command), "rm -r %s", path);
	assert_int_equal(system(command), 0);
	add("a");
	outbox_step(outbox, now());
	assert_string_equal(on_way[0].type, "a");
	answer_status(200);
	assert_int_equal(counts.sent, 1);
	assert_int_equal(mkdir(path, 0700), 0);
}

#define SPOOL_TEST(test)	cmocka_unit_test_setup_teardown(test, setup_spool, teardown_spool)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(order, setup, teardown),
		cmocka_unit_test_setup_teardown(outage, setup, teardown),
		cmocka_unit_test_setup_teardown(retry_after, setup, teardown),
		cmocka_unit_test_setup_teardown(poison, setup, teardown),
		cmocka_unit_test_setup_teardown(refusal, setup, teardown),
		cmocka_unit_test_setup_teardown(denial, setup, teardown),
		cmocka_unit_test_setup_teardown(full, setup, teardown),
		cmocka_unit_test_setup_teardown(full_of_bytes, setup, teardown),
		SPOOL_TEST(kept_in_the_spool), SPOOL_TEST(old_and_damaged),
		SPOOL_TEST(full_spool), SPOOL_TEST(broken_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
