// SPDX-License-Identifier: GPL-2.0
#include "cli/audit_symbolizer.h"

#include <errno.h>
#include <stdlib.h>

#include "aggregate/aggregator.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "aggregate/label_sets.h"
#include "aggregate/locations.h"
#include "process/processes.h"

#define RING_BYTES	(512U << 10)

/*
 * Limits the memory to some 50 MB. The stacks of creators may have any number of addresses, and
 * most addresses occur only once.
 */
#define MAX_LOCATIONS	(1U << 18)

struct audit_symbolizer {
	struct device *dev;	/* of all processes, with no source started */
	struct ring **rings;
	struct mapped_files *files;
	struct processes *processes;
	struct label_sets *labels;
	struct locations *locations;
	struct aggregator *aggregator;
};

static int make_parts(struct audit_symbolizer *n)
{
	struct aggregator_parts parts = { .max_stacks = 1 };
	uint32_t nr_rings = device_nr_rings(n->dev);

	n->rings = calloc(nr_rings, sizeof(struct ring *));
	n->files = mapped_files_new();
	n->processes = processes_new(n->files, n->dev);
	n->labels = labels_new(0);
	n->locations = locations_new(n->files);
	parts.processes = n->processes;
	parts.labels = n->labels;
	parts.locations = n->locations;
	n->aggregator = aggregator_new(&parts);
	if (!n->rings || !n->files || !n->processes || !n->labels || !n->locations ||
	    !n->aggregator)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		n->rings[cpu] = device_ring(n->dev, cpu);
	return 0;
}

struct audit_symbolizer *audit_symbolizer_new(void)
{
	struct audit_symbolizer *n = calloc(1, sizeof(*n));
	int err = 0;

	if (!n)
		return NULL;
	n->dev = device_open();
	if (!n->dev)
		err = -errno;
	if (!err)
		err = device_setup(n->dev, PPROF_SETUP_ALL, RING_BYTES, 0);
	if (!err)
		err = make_parts(n);
	if (!err)
		return n;
	audit_symbolizer_free(n);
	errno = -err;
	return NULL;
}

void audit_symbolizer_free(struct audit_symbolizer *n)
{
	if (!n)
		return;
	aggregator_free(n->aggregator);
	locations_free(n->locations);
	labels_free(n->labels);
	processes_free(n->processes);
	mapped_files_free(n->files);
	free(n->rings);
	device_close(n->dev);
	free(n);
}

int audit_symbolizer_fd(const struct audit_symbolizer *n)
{
	return device_fd(n->dev);
}

/* Ignores errors: without memory, symbols are missing. */
void audit_symbolizer_prepare(void *ctx)
{
	struct audit_symbolizer *n = ctx;

	aggregator_drain(n->aggregator, n->rings, device_nr_rings(n->dev));
}

static uint32_t name_address(struct audit_symbolizer *n, uint32_t epoch, uint64_t addr,
			     struct audit_frame *out, uint32_t max)
{
	int64_t id = locations_intern(n->locations, processes_maps(n->processes, epoch), addr - 1);
	const struct location *location = id < 0 ? NULL : locations_at(n->locations, id);
	uint32_t nr = 0;

	for (; location && location->named && nr < location->nr_lines && nr < max; nr++)
		out[nr] = (struct audit_frame){
			.address = addr,
			.function = location->lines[nr].name,
			.file = location->lines[nr].file,
			.line = location->lines[nr].line,
		};
	if (!nr && max)
		out[nr++] = (struct audit_frame){ .address = addr };
	return nr;
}

/* The process decides how large its perf map is. Locations that have symbols keep them. */
static void release_perfmap(struct audit_symbolizer *n, uint32_t epoch, uint64_t addr)
{
	int64_t id = locations_intern(n->locations, processes_maps(n->processes, epoch), addr - 1);
	uint32_t file = id < 0 ? MAPPED_FILES_NONE : locations_file(n->locations, id);

	if (mapped_files_is_memory(n->files, file))
		mapped_files_release_names(n->files, file);
}

int audit_symbolizer_name(void *ctx, pid_t pid, uint64_t exec_id, const uint64_t *addresses,
			  uint32_t nr, struct audit_frame *out, uint32_t max)
{
	struct audit_symbolizer *n = ctx;
	uint32_t nr_out = 0;
	int64_t epoch;

	audit_symbolizer_prepare(n);
	if (locations_nr(n->locations) > MAX_LOCATIONS)
		locations_clear(n->locations);
	epoch = processes_epoch(n->processes, pid, exec_id, UINT64_MAX);
	if (epoch < 0)
		return epoch;
	for (uint32_t i = 0; i < nr; i++)
		nr_out += name_address(n, epoch, addresses[i], out + nr_out, max - nr_out);
	for (uint32_t i = 0; i < nr; i++)
		release_perfmap(n, epoch, addresses[i]);
	return nr_out;
}
