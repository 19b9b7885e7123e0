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

#define NR_THREADS	64
#define MAX_RANGES	1024
#define LINE_SIZE	8192
#define VDSO_BYTES	65536	/* at most */

/* The table of a file. It is compiled at the first mapping of the file. */
struct compiled {
	bool tried;
	struct pprof_table *table;	/* NULL: the file has none */
};

struct mapping {
	uint64_t start;
	uint64_t end;
	uint64_t offset;	/* of start in the file */
	uint32_t file;
};

/* The mappings of the process of a thread. Two threads of a process have a copy each. */
struct process_maps {
	pid_t tid;
	uint64_t nr_mappings;	/* as at the last read */
	struct pprof_process_ranges *ranges;
	size_t nr;
	struct mapping mappings[MAX_RANGES];
};

static struct process_maps threads[NR_THREADS];
static struct process_maps *last;
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

/* Returns: a table, which is never freed, or NULL. */
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

static void add(struct process_maps *p, const struct maps_entry *e)
{
	struct pprof_range range = { e->start, e->end, e->start - e->offset, 0, 0 };
	uint32_t file;

	if (!e->executable || p->nr == MAX_RANGES)
		return;
	file = intern(p->tid, e);
	p->mappings[p->nr++] = (struct mapping){ e->start, e->end, e->offset, file };
	/* It refuses [vsyscall], which is not user memory. */
	pprof_process_ranges_add(p->ranges, &range, table_of(e, file));
}

static void read_maps(struct process_maps *p)
{
	char path[64], line[LINE_SIZE];
	struct maps_entry e;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", p->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!maps_parse_line(line, strlen(line), &e))
			add(p, &e);
	if (f)
		fclose(f);
}

const struct pprof_process_ranges *process_maps_ranges(pid_t tid, uint64_t nr_mappings)
{
	struct process_maps *p = &threads[tid % NR_THREADS];

	last = p;
	if (p->tid == tid && p->nr_mappings == nr_mappings)
		return p->ranges;
	if (!p->ranges)
		p->ranges = or_die(malloc(sizeof(*p->ranges) +
					  MAX_RANGES * sizeof(*p->ranges->ranges)));
	p->tid = tid;
	p->nr_mappings = nr_mappings;
	p->ranges->epoch = ++epoch;
	p->ranges->nr_ranges = 0;
	p->nr = 0;
	read_maps(p);
	return p->ranges;
}

static const struct mapping *find(const struct process_maps *p, uint64_t address)
{
	for (size_t i = 0; i < p->nr; i++)
		if (address >= p->mappings[i].start && address < p->mappings[i].end)
			return &p->mappings[i];
	return NULL;
}

void process_maps_name(uint64_t address, char *buf, size_t size)
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
