// SPDX-License-Identifier: GPL-2.0
#include "push/sender.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "push/item_codec.h"
#include "push/push_item.h"
#include "push/push_settings.h"
#include "push/spool.h"
#include "push/transfers.h"

#define END_NS		UINT64_C(30000000000)
#define NS_PER_MS	1000000
#define MAX_WAIT_NS	(UINT64_C(3600000) * NS_PER_MS)

struct sender {
	const struct push_settings *settings;
	int socket;			/* -1: the other side is closed */
	struct transfers *transfers;
	struct spool **spools;
	struct outbox **outboxes;
	struct outbox_counts *counts;
	uint64_t deadline_ns;		/* CLOCK_MONOTONIC; UINT64_MAX: no end was asked for */
	uint64_t nr_unread;		/* files that could not be read */
	uint8_t message[SENDER_MAX_MESSAGE];
};

int sender_prepare(const struct push_settings *settings, int folder)
{
	int err = 0;

	for (size_t i = 0; folder >= 0 && !err && i < settings->nr; i++)
		err = spool_make(folder, &settings->backends[i]);
	if (err)
		warnx("cannot write into %s: %s: give another --push-spool", settings->spool,
		      strerror(-err));
	return err ? -1 : 0;
}

static int make_outbox(struct sender *s, size_t i, int folder)
{
	const struct push_backend *b = &s->settings->backends[i];

	if (folder >= 0) {
		s->spools[i] = spool_open(folder, b);
		if (!s->spools[i])
			return -errno;
	}
	s->outboxes[i] = outbox_new(b, s->transfers, s->spools[i], &s->counts[i]);
	return s->outboxes[i] ? 0 : -errno;
}

static int make(struct sender *s, int folder)
{
	size_t nr = s->settings->nr;
	int err = 0;

	s->transfers = transfers_new();
	s->spools = calloc(nr, sizeof(struct spool *));
	s->outboxes = calloc(nr, sizeof(struct outbox *));
	if (!s->transfers || !s->spools || !s->outboxes)
		return -ENOMEM;
	for (size_t i = 0; !err && i < nr; i++)
		err = make_outbox(s, i, folder);
	return err;
}

static void fini(struct sender *s)
{
	transfers_free(s->transfers);
	for (size_t i = 0; i < s->settings->nr; i++) {
		if (s->outboxes)
			outbox_free(s->outboxes[i]);
		if (s->spools)
			spool_close(s->spools[i]);
	}
	free(s->spools);
	free(s->outboxes);
}

/*
 * Reads the whole file into b. Uses pread(): the parent shares the offset of the file.
 * Returns: 0, or a negative errno.
 */
static int read_file(int fd, struct byte_buffer *b)
{
	struct stat st;
	ssize_t nr;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_size <= 0)
		return -ENODATA;
	if (st.st_size > PUSH_ITEM_MAX_BYTES)
		return -EFBIG;
	b->items = array_grow(b->items, &b->room, st.st_size, 1);
	if (!b->items)
		return -ENOMEM;
	while (b->nr < (size_t)st.st_size) {
		nr = pread(fd, b->items + b->nr, st.st_size - b->nr, b->nr);
		if (nr <= 0)
			return nr ? -errno : -EIO;
		b->nr += nr;
	}
	return 0;
}

static void take_profile(struct sender *s, const uint8_t *data, size_t len, int fd)
{
	struct push_item *item = item_codec_decode(data, len);
	int err = item ? fd < 0 ? -EBADF : read_file(fd, &item->bytes) : -errno;

	if (err) {
		warnx("a profile is not sent: cannot read it: %s: send its file later with "
		      "'pprof-collect push'", strerror(-err));
		s->nr_unread++;
	}
	for (size_t i = 0; !err && i < s->settings->nr; i++)
		if (push_item_is_for(item, s->settings->backends[i].kind))
			outbox_add(s->outboxes[i], item);
	push_item_put(item);
}

static void ask_end(struct sender *s, uint64_t ns)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + ns;

	if (deadline_ns < s->deadline_ns)
		s->deadline_ns = deadline_ns;
}

static void take_message(struct sender *s, size_t len, int fd)
{
	if (!len)
		s->socket = -1;
	if (!len || s->message[0] == SENDER_END)
		ask_end(s, END_NS);
	else if (s->message[0] == SENDER_END_NOW)
		ask_end(s, 0);
	else
		take_profile(s, s->message + 1, len - 1, fd);
}

/* Returns: the descriptor of a message, which the caller closes, or -1. */
static int fd_of(struct msghdr *message)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(message);
	int fd = -1;

	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(fd)))
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Takes a message, if there is one. Returns: false if there is none, or the socket is closed. */
static bool receive(struct sender *s)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { s->message, sizeof(s->message) };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(s->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int fd;

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	fd = len < 0 ? -1 : fd_of(&message);
	take_message(s, len < 0 ? 0 : len, fd);
	if (fd >= 0)
		close(fd);
	return s->socket >= 0;
}

/* Starts the requests that are due. Returns: when there is work next, on the clock of now. */
static uint64_t step(struct sender *s, uint64_t now)
{
	uint64_t next = s->deadline_ns < now + MAX_WAIT_NS ? s->deadline_ns : now + MAX_WAIT_NS;

	for (size_t i = 0; i < s->settings->nr; i++) {
		outbox_step(s->outboxes[i], now);
		if (outbox_next_ns(s->outboxes[i]) < next)
			next = outbox_next_ns(s->outboxes[i]);
	}
	return next;
}

static bool is_done(const struct sender *s, uint64_t now)
{
	if (s->deadline_ns == UINT64_MAX)
		return false;
	if (now >= s->deadline_ns)
		return true;
	for (size_t i = 0; i < s->settings->nr; i++)
		if (!outbox_is_done(s->outboxes[i], s->deadline_ns))
			return false;
	return true;
}

static void loop(struct sender *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), next;
	int wait_ms;

	while (!is_done(s, now)) {
		next = step(s, now);
		now = clock_ns(CLOCK_MONOTONIC);
		wait_ms = next > now ? (next - now) / NS_PER_MS + 1 : 0;
		transfers_wait(s->transfers, s->socket, wait_ms);
		while (s->socket >= 0 && receive(s))
			;
		now = clock_ns(CLOCK_MONOTONIC);
	}
}

/*
 * Prints how many profiles a backend has not accepted. If no try has failed, no message has said
 * why. Returns: is there one?
 */
static bool report_rest(const struct sender *s, size_t i)
{
	const struct outbox_counts *c = &s->counts[i];
	const char *name = s->settings->backends[i].name;
	const char *cause = c->failures ? "" : " (no answer yet)";

	if (c->waiting && s->spools[i])
		warnx("%" PRIu64 " profiles for %s%s wait in --push-spool: the next run sends them",
		      c->waiting, name, cause);
	else if (c->waiting)
		warnx("%" PRIu64 " profiles are not sent to %s%s: send their files later with "
		      "'pprof-collect push'", c->waiting, name, cause);
	if (c->refused + c->dropped)
		warnx("%s has not taken %" PRIu64 " profiles, and %" PRIu64 " are lost: see the "
		      "messages above", name, c->refused, c->dropped);
	return c->waiting || c->refused || c->dropped;
}

int sender_run(const struct push_settings *settings, int socket, int folder,
	       struct outbox_counts *counts)
{
	struct sender s = {
		.settings = settings, .socket = socket, .counts = counts, .deadline_ns = UINT64_MAX,
	};
	int err = make(&s, folder);
	bool has_rest;

	if (err) {
		warnx("cannot send profiles: %s: free memory, or give another --push-spool",
		      strerror(-err));
		fini(&s);
		return -1;
	}
	loop(&s);
	has_rest = s.nr_unread;
	for (size_t i = 0; i < settings->nr; i++)
		has_rest |= report_rest(&s, i);
	fini(&s);
	return has_rest ? -1 : 0;
}
