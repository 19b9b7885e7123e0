// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_push.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/file_settings.h"
#include "cli/read_profiles.h"
#include "formats/profile_file.h"
#include "pprof/model.h"
#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"
#include "push/guess_type.h"
#include "push/outbox.h"
#include "push/profile_bytes.h"
#include "push/push_item.h"
#include "push/push_settings.h"
#include "push/transfers.h"
#include "run/privileges.h"

#define BOUND_NS	UINT64_C(30000000000)
#define NS_PER_MS	1000000

struct push {
	const struct push_settings *settings;
	struct transfers *transfers;
	struct outbox **outboxes;
	struct outbox_counts *counts;
};

static int make(struct push *p)
{
	size_t nr = p->settings->nr;

	p->transfers = transfers_new();
	p->outboxes = calloc(nr, sizeof(struct outbox *));
	p->counts = calloc(nr, sizeof(*p->counts));
	if (!p->transfers || !p->outboxes || !p->counts)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		p->outboxes[i] = outbox_new(&p->settings->backends[i], p->transfers, NULL,
					    &p->counts[i]);
		if (!p->outboxes[i])
			return -ENOMEM;
	}
	return 0;
}

static void fini(struct push *p)
{
	transfers_free(p->transfers);
	for (size_t i = 0; p->outboxes && i < p->settings->nr; i++)
		outbox_free(p->outboxes[i]);
	free(p->outboxes);
	free(p->counts);
}

/* service_name is the name of the first mapping, which is the program, unless --label sets it. */
static int set_labels(const struct push *p, const struct model *m, struct push_item *item)
{
	const char *path = m->mappings.nr ? model_string(m, m->mappings.items[0].file) : "";
	const char *name = basename(path);
	int err = *name ? push_labels_set(&item->labels, "service_name", name) : 0;

	return err ? err : push_labels_set_all(&item->labels, &p->settings->labels);
}

static int fill_item(const struct push *p, const struct model *m, const char *path,
		     struct push_item *item)
{
	item->type = strdup(guess_type(m, path));
	item->time_ns = m->time_ns;
	if (!item->type || profile_bytes_encode(m, &item->bytes))
		return -ENOMEM;
	return set_labels(p, m, item);
}

/* Returns: the profile, or NULL after it printed the cause. */
static struct push_item *read_item(const struct push *p, const char *path)
{
	struct push_item *item = NULL;
	struct profile_fault fault;
	struct model *m;
	int err = profile_file_read(path, PROFILE_INPUT_MAX_BYTES, &m, NULL, &fault);

	if (err) {
		read_profiles_print_fault(path, &fault, err);
		return NULL;
	}
	item = push_item_new();
	err = item ? fill_item(p, m, path, item) : -ENOMEM;
	model_free(m);
	if (!err && item->bytes.nr <= PUSH_ITEM_MAX_BYTES)
		return item;
	push_item_put(item);
	read_profiles_print_error(path, err == -E2BIG ? "has too many labels with those of --label: "
				  "give fewer" : err ? "out of memory: free memory" :
				  "is larger than the 64 MiB that backends take: filter it before",
				  err);
	return NULL;
}

/*
 * Starts the requests that are due, and waits for one to end. Those that are on their way at the
 * deadline go on: the backend works on them.
 * Returns: false if no profile waits that can be sent before the deadline.
 */
static bool step(const struct push *p, uint64_t deadline_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t next = now < deadline_ns ? deadline_ns : now + BOUND_NS;
	bool is_done = true;

	for (size_t i = 0; i < p->settings->nr; i++) {
		outbox_step(p->outboxes[i], now);
		is_done &= outbox_is_done(p->outboxes[i], deadline_ns);
		if (outbox_next_ns(p->outboxes[i]) < next)
			next = outbox_next_ns(p->outboxes[i]);
	}
	if (is_done)
		return false;
	now = clock_ns(CLOCK_MONOTONIC);
	transfers_wait(p->transfers, -1, next > now ? (next - now) / NS_PER_MS + 1 : 0);
	return true;
}

/* Returns: how many profiles the backends have not accepted, in all. */
static uint64_t nr_unsent(const struct push *p)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < p->settings->nr; i++)
		nr += p->counts[i].waiting + p->counts[i].dropped + p->counts[i].refused;
	return nr;
}

/* Returns: 0; -EREMOTEIO if a backend has not taken the file; or another negative errno. */
static int send_file(const struct push *p, const char *path)
{
	uint64_t deadline_ns = clock_ns(CLOCK_MONOTONIC) + BOUND_NS, before = nr_unsent(p);
	struct push_item *item = read_item(p, path);

	if (!item)
		return -EBADMSG;
	for (size_t i = 0; i < p->settings->nr; i++)
		outbox_add(p->outboxes[i], item);
	push_item_put(item);
	while (step(p, deadline_ns))
		;
	if (nr_unsent(p) == before)
		return 0;
	return read_profiles_print_error(path, "is not sent: send it again later", -EREMOTEIO);
}

static bool is_any_waiting(const struct push *p)
{
	for (size_t i = 0; i < p->settings->nr; i++)
		if (p->counts[i].waiting)
			return true;
	return false;
}

static int send_files(const struct push *p, const struct path_list *files)
{
	int result = 0;

	for (size_t i = 0; i < files->nr; i++) {
		int err = send_file(p, files->items[i]);

		result = err ? err : result;
		if (is_any_waiting(p) && i + 1 < files->nr) {
			warnx("the %zu files after it are not sent: send them again later",
			      files->nr - 1 - i);
			break;
		}
	}
	return result;
}

int cmd_push_run(const struct push_settings *s, const struct path_list *files)
{
	struct push p = { .settings = s };
	int err = push_settings_check(s);

	if (!err)
		err = privileges_seal_sender(true, NULL, 0);
	if (err)
		return err;
	err = make(&p);
	if (err)
		warnx("cannot send profiles: out of memory: free memory");
	else
		err = send_files(&p, files);
	fini(&p);
	return err;
}
