// SPDX-License-Identifier: GPL-2.0
/*
 * A thread compiles unwind tables, so that the reader of the rings never waits for a large file.
 * It is step 3 of the way that unwind_ranges.c describes. The reader queues a descriptor of the
 * file (request()); the thread takes it (take_job()), compiles it, binds the table to the file in
 * the module (bind_table()), and stores the table's number (finish_job()). If an earlier run has
 * kept the table, the thread reads it instead of compiling the file (get_table()). Equal tables of
 * files of one user have one number (find_table()). It is dropped with the last of these files
 * (unwind_tables_keep()).
 *
 * The files are from any user. The thread can open none itself: see give_up_rights().
 */
#include "session/unwind_tables.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/array.h"
#include "base/capabilities.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "process/syscall_filter.h"
#include "session/table_cache.h"
#include "unwind/compile.h"

/* A file that was changed in the last seconds is not bound: it may be changed again unseen. */
#define SETTLED_SECONDS	3

enum state { UNKNOWN, PENDING, KNOWN };

/* The table of a file. The index is the file's number. */
struct entry {
	enum state state;
	uint32_t number;
};

struct job {
	uint32_t file;
	int fd;
	bool is_vdso;	/* the file is a copy of the vDSO */
	struct table_cache_file cached;
};

/*
 * Tables with equal keys are the same table. A build ID is no key: any user may give a file the
 * build ID of libc. A user may also construct a file with the hash of another one. The uid
 * prevents that files of other users get its table.
 */
struct key {
	XXH128_hash_t hash;
	uint64_t uid;
};

/* A table that the module has, or has refused. Copies of a file share it. */
struct table {
	struct key key;
	uint32_t number;	/* 0: it was refused */
	uint32_t nr_files;
};

struct unwind_tables {
	struct device *dev;
	int event_fd;
	pthread_t thread;
	bool has_thread;

	pthread_mutex_t lock;	/* guards all below */
	pthread_cond_t wanted;	/* signalled for a new job, and when over is set */
	pthread_cond_t done;	/* signalled when no job is left */
	struct {
		struct table *items;
		size_t nr;
		size_t room;
	} tables;
	struct entry *entries;	/* by file number */
	size_t entries_room;
	struct job *jobs;	/* the first nr_done of nr_jobs are finished */
	size_t jobs_room;
	size_t nr_jobs;
	size_t nr_done;
	uint64_t nr_refused;
	struct new_tables new;
	struct unwind_tables_bad bad;
	bool over;		/* the thread has to end */
};

static void count_refused(struct unwind_tables *t)
{
	pthread_mutex_lock(&t->lock);
	t->nr_refused++;
	pthread_mutex_unlock(&t->lock);
}

/* Adds a file to the table with this key. Returns: is there one? */
static bool share_table(struct unwind_tables *t, const struct key *key, uint32_t *number)
{
	struct table *table;
	size_t i = 0;

	pthread_mutex_lock(&t->lock);
	while (i < t->tables.nr && memcmp(&t->tables.items[i].key, key, sizeof(*key)))
		i++;
	table = i < t->tables.nr ? &t->tables.items[i] : NULL;
	if (table) {
		*number = table->number;
		table->nr_files++;
	}
	pthread_mutex_unlock(&t->lock);
	return table;
}

/* Without memory for the key, an equal table is passed to the module twice. */
static void note_table(struct unwind_tables *t, const struct key *key, uint32_t number)
{
	const struct table table = { .key = *key, .number = number, .nr_files = 1 };

	pthread_mutex_lock(&t->lock);
	ARRAY_APPEND(t->tables, &table, 1);
	pthread_mutex_unlock(&t->lock);
}

/* Returns: the table number, or 0 if the module refused the table. */
static uint32_t add_table(struct unwind_tables *t, const struct cfi *cfi)
{
	uint32_t number;

	if (!device_add_table(t->dev, cfi->table, cfi->bytes, &number))
		return number;
	count_refused(t);
	return 0;
}

static uint32_t find_table(struct unwind_tables *t, const struct cfi *cfi, uid_t uid)
{
	const struct key key = { .hash = XXH3_128bits(cfi->table, cfi->bytes), .uid = uid };
	uint32_t number;

	if (share_table(t, &key, &number))
		return number;
	number = add_table(t, cfi);
	note_table(t, &key, number);
	return number;
}

/*
 * A write sets the ctime. File systems with times of one or two seconds (ext3, FAT) may not show a
 * write that follows another one.
 */
static bool is_settled(const struct stat *st)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return st->st_ctim.tv_sec < now.tv_sec - SETTLED_SECONDS;
}

/*
 * From then on the module itself knows the table of a new mapping of the file. An error does no
 * harm: mappings get their tables by unwind_ranges.c in any case.
 */
static void bind_table(struct unwind_tables *t, uint32_t number, const struct job *job,
		       const struct timespec *ctime)
{
	if (job->is_vdso)
		device_bind_table(t->dev, number, -1, &(const struct timespec){ 0 });
	else
		device_bind_table(t->dev, number, job->fd, ctime);
}

static void add_new(struct unwind_tables *t, const struct job *job, const struct cfi *cfi)
{
	struct new_table new;

	if (!new_table_make(&job->cached, job->fd, cfi, &new))
		return;
	pthread_mutex_lock(&t->lock);
	new_tables_add(&t->new, &new);
	pthread_mutex_unlock(&t->lock);
}

/* Returns: 0, or a negative errno of cfi_compile(). */
static int get_table(struct unwind_tables *t, const struct job *job, const struct stat *st,
		     struct cfi *cfi)
{
	int err;

	if (table_cache_read(&job->cached, st, cfi))
		return 0;
	err = cfi_compile(job->fd, cfi);
	if (!err)
		add_new(t, job, cfi);
	return err;
}

/* Returns: 0, or a negative errno of fstat() or cfi_compile(); *number is 0 then. */
static int find_number(struct unwind_tables *t, const struct job *job, uint32_t *number)
{
	struct stat st;
	struct cfi cfi;
	int err = fstat(job->fd, &st) ? -errno : 0;
	/* Before the file is read: a write meanwhile gets another ctime. */
	bool may_bind = job->is_vdso || (!err && is_settled(&st));

	*number = 0;
	if (!err)
		err = get_table(t, job, &st, &cfi);
	if (!err) {
		*number = find_table(t, &cfi, st.st_uid);
		cfi_fini(&cfi);
	}
	if (may_bind && (*number || err == -ENODATA))
		bind_table(t, *number, job, &st.st_ctim);
	return err;
}

/*
 * Waits for a job and copies it to *job. nr_done does not count the job yet, so
 * unwind_tables_wait() waits for it, too.
 * Returns: false if the thread has to end.
 */
static bool take_job(struct unwind_tables *t, struct job *job)
{
	bool any;

	pthread_mutex_lock(&t->lock);
	while (t->nr_done == t->nr_jobs && !t->over)
		pthread_cond_wait(&t->wanted, &t->lock);
	any = !t->over;
	if (any)
		*job = t->jobs[t->nr_done];
	pthread_mutex_unlock(&t->lock);
	return any;
}

/* Locks: t->lock is held. */
static void note_bad(struct unwind_tables *t, uint32_t file, int err)
{
	if (!t->bad.nr++) {
		t->bad.file = file;
		t->bad.err = err;
	}
}

static void finish_job(struct unwind_tables *t, const struct job *job, uint32_t number, int err)
{
	pthread_mutex_lock(&t->lock);
	t->entries[job->file] = (struct entry){ .state = KNOWN, .number = number };
	if (err && err != -ENODATA)
		note_bad(t, job->file, err);
	t->nr_done++;
	eventfd_write(t->event_fd, 1);
	if (t->nr_done == t->nr_jobs) {
		t->nr_jobs = 0;
		t->nr_done = 0;
		pthread_cond_signal(&t->done);
	}
	pthread_mutex_unlock(&t->lock);
}

static void close_job(const struct job *job)
{
	close(job->fd);
	if (job->cached.fd >= 0)
		close(job->cached.fd);
}

/*
 * The thread keeps CAP_PERFMON: with it the module allows more memory for tables. CAP_SYS_ADMIN
 * includes it, and is held only if CAP_PERFMON is not. Errors are ignored, as the main thread makes
 * the same calls, and reports them: see run/privileges.h.
 */
static void give_up_rights(const struct unwind_tables *t)
{
	static const uint32_t requests[] = { PPROF_IOC_TABLE_ADD, PPROF_IOC_TABLE_BIND };

	capabilities_keep(CAPABILITIES_BIT(CAP_PERFMON) | CAPABILITIES_BIT(CAP_SYS_ADMIN));
	syscall_filter_parser(t->event_fd, requests, sizeof(requests) / sizeof(*requests));
}

static void *work(void *arg)
{
	struct unwind_tables *t = arg;
	struct job job;
	uint32_t number;
	int err;

	give_up_rights(t);
	while (take_job(t, &job)) {
		err = find_number(t, &job, &number);
		finish_job(t, &job, number, err);
		close_job(&job);
	}
	return NULL;
}

struct unwind_tables *unwind_tables_new(struct device *dev)
{
	struct unwind_tables *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	t->dev = dev;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wanted, NULL);
	pthread_cond_init(&t->done, NULL);
	t->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = t->event_fd < 0 ? ENOMEM : pthread_create(&t->thread, NULL, work, t);
	t->has_thread = !err;
	if (!err)
		return t;
	unwind_tables_free(t);
	errno = err;
	return NULL;
}

static void end_thread(struct unwind_tables *t)
{
	pthread_mutex_lock(&t->lock);
	t->over = true;
	pthread_cond_signal(&t->wanted);
	pthread_mutex_unlock(&t->lock);
	pthread_join(t->thread, NULL);
}

void unwind_tables_free(struct unwind_tables *t)
{
	if (!t)
		return;
	if (t->has_thread)
		end_thread(t);
	for (size_t i = t->nr_done; i < t->nr_jobs; i++)
		close_job(&t->jobs[i]);
	pthread_cond_destroy(&t->done);
	pthread_cond_destroy(&t->wanted);
	pthread_mutex_destroy(&t->lock);
	if (t->event_fd >= 0)
		close(t->event_fd);
	new_tables_fini(&t->new);
	free(t->tables.items);
	free(t->entries);
	free(t->jobs);
	free(t);
}

/*
 * New entries are UNKNOWN.
 * Locks: t->lock is held.
 * Returns: the entry, or NULL if out of memory.
 */
static struct entry *get_entry(struct unwind_tables *t, uint32_t file)
{
	size_t room = t->entries ? t->entries_room : 0;
	struct entry *entries = array_grow(t->entries, &t->entries_room, (size_t)file + 1,
					   sizeof(*entries));

	if (!entries)
		return NULL;
	memset(entries + room, 0, (t->entries_room - room) * sizeof(*entries));
	t->entries = entries;
	return &entries[file];
}

/*
 * Queues a file for the thread. A file that cannot be opened has no table.
 * Locks: t->lock is held.
 * Returns: 0, or -ENOMEM.
 */
static int request(struct unwind_tables *t, const struct mapped_files *files, uint32_t file,
		   struct entry *entry)
{
	struct job *jobs = array_grow(t->jobs, &t->jobs_room, t->nr_jobs + 1, sizeof(*jobs));
	struct job *job;
	int fd;

	if (!jobs)
		return -ENOMEM;
	t->jobs = jobs;
	fd = mapped_files_open(files, file);
	if (fd < 0) {
		entry->state = KNOWN;
		return 0;
	}
	entry->state = PENDING;
	job = &jobs[t->nr_jobs++];
	*job = (struct job){
		.file = file, .fd = fd,
		.is_vdso = !strcmp(mapped_files_path(files, file), "[vdso]"),
	};
	table_cache_find(fd, &job->cached);
	pthread_cond_signal(&t->wanted);
	return 0;
}

/* Locks: t->lock is held. */
static int find_locked(struct unwind_tables *t, const struct mapped_files *files, uint32_t file,
		       uint32_t *number)
{
	struct entry *entry = get_entry(t, file);
	int err = 0;

	if (!entry)
		return -ENOMEM;
	if (entry->state == UNKNOWN)
		err = request(t, files, file, entry);
	*number = entry->number;
	return !err && entry->state == PENDING ? -EAGAIN : err;
}

int unwind_tables_find(struct unwind_tables *t, const struct mapped_files *files, uint32_t file,
		       uint32_t *number)
{
	int err;

	pthread_mutex_lock(&t->lock);
	err = find_locked(t, files, mapped_files_first(files, file), number);
	pthread_mutex_unlock(&t->lock);
	return err;
}

void unwind_tables_wait(struct unwind_tables *t)
{
	pthread_mutex_lock(&t->lock);
	while (t->nr_done < t->nr_jobs)
		pthread_cond_wait(&t->done, &t->lock);
	pthread_mutex_unlock(&t->lock);
}

int unwind_tables_fd(const struct unwind_tables *t)
{
	return t->event_fd;
}

void unwind_tables_calm(struct unwind_tables *t)
{
	eventfd_t count;

	eventfd_read(t->event_fd, &count);
}

void unwind_tables_mark(struct unwind_tables *t, bool *marks, uint32_t nr)
{
	pthread_mutex_lock(&t->lock);
	for (uint32_t file = 0; file < nr && file < t->entries_room; file++)
		if (t->entries[file].state == PENDING)
			marks[file] = true;
	if (t->bad.nr)
		marks[t->bad.file] = true;
	pthread_mutex_unlock(&t->lock);
}

/*
 * Drops the table, if this was its last file.
 * Locks: t->lock is held.
 */
static void release_table(struct unwind_tables *t, uint32_t number)
{
	for (size_t i = 0; i < t->tables.nr; i++) {
		if (t->tables.items[i].number != number)
			continue;
		if (--t->tables.items[i].nr_files)
			return;
		t->tables.items[i] = t->tables.items[--t->tables.nr];
		break;
	}
	device_drop_table(t->dev, number);
}

/*
 * The next copy of such a file asks the module again.
 * Locks: t->lock is held.
 */
static void forget_refused(struct unwind_tables *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->tables.nr; i++)
		if (t->tables.items[i].number)
			t->tables.items[nr++] = t->tables.items[i];
	t->tables.nr = nr;
}

void unwind_tables_keep(struct unwind_tables *t, const bool *keep, uint32_t nr)
{
	pthread_mutex_lock(&t->lock);
	for (uint32_t file = 0; file < nr && file < t->entries_room; file++) {
		if (keep[file])
			continue;
		if (t->entries[file].number)
			release_table(t, t->entries[file].number);
		t->entries[file] = (struct entry){ 0 };
	}
	forget_refused(t);
	pthread_mutex_unlock(&t->lock);
}

struct new_tables unwind_tables_take_new(struct unwind_tables *t)
{
	struct new_tables new = { 0 };

	if (!t)
		return new;
	pthread_mutex_lock(&t->lock);
	new = t->new;
	t->new = (struct new_tables){ 0 };
	pthread_mutex_unlock(&t->lock);
	return new;
}

uint64_t unwind_tables_nr_refused(struct unwind_tables *t)
{
	uint64_t nr;

	pthread_mutex_lock(&t->lock);
	nr = t->nr_refused;
	pthread_mutex_unlock(&t->lock);
	return nr;
}

struct unwind_tables_bad unwind_tables_bad(struct unwind_tables *t)
{
	struct unwind_tables_bad bad;

	pthread_mutex_lock(&t->lock);
	bad = t->bad;
	pthread_mutex_unlock(&t->lock);
	return bad;
}
