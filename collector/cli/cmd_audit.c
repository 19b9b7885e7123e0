// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_audit.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/end_reason.h"
#include "device/error_text.h"
#include "base/json.h"
#include "procfs/time_namespace.h"
#include "base/utf8.h"

#define NS_PER_S	1000000000ULL
#define NS_PER_US	1000
#define TEXT_INDENT	"        "

struct audit {
	const struct audit_config *config;
	FILE *out;
	struct netlink *listener;
	struct netlink *asker;
	uint64_t wall_offset_ns;
	bool started;		/* next_seq is known */
	uint64_t next_seq;
	uint64_t nr_printed;
	uint64_t nr_missed;
	struct audit_frame frames[AUDIT_MAX_FRAMES];
};

static time_t wall_seconds(const struct audit *a, const struct netlink_thread *t, long *ns)
{
	uint64_t wall_ns = t->time_ns + a->wall_offset_ns;

	*ns = wall_ns % NS_PER_S;
	return wall_ns / NS_PER_S;
}

/* Fills a->frames: with symbols, or with bare addresses if there are none. Returns their number. */
static uint32_t name_frames(struct audit *a, const struct netlink_thread *t)
{
	const struct audit_config *c = a->config;
	int nr = 0;

	if (c->name_stack && t->nr_frames)
		nr = c->name_stack(c->name_ctx, t->pid, t->exec_id, t->frames, t->nr_frames,
				   a->frames, AUDIT_MAX_FRAMES);
	if (nr > 0)
		return nr;
	for (uint32_t i = 0; i < t->nr_frames; i++)
		a->frames[i] = (struct audit_frame){ .address = t->frames[i] };
	return t->nr_frames;
}

/* Any user may have written the file that has these names: utf8_print() escapes them. */
static void print_text_frame(FILE *out, const struct audit_frame *f)
{
	fprintf(out, TEXT_INDENT "0x%016" PRIx64, f->address);
	if (f->function) {
		fputs("  ", out);
		utf8_print(out, f->function);
	}
	if (f->file) {
		fputs("  ", out);
		utf8_print(out, f->file);
		if (f->line)
			fprintf(out, ":%" PRIu32, f->line);
	}
	putc('\n', out);
}

static void print_text_stack(struct audit *a, const struct netlink_thread *t)
{
	uint32_t nr = name_frames(a, t);

	for (uint32_t i = 0; i < nr; i++)
		print_text_frame(a->out, &a->frames[i]);
	if (end_reason_name(t->end_reason))
		fprintf(a->out, TEXT_INDENT "[truncated: %s]\n", end_reason_name(t->end_reason));
}

/* The comm comes last: it may have spaces. */
static void print_text(struct audit *a, const struct netlink_thread *t)
{
	char when[sizeof("2000-01-01 00:00:00")] = "";
	struct tm local = { 0 };
	long ns;
	time_t seconds = wall_seconds(a, t, &ns);

	localtime_r(&seconds, &local);
	strftime(when, sizeof(when), "%F %T", &local);
	fprintf(a->out, "%s.%06ld  %7" PRIu32 "  %7" PRIu32 "  %7" PRIu32 "  %6" PRIu32 "  ", when,
		ns / NS_PER_US, t->pid, t->tid, t->new_tid, t->uid);
	utf8_print(a->out, t->comm);
	putc('\n', a->out);
	if (a->config->stacks)
		print_text_stack(a, t);
}

/* Addresses are strings: many JSON readers keep numbers as doubles, with 53 bits. */
static void print_json_frame(FILE *out, const struct audit_frame *f)
{
	fprintf(out, "{\"address\":\"0x%" PRIx64 "\"", f->address);
	if (f->function) {
		fputs(",\"function\":", out);
		json_string(out, f->function);
	}
	if (f->file) {
		fputs(",\"file\":", out);
		json_string(out, f->file);
	}
	if (f->line)
		fprintf(out, ",\"line\":%" PRIu32, f->line);
	putc('}', out);
}

static void print_json_stack(struct audit *a, const struct netlink_thread *t)
{
	uint32_t nr = name_frames(a, t);

	fputs(",\"stack\":[", a->out);
	for (uint32_t i = 0; i < nr; i++) {
		if (i)
			putc(',', a->out);
		print_json_frame(a->out, &a->frames[i]);
	}
	putc(']', a->out);
	if (end_reason_name(t->end_reason))
		fprintf(a->out, ",\"truncated\":\"%s\"", end_reason_name(t->end_reason));
}

static void print_json(struct audit *a, const struct netlink_thread *t)
{
	char when[sizeof("2000-01-01T00:00:00")] = "";
	struct tm utc = { 0 };
	long ns;
	time_t seconds = wall_seconds(a, t, &ns);

	gmtime_r(&seconds, &utc);
	strftime(when, sizeof(when), "%FT%T", &utc);
	fprintf(a->out, "{\"time\":\"%s.%09ldZ\",\"time_ns\":%" PRIu64 ",\"seq\":%" PRIu64, when,
		ns, t->time_ns, t->seq);
	fprintf(a->out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"uid\":%" PRIu32
		",\"new_tid\":%" PRIu32 ",\"exec_id\":%" PRIu64 ",\"comm\":",
		t->pid, t->tid, t->uid, t->new_tid, t->exec_id);
	json_string(a->out, t->comm);
	if (a->config->stacks)
		print_json_stack(a, t);
	fputs("}\n", a->out);
}

/*
 * Returns how many creations before seq were missed. The first number is where the count begins. A
 * number lower than the last one begins a new count: the module was loaded again.
 */
static uint64_t take_seq(struct audit *a, uint64_t seq)
{
	uint64_t missed = a->started && seq > a->next_seq ? seq - a->next_seq : 0;

	a->started = true;
	a->next_seq = seq + 1;
	return missed;
}

/*
 * Compares only the characters that the kernel keeps of a comm. So the full name of a program also
 * matches.
 */
static bool is_wanted(const struct audit_config *c, const struct netlink_thread *t)
{
	if (c->pid && (uint32_t)c->pid != t->pid)
		return false;
	return !c->comm || !strncmp(c->comm, t->comm, PPROF_COMM_LEN - 1);
}

static void print_missed(struct audit *a, uint64_t missed)
{
	a->nr_missed += missed;
	if (missed)
		fprintf(a->out, a->config->json ? "{\"missed\":%" PRIu64 "}\n"
						: "missed %" PRIu64 "\n", missed);
}

/* A gap is printed even if the filters exclude t: they might have let a missed creation pass. */
void audit_take(struct audit *a, const struct netlink_thread *t)
{
	print_missed(a, take_seq(a, t->seq));
	if (!is_wanted(a->config, t))
		return;
	a->nr_printed++;
	if (a->config->json)
		print_json(a, t);
	else
		print_text(a, t);
}

struct audit *audit_new(const struct audit_config *config, FILE *out, uint64_t wall_offset_ns)
{
	struct audit *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->config = config;
	a->out = out;
	a->wall_offset_ns = wall_offset_ns;
	return a;
}

void audit_free(struct audit *a)
{
	free(a);
}

/* Returns: err, after it printed the message. err is a negative errno. */
static int print_error(const char *what, int err, const char *remedy)
{
	fprintf(stderr, "pprof-collect: cannot %s: %s: %s\n", what, strerror(-err), remedy);
	return err;
}

/*
 * Called after each batch: the reader of a pipe gets a line at once.
 * Returns: 0, or a negative errno after it printed the cause.
 */
static int flush(struct audit *a)
{
	int err = 0;

	if (fflush(a->out))
		err = -errno;
	else if (ferror(a->out))
		err = -EIO;
	return err ? print_error("write the audit", err, "check its disk or pipe") : 0;
}

static void take_thread(void *arg, const struct netlink_thread *t)
{
	audit_take(arg, t);
}

static int print_netlink_error(int err)
{
	device_error_print_netlink("follow thread creations", err);
	return err;
}

/* Returns: 1 if there was a message; 0 if not; or a negative errno after it printed the cause. */
static int take_batch(struct audit *a)
{
	int nr = netlink_receive(a->listener, take_thread, a);

	if (nr < 0)
		return print_netlink_error(nr);
	if (!nr)
		return 0;
	nr = flush(a);
	return nr ? nr : 1;
}

/* Reads the current number of the module, so that a gap before the first creation is noticed. */
static int start_counting(struct audit *a)
{
	uint64_t seq;
	int err = netlink_flush(a->asker, &seq);

	if (err)
		return print_netlink_error(err);
	take_seq(a, seq);
	return 0;
}

/*
 * Prints the creations from before the end of the run. The kernel sends from a work item, which may
 * be late. After netlink_flush() all messages are in the socket: a missing one is lost.
 * Returns: 0, or a negative errno after it printed the cause.
 */
static int take_rest(struct audit *a)
{
	uint64_t last_seq;
	int more = netlink_flush(a->asker, &last_seq);

	if (more)
		return print_netlink_error(more);
	do {
		more = take_batch(a);
	} while (more > 0 && a->next_seq <= last_seq);
	if (more < 0 || a->next_seq > last_seq)
		return more < 0 ? more : 0;
	print_missed(a, take_seq(a, last_seq) + 1);
	return flush(a);
}

/*
 * Starts a timer whose descriptor becomes readable after duration_ns; with 0, never.
 * Returns: the descriptor, or a negative errno after it printed the cause.
 */
static int start_timer(uint64_t duration_ns)
{
	struct itimerspec after = {
		.it_value = { .tv_sec = duration_ns / NS_PER_S, .tv_nsec = duration_ns % NS_PER_S },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	if (fd < 0)
		return print_error("start a timer", -errno, "raise 'ulimit -n'");
	timerfd_settime(fd, 0, &after, NULL);
	return fd;
}

enum { STOP, TIMER, NAMES, KERNEL, NR_FDS };

/*
 * Checks for the end after each batch. A batch is bounded, so many new threads cannot delay it.
 * Returns: 0, or a negative errno after it printed the cause.
 */
static int follow_until(struct audit *a, int stop_fd, int timer_fd)
{
	const struct audit_config *c = a->config;
	struct pollfd fds[] = {
		[STOP]	= { .fd = stop_fd, .events = POLLIN },
		[TIMER]	= { .fd = timer_fd, .events = POLLIN },
		[NAMES]	= { .fd = c->name_stack ? c->name_fd : -1, .events = POLLIN },
		[KERNEL] = { .fd = netlink_fd(a->listener), .events = POLLIN },
	};
	int err = 0;

	while (err >= 0 && !fds[STOP].revents && !fds[TIMER].revents) {
		if (poll(fds, NR_FDS, -1) < 0 && errno != EINTR)
			return print_error("wait for thread creations", -errno,
					   "free memory, and run it again");
		if (fds[NAMES].revents)
			c->name_prepare(c->name_ctx);
		err = take_batch(a);
	}
	return err < 0 ? err : take_rest(a);
}

static int follow(struct audit *a, int stop_fd)
{
	int timer_fd = start_timer(a->config->duration_ns);
	int err;

	if (timer_fd < 0)
		return timer_fd;
	err = follow_until(a, stop_fd, timer_fd);
	close(timer_fd);
	return err;
}

/*
 * Call this when the audit listens, since a script may wait for the heading. Each creation after it
 * is printed, or a notice says that some are missing.
 */
static int print_heading(struct audit *a)
{
	if (!a->config->json)
		fprintf(a->out, "%-26s  %7s  %7s  %7s  %6s  %s\n", "TIME", "PID", "TID", "NEW TID",
			"UID", "COMM");
	return flush(a);
}

static int start_listening(struct audit *a)
{
	int err;

	a->asker = netlink_open();
	if (a->asker)
		a->listener = netlink_open();
	err = a->listener ? netlink_listen(a->listener, a->config->stacks) : -errno;
	return err ? print_netlink_error(err) : start_counting(a);
}

static int listen_and_follow(struct audit *a, int stop_fd)
{
	int err = start_listening(a);

	if (!err)
		err = print_heading(a);
	if (!err)
		err = follow(a, stop_fd);
	netlink_close(a->listener);
	netlink_close(a->asker);
	return err;
}

int cmd_audit_run(const struct audit_config *config, FILE *out, int stop_fd)
{
	uint64_t wall_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) +
				  time_namespace_offset_ns();
	struct audit *a = audit_new(config, out, wall_offset_ns);
	int err;

	if (!a)
		return print_netlink_error(-ENOMEM);
	err = listen_and_follow(a, stop_fd);
	if (!err)
		fprintf(stderr, "pprof-collect: %" PRIu64 " thread creations, %" PRIu64 " missed\n",
			a->nr_printed, a->nr_missed);
	audit_free(a);
	return err;
}
