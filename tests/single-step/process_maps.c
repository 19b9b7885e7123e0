// SPDX-License-Identifier: GPL-2.0
#include "process_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "unwind/compile.h"
#include "process/mapped_files.h"
#include "procfs/maps.h"
#include "memory.h"
#include "kmod/unwind/process_ranges.h"

#define NR_IMAGES	64
#define MAX_RANGES	1024
#define LINE_SIZE	8192
#define VDSO_BYTES	65536	/* at most */

/* Of a file: compiled when it is met first. */
struct compiled {
	bool tried;
	struct pprof_table *table;	/* NULL: it has none */
};

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;	/* of start in the file */
	uint32_t file;
};

/* What a thread's process has mapped; two threads of one have one each. */
struct image {
	pid_t tid;
	uint64_t nr_mappings;
	struct pprof_process_ranges *address_space;
	size_t nr;
	struct mapping mappings[MAX_RANGES];
};

static struct image images[NR_IMAGES];
static struct image *last;
static struct mapped_files *files;
static struct compiled *compiled;	/* by the number of the file */
static size_t room_for_compiled;
static uint64_t epoch;

static void *or_die(void *mem)
{
	if (mem)
		return mem;
	perror("single-step");
	exit(2);
}

static uint32_t intern(pid_t tid, const struct maps_entry *e)
{
	char path[LINE_SIZE];
	struct mapped_files_key key = { e->dev_major, e->dev_minor, e->ino, path };
	struct mapped_files_mapping mapping = { .pid = tid, .start = e->start, .end = e->end };

	if (!files)
		files = or_die(mapped_files_new());
	if (maps_entry_name(e, path, sizeof(path)) < 0)
		return MAPPED_FILES_NONE;
	return mapped_files_intern(files, &key, &mapping);
}

static int compile_file(const char *path, struct cfi *cfi)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = cfi_compile(fd, cfi);
	close(fd);
	return err;
}

static int compile_vdso(const struct maps_entry *e, struct cfi *cfi)
{
	static uint64_t vdso[VDSO_BYTES / sizeof(uint64_t)];

	return cfi_compile_memory(vdso, memory_read(e->start, vdso, sizeof(vdso)), cfi);
}

/* Tables are kept for ever. */
static struct pprof_table *compile(const struct maps_entry *e, const char *path)
{
	struct pprof_table *table = or_die(malloc(sizeof(*table)));
	struct cfi cfi;
	int err;

	if (!strcmp(path, "[vdso]"))
		err = compile_vdso(e, &cfi);
	else
		err = e->ino ? compile_file(path, &cfi) : -ENODATA;
	if (!err)
		err = pprof_table_init(table, cfi.table, cfi.bytes);
	if (!err)
		return table;
	if (err != -ENODATA)
		fprintf(stderr, "single-step: %s has no table: %s\n", path, strerror(-err));
	free(table);
	return NULL;
}

static const struct pprof_table *table_of(const struct maps_entry *e, uint32_t file)
{
	size_t room = room_for_compiled;

	compiled = or_die(array_grow(compiled, &room_for_compiled, file + 1, sizeof(*compiled)));
	memset(compiled + room, 0, (room_for_compiled - room) * sizeof(*compiled));
	if (!compiled[file].tried)
		compiled[file].table = compile(e, mapped_files_path(files, file));
	compiled[file].tried = true;
	return compiled[file].table;
}

static void add(struct image *im, const struct maps_entry *e)
{
	struct pprof_range range = { e->start, e->end, e->start - e->offset, 0, 0 };
	uint32_t file;

	if (!e->executable || im->nr == MAX_RANGES)
		return;
	file = intern(im->tid, e);
	im->mappings[im->nr++] = (struct mapping){ e->start, e->end, e->offset, file };
	/* [vsyscall] is no memory of a user. */
	pprof_process_ranges_add(im->address_space, &range, table_of(e, file));
}

static void read_maps(struct image *im)
{
	char path[64], line[LINE_SIZE];
	struct maps_entry e;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", im->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!maps_parse_line(line, strlen(line), &e))
			add(im, &e);
	if (f)
		fclose(f);
}

const struct pprof_process_ranges *images_space(pid_t tid, uint64_t nr_mappings)
{
	struct image *im = &images[tid % NR_IMAGES];

	last = im;
	if (im->tid == tid && im->nr_mappings == nr_mappings)
		return im->address_space;
	if (!im->address_space)
		im->address_space = or_die(malloc(sizeof(*im->address_space) +
						  MAX_RANGES * sizeof(*im->address_space->ranges)));
	im->tid = tid;
	im->nr_mappings = nr_mappings;
	im->address_space->epoch = ++epoch;
	im->address_space->nr_ranges = 0;
	im->nr = 0;
	read_maps(im);
	return im->address_space;
}

static const struct mapping *find(const struct image *im, uint64_t address)
{
	for (size_t i = 0; i < im->nr; i++)
		if (address >= im->mappings[i].start && address < im->mappings[i].end)
			return &im->mappings[i];
	return NULL;
}

void images_name(uint64_t address, char *buf, size_t size)
{
	const struct mapping *m = find(last, address);
	struct frame line;
	uint64_t offset;
	int nr;

	if (!m) {
		snprintf(buf, size, "%#" PRIx64, address);
		return;
	}
	offset = address - m->start + m->offset;
	nr = mapped_files_lookup(files, m->file, offset, &line, 1);
	snprintf(buf, size, "%s+%#" PRIx64 " %s", mapped_files_path(files, m->file), offset,
		 nr > 0 ? line.name : "");
}
