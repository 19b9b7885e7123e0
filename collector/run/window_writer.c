// SPDX-License-Identifier: GPL-2.0
/*
 * Why a child process, and not a thread: a thread would need locks around all tables of a window,
 * or copies of them. It could not give up rights that the main thread needs. The libraries that
 * read debug info may leak or crash: a child frees that memory at its end, and a crash costs one
 * window.
 *
 * The child looks up the symbols of new locations, and sends them back: see window_messages.h.
 */
#include "run/window_writer.h"

#include <err.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/named_code.h"
#include "base/stop_signals.h"
#include "device/device.h"
#include "pprof/gzip_file.h"
#include "process/mapped_files.h"
#include "procfs/cgroup_folder.h"
#include "report/output_files.h"
#include "report/profile_export.h"
#include "report/window_series.h"
#include "report/window_store.h"
#include "run/naming_privileges.h"
#include "run/profile_output.h"
#include "run/profile_run.h"
#include "run/window_messages.h"
#include "session/unwind_tables.h"

/* The child */

/*
 * Limit of addresses that a window looks up for later windows: see locations_learn(). With the
 * debug info of libc these take 16 ms of CPU time. A window without new code looks up none.
 */
#define NR_PROBES	(2U << 10)

struct job {
	struct profile_run *r;
	struct window_sender *sender;
	const struct new_tables *tables;	/* for the cache */
	size_t nr_known;	/* runs of code that the parent has */
	bool failed;
};

/* Prints only the first error of a window: the next file usually fails for the same cause. */
static void fail(struct job *job, const char *path, int err)
{
	if (!job->failed)
		output_files_print_error(path, "--dir", err);
	job->failed = true;
}

/* Returns: 0 and the name of the file, which the caller frees, or a negative errno. */
static int write_file(const struct profile_export_input *in, const char *path, char **name)
{
	struct gzip_file *gz = gzip_file_open(path, GZIP_FILE_KEEP);
	int err;

	if (!gz)
		return -errno;
	err = profile_export_write(in, gz);
	if (!err)
		return gzip_file_commit(gz, name);
	gzip_file_abort(gz);
	return err;
}

/* Writes a series; with s NULL, all samples. comm and pid name the file: window_store_path(). */
static void write_series(struct job *job, uint32_t profile_type, const struct window_series *s,
			 uint32_t series, const char *comm, pid_t pid)
{
	struct profile_run *r = job->r;
	char *path = window_store_path(r->store, r->span.time_ns, comm, pid,
				       profile_output_type(r, profile_type)->name);
	struct window_message_file file = { .profile_type = profile_type, .pid = s ? pid : 0 };
	struct profile_output output;
	char *name = NULL;
	int err;

	profile_output_fill(&output, r, profile_type, s, series);
	err = path ? write_file(&output.in, path, &name) : -ENOMEM;
	if (err < 0) {
		fail(job, path ? path : r->settings->dir, err);
	} else {
		snprintf(file.comm, sizeof(file.comm), "%s", s ? comm : "");
		snprintf(file.path, sizeof(file.path), "%s", name);
		window_send_file(job->sender, &file);
	}
	free(name);
	free(path);
}

/* The file of a cgroup is named after the last part of its path. Equal names get a number. */
static const char *name_of(const struct job *job, const char *label)
{
	return job->r->settings->by == SETTINGS_BY_CGROUP ? cgroup_folder_name(label) : label;
}

static void write_by(struct job *job, uint32_t profile_type)
{
	struct profile_run *r = job->r;
	uint32_t source = profile_output_type(r, profile_type)->source;
	struct window_series s = { 0 };
	int err = window_series_split(&s, aggregator_stacks(r->aggregator, source), r->labels,
				      r->settings->by == SETTINGS_BY_CGROUP ? "cgroup" : "comm",
				      r->settings->by == SETTINGS_BY_PROCESS);

	if (err)
		fail(job, r->settings->dir, err);
	for (size_t i = 0; !err && i < s.list.nr; i++)
		if (!s.list.items[i].is_rest)
			write_series(job, profile_type, &s, i,
				     name_of(job, s.list.items[i].name), s.list.items[i].pid);
	if (!err && (s.rest_count || r->counters.lost[source] ||
		     aggregator_counts(r->aggregator, source)->over_max))
		write_series(job, profile_type, &s, WINDOW_SERIES_REST, "other", 0);
	window_series_fini(&s);
}

/* A snapshot that failed lacks threads. It gets no file, which would mislead. */
static void write_type(struct job *job, uint32_t profile_type)
{
	const struct profile_run *r = job->r;

	if (profile_type == PROFILE_TYPE_THREAD && r->failed & 1U << PPROF_SOURCE_THREAD)
		job->failed = true;
	else if (r->settings->by)
		write_by(job, profile_type);
	else
		write_series(job, profile_type, NULL, 0, r->settings->all ? NULL : r->comm,
			     profile_run_pid(r));
}

static void give_up_rights(const struct profile_run *r)
{
	int folders[2] = { window_store_open_folder(r->store) };

	naming_privileges_keep(folders, 1);
}

/*
 * Closes what belongs to the parent. If the parent is killed, its session and the lock of its
 * folder must end, although this window is still written.
 */
static void leave_parent(const struct profile_run *r)
{
	close(device_fd(r->dev));
	window_store_release(r->store);
}

/* Once for all files of the window: each sync may wait for the disk. */
static void sync_folder(struct job *job)
{
	int err = window_store_sync(job->r->store);

	if (err)
		fail(job, job->r->settings->dir, err);
}

/* Sends the symbols and build IDs that this process has found, for children of later windows. */
static void send_names(const struct job *job)
{
	const struct location *location;
	const char *build_id;
	uint32_t file = 0;
	size_t id = 0;

	for (size_t i = job->nr_known; i < named_code_nr(job->r->code); i++)
		window_send_code(job->sender, named_code_at(job->r->code, i));
	for (; (location = locations_next_found(job->r->locations, &id)); id++)
		window_send_name(job->sender, id, location->lines,
				 location->named ? location->nr_lines : 0);
	for (; (build_id = mapped_files_next_build_id(job->r->files, &file)); file++)
		window_send_build_id(job->sender, file, build_id);
	window_send(job->sender);
}

/* Returns the exit code. */
static int write_window(struct job *job)
{
	struct profile_run *r = job->r;
	int unnamed;

	/* malloc() keeps what a file frees: otherwise each file has 20 page faults for it. */
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	leave_parent(r);
	give_up_rights(r);
	new_tables_write(job->tables);
	if (aggregator_finish(r->aggregator)) {
		warnx("cannot write a window: out of memory: give a smaller --max-stacks");
		return 1;
	}
	locations_learn(r->locations, r->code, NR_PROBES);
	unnamed = locations_name_all(r->locations, stop_is_urgent, &r->stop);
	if (unnamed)
		warnx("some code has no function names: a second signal ended the search: send "
		      "only one");
	for (uint32_t type = 0; type < PROFILE_TYPE_NR; type++)
		if (r->settings->profile_types & (1U << type))
			write_type(job, type);
	sync_folder(job);
	if (!unnamed)
		send_names(job);
	return job->failed;
}

/* The parent */

int window_writer_start(struct window_writer *w, struct profile_run *r)
{
	struct new_tables tables;
	int fds[2];
	pid_t pid;

	named_code_sort(r->code);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	/* Before fork(): the thread that compiles may hold the lock meanwhile. */
	tables = unwind_tables_take_new(r->tables);
	pid = fork();
	if (!pid) {
		struct window_sender sender = { .fd = fds[1] };
		struct job job = {
			.r = r, .sender = &sender, .tables = &tables,
			.nr_known = named_code_nr(r->code),
		};

		close(fds[0]);
		_exit(write_window(&job));
	}
	new_tables_fini(&tables);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -errno;
	}
	*w = (struct window_writer){ .pid = pid, .fd = fds[0], .span = r->span };
	return 0;
}

/* The context of the functions that take records. */
struct reading {
	const struct window_writer *w;
	struct profile_run *r;
	window_writer_fn take;
};

static void take_file(void *ctx, const struct window_message_file *m)
{
	const struct reading *reading = ctx;
	const struct window_file file = {
		.path = m->path, .profile_type = m->profile_type, .span = &reading->w->span,
		.comm = m->comm, .pid = m->pid,
	};

	reading->take(reading->r, &file);
}

/* If there is no memory, the next child looks the name up again. */
static void take_name(void *ctx, uint32_t id, const struct frame *lines, uint32_t nr)
{
	const struct reading *reading = ctx;

	locations_set(reading->r->locations, id, lines, nr);
}

/* The child may be hostile: check its file number. */
static void take_code(void *ctx, const struct named_code_run *run)
{
	const struct reading *reading = ctx;

	if (run->file < mapped_files_nr(reading->r->files) &&
	    !mapped_files_is_outdated(reading->r->files, run->file))
		named_code_add(reading->r->code, run);
}

static void take_build_id(void *ctx, uint32_t file, const char *build_id)
{
	const struct reading *reading = ctx;

	mapped_files_set_build_id(reading->r->files, file, build_id);
}

static int end(struct window_writer *w)
{
	int status = 0;

	close(w->fd);
	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		warnx("a window of %.1f s is lost: the process that writes it was ended by signal "
		      "%d: free memory, or report it", w->span.ns / 1e9, WTERMSIG(status));
	*w = (struct window_writer){ 0 };
	return status ? -1 : 0;
}

int window_writer_read(struct window_writer *w, struct profile_run *r, window_writer_fn take)
{
	struct reading reading = { .w = w, .r = r, .take = take };
	const struct window_takers takers = {
		.file = take_file, .name = take_name, .code = take_code,
		.build_id = take_build_id, .ctx = &reading,
	};
	uint64_t message[WINDOW_MESSAGE_BYTES / sizeof(uint64_t)];
	ssize_t nr;

	while (w->pid) {
		nr = recv(w->fd, message, sizeof(message), MSG_DONTWAIT);
		if (nr < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (nr <= 0)
			return end(w);
		window_take_message(message, nr, &takers);
	}
	return 0;
}
