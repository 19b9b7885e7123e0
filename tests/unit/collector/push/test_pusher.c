// SPDX-License-Identifier: GPL-2.0
// sources: collector/push/pusher.c collector/push/sender.c collector/push/outbox.c
// sources: collector/push/item_codec.c collector/push/spool.c collector/push/retry.c
// sources: collector/push/push_item.c collector/push/push_labels.c collector/push/push_settings.c
// sources: collector/push/push_request.c collector/push/byte_buffer.c collector/push/backend.c
// sources: collector/push/libcurl.c
// sources: collector/base/library.c collector/base/libgnutls.c
// sources: collector/push/auth_file.c collector/push/url_template.c
// sources: collector/pprof/profile_fault.c collector/pprof/protobuf.c collector/base/utf8.c
// sources: collector/base/write_folders.c
// libs: -lxxhash
/*
 * The process is real, and so are its socket and its spool. The network is this file: the test says
 * in shared memory how the backend answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/write_folders.h"
#include "pprof/profile_fault.h"
#include "push/payload.h"
#include "push/push_request.h"
#include "push/push_settings.h"
#include "push/pusher.h"
#include "push/retry.h"
#include "push/transfers.h"
#include "capture.h"
#include "made_item.h"

#define NEVER	(-1)

struct shared {
	int status;			/* of the answer, or NEVER */
	int seal_error;
	int nr_fds;			/* that the child had open when it was sealed */
	int nr_requests;
	char body[64];			/* of the last request */
	char service[64];
};

static struct shared *shared;

static char folder[64];
static char spool[96];
static struct push_backend backend = {
	.kind = PUSH_PYROSCOPE, .name = "pyroscope=http://a", .url = "http://a",
};

static struct push_settings settings = { .backends = &backend, .nr = 1 };

/* The network */

static struct {
	transfer_done *done;
	void *ctx;
} on_way[64];

static size_t nr_on_way;

struct transfers *transfers_new(void)
{
	return (struct transfers *)on_way;
}

void transfers_free(struct transfers *t)
{
	(void)t;
}

int payload_request(const struct push_backend *b, const struct push_item *item,
		    struct push_request *r, struct profile_fault *fault)
{
	assert_string_equal(b->name, backend.name);
	(void)r;
	(void)fault;
	snprintf(shared->body, sizeof(shared->body), "%s %.*s", item->type, (int)item->bytes.nr,
		 item->bytes.items);
	snprintf(shared->service, sizeof(shared->service), "%s",
		 push_labels_get(&item->labels, "service_name"));
	return 0;
}

int transfers_start(struct transfers *t, const struct push_backend *b, struct push_request *r,
		    transfer_done *done, void *ctx)
{
	(void)t;
	(void)b;
	(void)r;
	on_way[nr_on_way].done = done;
	on_way[nr_on_way++].ctx = ctx;
	__atomic_add_fetch(&shared->nr_requests, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void transfers_wait(struct transfers *t, int fd, int timeout_ms)
{
	int status = __atomic_load_n(&shared->status, __ATOMIC_SEQ_CST);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)t;
	if (!nr_on_way || status == NEVER) {
		poll(&p, 1, timeout_ms);
		return;
	}
	nr_on_way--;
	on_way[nr_on_way].done(on_way[nr_on_way].ctx, &(struct push_reply){ .status = status });
}

/* The parent */

static int count_fds(void)
{
	int nr = 0;

	for (int fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static int seal(int fd)
{
	assert_int_equal(fd >= 0, !!settings.spool);
	shared->nr_fds = count_fds();
	write_folders_only(&fd, 1);	/* as in the collector; 5.10 has no Landlock */
	return shared->seal_error;
}

/* Writes a file with this content, hands it over, and removes it. */
static int hand_over_as(struct pusher *p, const char *type, bool is_in_heap, const char *content)
{
	struct push_item *item = made_item(type);
	char path[96];
	int fd, err;

	snprintf(path, sizeof(path), "%s/profile", folder);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	item->bytes.nr = 0;
	item->is_in_heap = is_in_heap;
	err = pusher_hand_over(p, item, fd);
	close(fd);
	assert_int_equal(unlink(path), 0);
	push_item_put(item);
	return err;
}

static int hand_over(struct pusher *p, const char *content)
{
	return hand_over_as(p, "cpu", false, content);
}

/* Waits until a counter in shared memory has a value. The child changes it. */
static void wait_for(const uint64_t *counter, uint64_t value)
{
	while (__atomic_load_n(counter, __ATOMIC_SEQ_CST) != value)
		usleep(1000);
}

static void sends(void **state)
{
	int fd = open("/dev/null", O_RDONLY);
	struct pusher *p = pusher_start(&settings, seal);

	(void)state;
	assert_non_null(p);
	assert_int_equal(hand_over(p, "first"), 0);
	wait_for(&pusher_counts(p, 0)->sent, 1);
	assert_string_equal(shared->body, "cpu first");
	assert_string_equal(shared->service, "shop");
	assert_int_equal(shared->nr_fds, 4);	/* the standard ones and the socket */
	assert_int_equal(hand_over(p, "second"), 0);
	wait_for(&pusher_counts(p, 0)->sent, 2);
	assert_string_equal(shared->body, "cpu second");
	assert_int_equal(pusher_end(p), 0);
	close(fd);
}

/* The end sends what is there, and does not wait for what a person must mend. */
/* heap and allocs of one run have the same values: the backend gets them once. */
static void sends_values_once(void **state)
{
	struct pusher *p = pusher_start(&settings, seal);

	(void)state;
	assert_non_null(p);
	assert_int_equal(hand_over_as(p, "heap", false, "first"), 0);
	assert_int_equal(hand_over_as(p, "allocs", true, "again"), 0);
	assert_int_equal(hand_over_as(p, "allocs", false, "alone"), 0);
	wait_for(&pusher_counts(p, 0)->sent, 2);
	assert_int_equal(pusher_end(p), 0);
	assert_int_equal(shared->nr_requests, 2);
}

static void ends(void **state)
{
	struct pusher *p = pusher_start(&settings, seal);

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(hand_over(p, "x"), 0);
	assert_int_equal(pusher_end(p), 0);
	assert_int_equal(shared->nr_requests, 20);
	shared->status = 403;
	p = pusher_start(&settings, seal);
	assert_int_equal(hand_over(p, "x"), 0);
	assert_int_equal(pusher_end(p), -1);
	shared->status = 400;
	p = pusher_start(&settings, seal);
	assert_int_equal(hand_over(p, "x"), 0);
	assert_int_equal(pusher_end(p), -1);
}

static void ends_at_once(void **state)
{
	struct capture messages;
	struct pusher *p;
	struct pollfd fd = { .events = POLLIN };

	(void)state;
	capture_begin(&messages, STDERR_FILENO);
	p = pusher_start(&settings, seal);
	fd.fd = pusher_fd(p);
	shared->status = NEVER;
	assert_int_equal(hand_over(p, "x"), 0);
	wait_for(&pusher_counts(p, 0)->waiting, 1);
	pusher_ask_end(p, false);
	assert_int_equal(poll(&fd, 1, 100), 0);
	pusher_ask_end(p, true);
	assert_int_equal(poll(&fd, 1, -1), 1);
	assert_int_equal(pusher_end(p), -1);
	assert_sentence(capture_end(&messages), "not sent to pyroscope=http://a (no answer yet): send");
}

/* A backend that never answers takes no time of the run: the socket takes it, or refuses. */
static void slow(void **state)
{
	struct pusher *p = pusher_start(&settings, seal);
	int nr = 0, err;

	(void)state;
	shared->status = NEVER;
	for (nr = 0; nr < 5000; nr++) {
		err = hand_over(p, "x");
		assert_true(!err || err == -EAGAIN);
		if (err)
			usleep(1000);
	}
	wait_for(&pusher_counts(p, 0)->waiting, 4096);
	pusher_ask_end(p, true);
	assert_int_equal(pusher_end(p), -1);
}

static void dies(void **state)
{
	struct pusher *p;
	int err;

	(void)state;
	shared->seal_error = -1;
	p = pusher_start(&settings, seal);
	do
		err = hand_over(p, "x");
	while (!err || err == -EAGAIN);
	assert_true(err == -EPIPE || err == -ECONNRESET);
	assert_int_equal(pusher_end(p), -1);
}

/* What is left goes to the spool, and the next run sends it before its own, even after kill -9. */
static void spooled(void **state)
{
	const struct outbox_counts *counts;
	struct pusher *p;

	(void)state;
	settings.spool = spool;
	shared->status = 503;
	p = pusher_start(&settings, seal);
	assert_int_equal(hand_over(p, "first"), 0);
	assert_int_equal(hand_over(p, "second"), 0);
	wait_for(&pusher_counts(p, 0)->waiting, 2);
	assert_int_equal(shared->nr_fds, 5);
	pusher_ask_end(p, true);
	assert_int_equal(pusher_end(p), -1);

	shared->status = NEVER;
	shared->nr_requests = 0;
	p = pusher_start(&settings, seal);
	counts = pusher_counts(p, 0);
	wait_for(&counts->waiting, 2);
	assert_int_equal(hand_over(p, "third"), 0);
	wait_for(&counts->waiting, 3);
	assert_int_equal(kill(*(pid_t *)p, SIGKILL), 0);	/* the first member */
	assert_int_equal(pusher_end(p), -1);

	shared->status = 200;
	p = pusher_start(&settings, seal);
	counts = pusher_counts(p, 0);
	wait_for(&counts->sent, 3);
	assert_string_equal(shared->body, "cpu third");
	assert_string_equal(shared->service, "shop");
	assert_int_equal(pusher_end(p), 0);

	p = pusher_start(&settings, seal);
	assert_int_equal(pusher_end(p), 0);
	assert_int_equal(rmdir(spool), -1);
}

static void spool_in_use(void **state)
{
	struct pusher *p;

	(void)state;
	settings.spool = spool;
	p = pusher_start(&settings, seal);
	assert_non_null(p);
	assert_null(pusher_start(&settings, seal));
	assert_int_equal(pusher_end(p), 0);
	p = pusher_start(&settings, seal);
	assert_non_null(p);
	assert_int_equal(pusher_end(p), 0);
	settings.spool = "/nonexistent/x";
	assert_null(pusher_start(&settings, seal));
}

/* What is no file, or an empty one, is told and counted. */
static void no_file(void **state)
{
	struct pusher *p = pusher_start(&settings, seal);
	struct push_item *item = made_item("cpu");
	int fd = open("/", O_RDONLY);

	(void)state;
	assert_int_equal(hand_over(p, ""), 0);
	assert_int_equal(pusher_hand_over(p, item, fd), 0);
	assert_int_equal(pusher_end(p), -1);
	assert_int_equal(shared->nr_requests, 0);
	push_item_put(item);
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/test_pusher.XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(spool, sizeof(spool), "%s/spool", folder);
	settings.spool = NULL;
	*shared = (struct shared){ .status = 200 };
	return mkdir(spool, 0700);
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sends, setup, teardown),
		cmocka_unit_test_setup_teardown(sends_values_once, setup, teardown),
		cmocka_unit_test_setup_teardown(ends, setup, teardown),
		cmocka_unit_test_setup_teardown(ends_at_once, setup, teardown),
		cmocka_unit_test_setup_teardown(slow, setup, teardown),
		cmocka_unit_test_setup_teardown(dies, setup, teardown),
		cmocka_unit_test_setup_teardown(spooled, setup, teardown),
		cmocka_unit_test_setup_teardown(spool_in_use, setup, teardown),
		cmocka_unit_test_setup_teardown(no_file, setup, teardown),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
