// SPDX-License-Identifier: GPL-2.0
#include "report/thread_dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pprof/gzip_stream.h"
#include "base/json.h"
#include "pprof/profile.h"
#include "device/sample_record.h"
#include "base/hash_index.h"
#include "base/tuple_map.h"
#include "device/thread_state.h"
#include "base/utf8.h"

#define FIRST_SLOTS	256	/* a power of two */

struct thread {
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;	/* of its sample */
	char comm[PPROF_COMM_LEN + 1];
	uint64_t arg;		/* its state: see sample_wait() */
	uint64_t ns;		/* since it left its CPU; 0 if not known */
	uint64_t labels;	/* number of its label set */
	size_t stack;		/* id in thread_dump.stacks */
};

/* The last creation of a tid. Tids are reused. */
struct creation {
	uint32_t pid;
	uint32_t tid;		/* the new thread */
	uint32_t creator;	/* tid of its creator */
	uint64_t time_ns;
	size_t stack;
};

struct thread_dump {
	const struct label_sets *labels;
	/* A tuple is a stack: location ids, leaf first. The tag is 0. */
	struct tuple_map *stacks;
	struct thread *threads;
	size_t nr_threads;
	size_t threads_room;
	struct creation *creations;
	size_t nr_creations;
	size_t creations_room;
	struct hash_index by_tid;	/* creations */
};

struct thread_dump *thread_dump_new(const struct label_sets *labels)
{
	struct thread_dump *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->labels = labels;
	d->stacks = tuple_map_new(UINT32_MAX);
	if (!d->stacks || hash_index_init(&d->by_tid, FIRST_SLOTS)) {
		thread_dump_free(d);
		return NULL;
	}
	return d;
}

void thread_dump_free(struct thread_dump *d)
{
	if (!d)
		return;
	tuple_map_free(d->stacks);
	free(d->threads);
	free(d->creations);
	hash_index_fini(&d->by_tid);
	free(d);
}

static int add_thread(struct thread_dump *d, const struct pprof_sample *sample, uint64_t labels,
		      size_t stack)
{
	struct thread *threads = array_grow(d->threads, &d->threads_room, d->nr_threads + 1,
					    sizeof(*threads));

	if (!threads)
		return -ENOMEM;
	d->threads = threads;
	threads += d->nr_threads++;
	*threads = (struct thread){
		.pid = sample->ev.pid, .tid = sample->ev.tid, .time_ns = sample->ev.time_ns,
		.arg = sample_wait(sample), .ns = sample->value, .labels = labels, .stack = stack,
	};
	memcpy(threads->comm, sample->comm, PPROF_COMM_LEN);
	return 0;
}

static struct creation *find_creation(const struct thread_dump *d, uint32_t tid)
{
	size_t i = hash_index_first(&d->by_tid, hash_index_hash_tid(tid));

	for (; d->by_tid.slot[i].id1; i = hash_index_next(&d->by_tid, i))
		if (d->creations[d->by_tid.slot[i].id1 - 1].tid == tid)
			return &d->creations[d->by_tid.slot[i].id1 - 1];
	return NULL;
}

/* Adds an entry for a new tid. Returns NULL without memory. */
static struct creation *new_creation(struct thread_dump *d, uint32_t tid)
{
	struct creation *creations = array_grow(d->creations, &d->creations_room,
						d->nr_creations + 1, sizeof(*creations));

	if (!creations)
		return NULL;
	d->creations = creations;
	if (hash_index_reserve(&d->by_tid, d->nr_creations + 1))
		return NULL;
	creations += d->nr_creations++;
	*creations = (struct creation){ .tid = tid };
	hash_index_put(&d->by_tid, hash_index_hash_tid(tid), d->nr_creations);
	return creations;
}

/* Keeps only the last creation of each tid: a run may create threads for hours. */
static int add_creation(struct thread_dump *d, const struct pprof_sample *sample, size_t stack)
{
	struct creation *creation = find_creation(d, sample->arg);

	if (!creation)
		creation = new_creation(d, sample->arg);
	if (!creation)
		return -ENOMEM;
	if (creation->time_ns > sample->ev.time_ns)
		return 0;
	creation->pid = sample->ev.pid;
	creation->creator = sample->ev.tid;
	creation->time_ns = sample->ev.time_ns;
	creation->stack = stack;
	return 0;
}

int thread_dump_add(struct thread_dump *d, const struct pprof_sample *sample, uint64_t labels,
		    const uint64_t *locations, uint32_t nr)
{
	int64_t stack = tuple_map_add(d->stacks, 0, locations, nr, 1);

	if (stack < 0)
		return -ENOMEM;
	return sample->source == PPROF_SOURCE_THREADCREATE ? add_creation(d, sample, stack) :
							     add_thread(d, sample, labels, stack);
}

static int compare_threads(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static void print_line(FILE *out, const struct mapped_files *files,
		       const struct locations *locations, const struct location *location,
		       const struct frame *line)
{
	const char *file = line->file;

	utf8_print(out, line->name);
	if (location->mapping == LOCATIONS_NO_MAPPING) {
		fputc('\n', out);	/* only the name is known, such as an end reason */
		return;
	}
	if (!file || !file[0])
		file = mapped_files_path(files,
					 locations_mapping_at(locations, location->mapping)->file);
	fputs("\n\t", out);
	utf8_print(out, file);
	if (line->line)
		fprintf(out, ":%" PRIu32, line->line);
	if (line->offset != FRAME_NO_OFFSET)
		fprintf(out, " +0x%" PRIx64, line->offset);
	else
		fprintf(out, " 0x%" PRIx64, location->address);
	fputc('\n', out);
}

struct printer {
	FILE *out;
	const struct thread_dump *d;
	struct locations *locations;
	const struct mapped_files *files;
};

static void print_stack(const struct printer *p, size_t id)
{
	const struct tuple *stack = tuple_map_at(p->d->stacks, id);

	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		const struct location *location = locations_at(p->locations, stack->frames[i]);

		for (uint32_t n = 0; n < location->nr_lines; n++)
			print_line(p->out, p->files, p->locations, location, &location->lines[n]);
	}
}

/* Escapes quotes: a thread with the name `x" [running]` cannot forge its state. */
static void print_name(FILE *out, const struct thread *thread)
{
	char name[PPROF_COMM_LEN + 1], *part, *rest = name;

	memcpy(name, thread->comm, sizeof(name));
	while ((part = strsep(&rest, "\""))) {
		utf8_print(out, part);
		if (rest)
			fputs("\\\"", out);
	}
}

/* Prints the labels that the program gave the thread. */
static void print_labels(const struct printer *p, uint64_t id)
{
	struct profile_label labels[LABELS_MAX];
	size_t nr = labels_get_own(p->d->labels, id, labels);

	for (size_t i = 0; i < nr; i++) {
		fputs(i ? ", " : " {", p->out);
		json_string(p->out, labels[i].key);
		fputc(':', p->out);
		json_string(p->out, labels[i].str);
	}
	if (nr)
		fputc('}', p->out);
}

static void print_thread(const struct printer *p, const struct thread *thread)
{
	fprintf(p->out, "thread %" PRIu32 " \"", thread->tid);
	print_name(p->out, thread);
	fputs("\" [", p->out);
	thread_state_print(p->out, thread->arg, thread->ns);
	fputc(']', p->out);
	print_labels(p, thread->labels);
	fputs(":\n", p->out);
	print_stack(p, thread->stack);
}

static void print_creation(const struct printer *p, const struct creation *creation)
{
	fprintf(p->out, "created by thread %" PRIu32 ":\n", creation->creator);
	print_stack(p, creation->stack);
}

/* Is it the creation of this sampled thread, and not of a later thread with its tid? */
static bool is_of(const struct creation *creation, const struct thread *thread)
{
	return creation && creation->pid == thread->pid && creation->time_ns <= thread->time_ns;
}

static void print_threads(const struct printer *p)
{
	for (size_t i = 0; i < p->d->nr_threads; i++) {
		const struct thread *thread = &p->d->threads[i];
		const struct creation *creation = find_creation(p->d, thread->tid);

		print_thread(p, thread);
		if (is_of(creation, thread))
			print_creation(p, creation);
		fputc('\n', p->out);
	}
}

int thread_dump_write(struct thread_dump *d, struct locations *locations,
		      struct mapped_files *files, const char *const *comments, struct gzip_file *gz)
{
	struct printer p = { .d = d, .locations = locations, .files = files };
	struct gzip_stream stream;

	p.out = gzip_stream_open(&stream, gz);
	if (!p.out)
		return -ENOMEM;
	if (d->nr_threads)
		qsort(d->threads, d->nr_threads, sizeof(*d->threads), compare_threads);
	print_threads(&p);
	for (; *comments; comments++)
		fprintf(p.out, "# %s\n", *comments);
	return gzip_stream_close(&stream, p.out);
}
