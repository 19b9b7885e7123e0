// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/cgroup.c collector/procfs/cgroup_names.c
// sources: collector/process/exec_perf_map.c
// sources: collector/device/end_reason.c collector/device/ring.c
// sources: collector/aggregate/aggregator.c collector/process/processes.c
// sources: collector/procfs/procfs.c collector/procfs/maps.c
// sources: collector/aggregate/locations.c collector/aggregate/label_sets.c
// sources: collector/aggregate/named_code.c
// sources: collector/base/tuple_map.c collector/base/string_table.c
// sources: collector/aggregate/profile_types.c collector/device/wait_class.c
// sources: collector/aggregate/stack_values.c collector/aggregate/thread_lifetimes.c
// sources: collector/device/thread_state.c collector/process/address_space.c
// sources: collector/device/sideband.c collector/aggregate/heap_objects.c
// sources: collector/device/sample_record.c collector/aggregate/truncation.c
// sources: collector/device/shared_frames.c
// sources: collector/procfs/live_thread.c collector/procfs/time_namespace.c
// sources: collector/aggregate/sample_labels.c collector/process/exec_image.c
// sources: collector/aggregate/source_stacks.c collector/aggregate/stack_locator.c
// sources: collector/procfs/context_mapping.c collector/process/published_context.c
// sources: collector/process/thread_context.c collector/process/process_context.c
// sources: collector/base/utf8.c
// sources: collector/aggregate/compaction.c
// libs: -lxxhash
/*
 * Input: the position where reading starts, the number of bytes in the first of two rings, and the
 * bytes of both. No record is read beyond its size, each sample is counted once, and each counted
 * stack makes sense.
 *
 * With REPLAY set, the inputs together must reach each source, labels and kernel frames. Records of
 * an old ABI are skipped: this check shows if the corpus has become useless.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "session/settings.h"
#include "symbol/symbolizer.h"
#include "pprof/profile.h"

#define BYTES		2048
#define MAX_STACKS	8
#define ALL_LABELS	(LABELS_WANT_PID | LABELS_WANT_TID | LABELS_WANT_CPU |	\
			 LABELS_WANT_THREAD | LABELS_WANT_COMM)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t reached[PPROF_NR_SOURCES], reached_labels, reached_kernel;

struct fake {
	struct pprof_ring_head head;
	struct pprof_ring_tail tail;
	unsigned char *data;	/* of its own, so that ASan knows its end */
	struct ring ring;
};

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* A path may be anything here: no file is opened. */
uint32_t mapped_files_intern(struct mapped_files *f, const struct mapped_files_key *key,
			     const struct mapped_files_mapping *mapping)
{
	(void)f;
	(void)mapping;
	return key->path[0] ? 1 + strlen(key->path) % 3 : MAPPED_FILES_NONE;
}

const char *mapped_files_path(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	(void)file;
	return "";
}

uint32_t mapped_files_intern_perfmap(struct mapped_files *f, pid_t pid, uint32_t inherited,
				     bool is_new)
{
	(void)f;
	(void)pid;
	(void)inherited;
	(void)is_new;
	return MAPPED_FILES_NONE;
}

uint32_t mapped_files_first(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return file;
}

uint32_t mapped_files_newest(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return file;
}

bool mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	(void)file;
	return false;
}

bool mapped_files_is_memory(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	return file == MAPPED_FILES_NONE;
}

int mapped_files_lookup(struct mapped_files *f, uint32_t file, uint64_t offset, struct frame *lines,
			int max)
{
	(void)f;
	(void)file;
	(void)offset;
	(void)lines;
	(void)max;
	return 0;
}

int mapped_files_find_kernel(struct mapped_files *f, uint64_t addr, struct maps_range *range)
{
	(void)f;
	reached_kernel++;
	*range = (struct maps_range){ .start = addr & ~UINT64_C(4095), .end = addr | 4095,
				      .offset = addr & ~UINT64_C(4095), .file = 4 };
	return 0;
}

/* Some of the frames are those of a tracepoint. */
const char *mapped_files_kernel_name(struct mapped_files *f, uint64_t addr)
{
	(void)f;
	return addr % 4 == 3 ? "__traceiter_sched_switch" : "vfs_read";
}

struct symbolizer *mapped_files_symbolizer(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	(void)file;
	return NULL;
}

int symbolizer_probe(struct symbolizer *s, uint64_t offset, struct frame *frames, int max,
		     struct code_span *span)
{
	(void)s;
	(void)offset;
	(void)frames;
	(void)max;
	(void)span;
	return -ENOENT;
}

void mapped_files_release_names(struct mapped_files *f, uint32_t file)
{
	(void)f;
	check(file != MAPPED_FILES_NONE);
}

/* No process exists: a replay must not depend on those of this machine. */
int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	(void)pid;
	(void)exec_id;
	return -ESRCH;
}

static void make_ring(struct fake *f, uint64_t pos, const uint8_t *data, size_t size)
{
	f->data = calloc(1, BYTES);
	check(f->data);
	f->tail.tail = pos;
	f->head.head = pos + size / 8 * 8;
	f->ring = (struct ring){ &f->head, &f->tail, f->data, BYTES };
	for (size_t i = 0; i < size / 8 * 8; i++)
		f->data[(pos + i) % BYTES] = data[i];
}

/*
 * A sample of block also has the class of its wait. A waiting thread has no CPU: a sample of wall
 * then has one label less, a sample of thread has its state instead.
 */
static size_t min_labels(uint32_t source)
{
	return 5 + (source == PPROF_SOURCE_BLOCK) - (source == PPROF_SOURCE_WALL);
}

static void check_stacks(const struct aggregator *c, struct locations *locations,
			 const struct label_sets *labels)
{
	struct profile_label set[LABELS_MAX];

	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++) {
		const struct tuple_map *stacks = aggregator_stacks(c, source);
		const struct aggregator_counts *counts = aggregator_counts(c, source);
		uint64_t nr = counts->over_max + counts->ignored;

		for (size_t i = 0; i < tuple_map_nr(stacks); i++) {
			const struct tuple *stack = tuple_map_at(stacks, i);
			size_t nr_labels;

			check(stack->nr_frames);
			nr_labels = labels_get(labels, stack->tag, set);
			check(nr_labels >= min_labels(source) && nr_labels <= LABELS_MAX);
			for (size_t j = 0; j < nr_labels; j++) {
				check(set[j].key && (set[j].str || set[j].num >= 0));
				reached_labels += !strcmp(set[j].key, "role");
			}
			for (uint32_t j = 0; j < stack->nr_frames; j++)
				check(locations_at(locations, stack->frames[j])->nr_lines == 1);
			nr += stack->count;
		}
		check(nr == counts->consumed);
		reached[source] += counts->consumed - counts->ignored;
	}
}

static void drain(struct ring *const *rings)
{
	static const uint64_t periods[PPROF_NR_SOURCES] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	struct aggregator_parts parts = {
		.processes = processes_new(NULL, NULL),
		.labels = labels_new(ALL_LABELS),
		.locations = locations_new(NULL),
		.max_stacks = MAX_STACKS,
		.periods = periods,
		.live = true,
		.heap = true,
	};
	struct aggregator *c = aggregator_new(&parts);

	aggregator_ignore_exec_id(c, UINT64_MAX);
	check(!aggregator_drain(c, rings, 2));
	for (int i = 0; i < 2; i++)
		check(ring_tail(rings[i]) == ring_head(rings[i]));
	check(!aggregator_flush(c) && !processes_nr_dead(parts.processes));
	check_stacks(c, parts.locations, parts.labels);
	check(!aggregator_finish(c));
	aggregator_free(c);
	locations_free(parts.locations);
	labels_free(parts.labels);
	processes_free(parts.processes);
}

/* The module writes no sample of CUSTOM to a ring. If one is there, it counts like any other. */
static void check_reached(void)
{
	for (uint32_t source = 0; source < PPROF_NR_SOURCES; source++)
		check(reached[source] || source == PPROF_SOURCE_CUSTOM);
	check(reached_labels);
	check(reached_kernel);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (getenv("REPLAY"))
		check(!atexit(check_reached));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fake fakes[2];
	struct ring *const rings[2] = { &fakes[0].ring, &fakes[1].ring };
	size_t first;

	if (size < 2 || size > BYTES)
		return 0;
	first = data[1] * 8 < size - 2 ? data[1] * 8 : size - 2;
	make_ring(&fakes[0], data[0] * 8, data + 2, first);
	make_ring(&fakes[1], data[0] * 8, data + 2 + first, size - 2 - first);
	drain(rings);
	free(fakes[0].data);
	free(fakes[1].data);
	return 0;
}
