// SPDX-License-Identifier: GPL-2.0
#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "gzstream.h"
#include "stacks.h"
#include "threadstate.h"
#include "utf8.h"

struct thread {
	uint32_t tid;
	char comm[PPROF_COMM_LEN + 1];
	uint64_t arg;
	uint64_t ns;
	size_t stack;
};

struct creation {
	uint32_t tid;		/* of what was created */
	uint32_t creator;
	uint64_t time_ns;	/* a tid may be given again */
	size_t stack;
};

struct dump {
	struct stacks *stacks;
	struct thread *threads;
	size_t nr_threads;
	size_t threads_room;
	struct creation *creations;
	size_t nr_creations;
	size_t creations_room;
};

struct dump *dump_new(void)
{
	struct dump *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->stacks = stacks_new(UINT32_MAX);
	if (!d->stacks) {
		dump_free(d);
		return NULL;
	}
	return d;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	stacks_free(d->stacks);
	free(d->threads);
	free(d->creations);
	free(d);
}

static int add_thread(struct dump *d, const struct pprof_sample *sample, size_t stack)
{
	struct thread *threads = array_grow(d->threads, &d->threads_room, d->nr_threads + 1,
					    sizeof(*threads));

	if (!threads)
		return -ENOMEM;
	d->threads = threads;
	threads += d->nr_threads++;
	*threads = (struct thread){
		.tid = sample->ev.tid, .arg = sample->arg, .ns = sample->value, .stack = stack,
	};
	memcpy(threads->comm, sample->comm, PPROF_COMM_LEN);
	return 0;
}

static int add_creation(struct dump *d, const struct pprof_sample *sample, size_t stack)
{
	struct creation *creations = array_grow(d->creations, &d->creations_room,
						d->nr_creations + 1, sizeof(*creations));

	if (!creations)
		return -ENOMEM;
	d->creations = creations;
	creations[d->nr_creations++] = (struct creation){
		.tid = sample->arg, .creator = sample->ev.tid, .time_ns = sample->ev.time_ns,
		.stack = stack,
	};
	return 0;
}

int dump_add(struct dump *d, const struct pprof_sample *sample, const uint64_t *places,
	     uint32_t nr)
{
	int64_t stack = stacks_add(d->stacks, 0, places, nr, 1);

	if (stack < 0)
		return -ENOMEM;
	return sample->source == PPROF_SOURCE_THREADCREATE ? add_creation(d, sample, stack) :
							     add_thread(d, sample, stack);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_threads(const void *left, const void *right)
{
	return compare(((const struct thread *)left)->tid, ((const struct thread *)right)->tid);
}

static int compare_creations(const void *left, const void *right)
{
	const struct creation *a = left, *b = right;
	int by_tid = compare(a->tid, b->tid);

	return by_tid ? by_tid : compare(a->time_ns, b->time_ns);
}

static void sort(void *items, size_t nr, size_t size, int (*by)(const void *, const void *))
{
	if (nr)
		qsort(items, nr, size, by);
}

static void print_line(FILE *out, const struct files *files, const struct locations *locations,
		       const struct location *location, const struct sym_line *line)
{
	const char *file = line->file;

	utf8_print(out, line->name);
	if (location->mapping == LOCATIONS_NO_MAPPING) {
		fputc('\n', out);	/* why there is no more */
		return;
	}
	if (!file || !file[0])
		file = files_path(files, locations_mapping_at(locations, location->mapping)->file);
	fputs("\n\t", out);
	utf8_print(out, file);
	if (line->line)
		fprintf(out, ":%" PRIu32, line->line);
	if (line->offset != SYM_NO_OFFSET)
		fprintf(out, " +0x%" PRIx64, line->offset);
	else
		fprintf(out, " 0x%" PRIx64, location->address);
	fputc('\n', out);
}

struct printer {
	FILE *out;
	const struct dump *d;
	struct locations *locations;
	const struct files *files;
};

static void print_stack(const struct printer *p, size_t id)
{
	const struct stack *stack = stacks_at(p->d->stacks, id);

	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		const struct location *location = locations_at(p->locations, stack->frames[i]);

		for (uint32_t n = 0; n < location->nr_lines; n++)
			print_line(p->out, p->files, p->locations, location, &location->lines[n]);
	}
}

static void print_thread(const struct printer *p, const struct thread *thread)
{
	fprintf(p->out, "thread %" PRIu32 " \"", thread->tid);
	utf8_print(p->out, thread->comm);
	fputs("\" [", p->out);
	threadstate_print(p->out, thread->arg, thread->ns);
	fputs("]:\n", p->out);
	print_stack(p, thread->stack);
}

static void print_creation(const struct printer *p, const struct creation *creation)
{
	fprintf(p->out, "created by thread %" PRIu32 ":\n", creation->creator);
	print_stack(p, creation->stack);
}

/* Both are in order, so that one goes through them together. */
static void print_threads(const struct printer *p)
{
	const struct creation *next = p->d->creations, *end = next + p->d->nr_creations;
	const struct creation *last;

	for (size_t i = 0; i < p->d->nr_threads; i++) {
		const struct thread *thread = &p->d->threads[i];

		print_thread(p, thread);
		for (last = NULL; next < end && next->tid <= thread->tid; next++)
			last = next;
		if (last && last->tid == thread->tid)
			print_creation(p, last);
		fputc('\n', p->out);
	}
}

int dump_write(struct dump *d, struct locations *locations, struct files *files,
	       const char *const *comments, struct gzout *gz)
{
	struct printer p = { .d = d, .locations = locations, .files = files };
	struct gzstream stream;

	p.out = gzstream_open(&stream, gz);
	if (!p.out)
		return -ENOMEM;
	sort(d->threads, d->nr_threads, sizeof(*d->threads), compare_threads);
	sort(d->creations, d->nr_creations, sizeof(*d->creations), compare_creations);
	print_threads(&p);
	for (; *comments; comments++)
		fprintf(p.out, "# %s\n", *comments);
	return gzstream_close(&stream, p.out);
}
