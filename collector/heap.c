// SPDX-License-Identifier: GPL-2.0
#include "heap.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "allocator.h"
#include "array.h"
#include "complain.h"
#include "dev.h"
#include "linked.h"
#include "procfs.h"

#define TRIES		2000
#define TRIED_PERIOD	(1U << 20)
#define MIN_RING_BYTES	PPROF_MIN_RING_BYTES
#define NS_PER_SECOND	1e9

struct file {
	int fd;
	dev_t dev;
	ino_t ino;
	bool added[2];	/* by enum allocator_names: its functions are among the probes */
};

struct heap {
	struct file *files;
	size_t nr_files;
	size_t room;
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES];
	uint32_t nr_probes;
	double trap_ns;		/* 0: could not be tried */
};

struct heap *heap_new(void)
{
	return calloc(1, sizeof(struct heap));
}

void heap_free(struct heap *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nr_files; i++)
		close(h->files[i].fd);
	free(h->files);
	free(h);
}

/* Takes fd over, which may be -1. NULL: out of memory, or of files. */
static struct file *keep_file(struct heap *h, int fd)
{
	struct file *files;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	for (size_t i = 0; i < h->nr_files; i++)
		if (h->files[i].dev == st.st_dev && h->files[i].ino == st.st_ino) {
			close(fd);
			return &h->files[i];
		}
	files = array_grow(h->files, &h->room, h->nr_files + 1, sizeof(*files));
	if (!files) {
		close(fd);
		return NULL;
	}
	h->files = files;
	files[h->nr_files] = (struct file){ .fd = fd, .dev = st.st_dev, .ino = st.st_ino };
	return &files[h->nr_files++];
}

static int dup_file(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* malloc() may have another name, too. 0 or -E2BIG. */
static int add_probe(struct heap *h, const struct pprof_heap_probe *probe)
{
	for (uint32_t i = 0; i < h->nr_probes; i++)
		if (h->probes[i].fd == probe->fd && h->probes[i].offset == probe->offset)
			return 0;
	if (h->nr_probes == PPROF_MAX_HEAP_PROBES)
		return -E2BIG;
	h->probes[h->nr_probes++] = *probe;
	return 0;
}

/* 1: it is one; 0: not; or a negative errno. */
static int add_allocator(struct heap *h, const struct linked *l, size_t nr,
			 enum allocator_names names)
{
	struct pprof_heap_probe probe;
	struct allocator a;
	struct file *file;
	int err = 0;

	if (allocator_read(l->fds[nr], names, &a) || !a.nr)
		return 0;
	file = keep_file(h, dup_file(l->fds[nr]));
	if (!file)
		return -ENOMEM;
	if (file->added[names])
		return 1;
	file->added[names] = true;
	probe.fd = file->fd;
	for (unsigned int i = 0; !err && i < a.nr; i++) {
		probe.kind = a.list[i].kind;
		probe.offset = a.list[i].offset;
		err = add_probe(h, &probe);
	}
	return err ? err : 1;
}

/* Of what others look up by name the first serves all; 0 or a negative errno. */
static int add_linked(struct heap *h, const struct linked *l, bool *has_common, bool *has_any)
{
	int common, prefixed;

	for (size_t i = 0; i < l->nr; i++) {
		common = *has_common ? 0 : add_allocator(h, l, i, ALLOCATOR_COMMON);
		prefixed = add_allocator(h, l, i, ALLOCATOR_PREFIXED);
		if (common < 0 || prefixed < 0)
			return common < 0 ? common : prefixed;
		*has_common |= common;
		*has_any |= common | prefixed;
	}
	return 0;
}

static int open_exe(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int add_process(struct heap *h, pid_t pid)
{
	bool has_common = false, has_any = false;
	struct linked linked;
	int err;

	linked_of_process(&linked, pid);
	err = add_linked(h, &linked, &has_common, &has_any);
	linked_fini(&linked);
	if (err)
		return err;
	return has_any ? 0 : -ENOENT;
}

/* A script brings nothing itself; what runs it mostly has the libc that we have. */
static int add_program(struct heap *h, const char *program, pid_t pid)
{
	bool has_common = false, has_any = false;
	struct linked linked;
	int err;

	linked_of_program(&linked, program);
	err = add_linked(h, &linked, &has_common, &has_any);
	linked_fini(&linked);
	return err || has_common ? err : add_process(h, pid);
}

static int complain(pid_t pid, int err)
{
	if (err)
		complain_heap(pid, err);
	return err ? -1 : 0;
}

/* With rights, it is only that no function is told. */
int heap_check(const struct heap *h, struct dev *dev)
{
	int err = h ? dev_heap(dev, NULL, 0) : 0;

	return complain(0, err == -EINVAL ? 0 : err);
}

int heap_add_process(struct heap *h, pid_t pid)
{
	return h ? complain(pid, add_process(h, pid)) : 0;
}

int heap_add_program(struct heap *h, const char *program, pid_t pid)
{
	return h ? complain(pid, add_program(h, program, pid)) : 0;
}

void heap_add_child(struct heap *h, pid_t pid)
{
	if (h)
		add_process(h, pid);
}

/* Begins as malloc() does, with what the kernel emulates. */
__attribute__((naked, noinline)) static void trapped(void)
{
	__asm__("push %rbp\n\tpop %rbp\n\tret");
}

static int find_trapped(void *ctx, const struct maps_entry *e, const char *name)
{
	uint64_t address = (uintptr_t)trapped, *offset = ctx;

	(void)name;
	if (address < e->start || address >= e->end)
		return 0;
	*offset = address - e->start + e->offset;
	return 1;
}

static double time_calls(void)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < TRIES; i++)
		trapped();
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * NS_PER_SECOND + end.tv_nsec - begin.tv_nsec) / TRIES;
}

/* As a free() of what was never sampled: nothing but the trap. */
static double try(struct dev *dev, int fd)
{
	struct pprof_heap_probe probe = { .fd = fd, .kind = PPROF_HEAP_FREE };
	pid_t pid = getpid();
	uint64_t image;

	if (!procfs_maps(pid, find_trapped, &probe.offset) ||
	    dev_setup(dev, 0, MIN_RING_BYTES, 0) || dev_attach(dev, &pid, &image) ||
	    dev_heap(dev, &probe, 1) || dev_start(dev, PPROF_SOURCE_HEAP, TRIED_PERIOD))
		return 0;
	return time_calls();
}

static double try_trap(void)
{
	struct dev *dev = dev_open();
	int fd = open_exe(getpid());
	double ns = dev && fd >= 0 ? try(dev, fd) : 0;

	if (fd >= 0)
		close(fd);
	dev_close(dev);
	return ns;
}

/* As PPROF_IOC_HEAP wants them. */
static int by_kind(const void *left, const void *right)
{
	const struct pprof_heap_probe *a = left, *b = right;

	return (a->kind > b->kind) - (a->kind < b->kind);
}

int heap_tell(struct heap *h, struct dev *dev, pid_t pid)
{
	int err;

	if (!h)
		return 0;
	qsort(h->probes, h->nr_probes, sizeof(*h->probes), by_kind);
	err = dev_heap(dev, h->probes, h->nr_probes);
	if (!err)
		h->trap_ns = try_trap();
	return complain(pid, err);
}

void heap_warn_of_execs(const struct heap *h, int64_t nr)
{
	if (h && nr > 0)
		warnx("heap: %" PRIi64 " programs were executed meanwhile, and a heap profile does not "
		      "follow that: if their allocator is in another file, nothing is known of it",
		      nr);
}

void heap_print_cost(const struct heap *h, FILE *out, uint64_t traps)
{
	if (!h)
		return;
	fprintf(out, "heap: %" PRIu64 " calls of the allocator were stopped", traps);
	if (h->trap_ns)
		fprintf(out, ", %.3g us each as tried here: %.3g s of the program's time",
			h->trap_ns / 1000, traps * h->trap_ns / NS_PER_SECOND);
	fputc('\n', out);
}
