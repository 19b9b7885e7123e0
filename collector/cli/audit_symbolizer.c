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

/* Some 50 MB. Threads may have been made from any address, and nobody asks for most again. */
#define MAX_LOCATIONS	(1U << 18)

struct namer {
	struct dev *dev;	/* of all processes, with no source started */
	struct ring **rings;
	struct files *files;
	struct procs *procs;
	struct labels *labels;
	struct locations *locations;
	struct collect *collect;
};

static int query_image(void *ctx, pid_t pid, uint64_t *image)
{
	return dev_image(ctx, pid, image);
}

static int make_parts(struct namer *n)
{
	struct collect_parts parts = { .max_stacks = 1 };
	uint32_t nr_rings = dev_nr_rings(n->dev);

	n->rings = calloc(nr_rings, sizeof(struct ring *));
	n->files = files_new();
	n->procs = procs_new(n->files, query_image, n->dev);
	n->labels = labels_new(0);
	n->locations = locations_new(n->files);
	parts.procs = n->procs;
	parts.labels = n->labels;
	parts.locations = n->locations;
	n->collect = collect_new(&parts);
	if (!n->rings || !n->files || !n->procs || !n->labels || !n->locations || !n->collect)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < nr_rings; cpu++)
		n->rings[cpu] = dev_ring(n->dev, cpu);
	return 0;
}

struct namer *namer_new(void)
{
	struct namer *n = calloc(1, sizeof(*n));
	int err = 0;

	if (!n)
		return NULL;
	n->dev = dev_open();
	if (!n->dev)
		err = -errno;
	if (!err)
		err = dev_setup(n->dev, PPROF_SETUP_ALL, RING_BYTES, 0);
	if (!err)
		err = make_parts(n);
	if (!err)
		return n;
	namer_free(n);
	errno = -err;
	return NULL;
}

void namer_free(struct namer *n)
{
	if (!n)
		return;
	collect_free(n->collect);
	locations_free(n->locations);
	labels_free(n->labels);
	procs_free(n->procs);
	files_free(n->files);
	free(n->rings);
	dev_close(n->dev);
	free(n);
}

int namer_fd(const struct namer *n)
{
	return dev_fd(n->dev);
}

/* Out of memory, names are missing: no reason to end an audit. */
void namer_prepare(void *ctx)
{
	struct namer *n = ctx;

	collect_drain(n->collect, n->rings, dev_nr_rings(n->dev));
}

static uint32_t name_address(struct namer *n, uint32_t space, uint64_t addr,
			     struct audit_frame *out, uint32_t max)
{
	int64_t id = locations_intern(n->locations, procs_maps(n->procs, space), addr - 1);
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

/* A perf map takes as much as its process likes; what had a name there keeps it. */
static void release_perfmap(struct namer *n, uint32_t space, uint64_t addr)
{
	int64_t id = locations_intern(n->locations, procs_maps(n->procs, space), addr - 1);
	uint32_t file = id < 0 ? FILES_NONE : locations_file(n->locations, id);

	if (files_is_memory(n->files, file))
		files_release_names(n->files, file);
}

int namer_name(void *ctx, pid_t pid, uint64_t image, const uint64_t *addresses, uint32_t nr,
	       struct audit_frame *out, uint32_t max)
{
	struct namer *n = ctx;
	uint32_t nr_out = 0;
	int64_t space;

	namer_prepare(n);
	if (locations_nr(n->locations) > MAX_LOCATIONS)
		locations_clear(n->locations);
	space = procs_space(n->procs, pid, image, UINT64_MAX);
	if (space < 0)
		return space;
	for (uint32_t i = 0; i < nr; i++)
		nr_out += name_address(n, space, addresses[i], out + nr_out, max - nr_out);
	for (uint32_t i = 0; i < nr; i++)
		release_perfmap(n, space, addresses[i]);
	return nr_out;
}
