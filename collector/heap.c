// SPDX-License-Identifier: GPL-2.0
#include "heap.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
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
#include "linkmap.h"
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

/* Takes fd over. NULL: out of memory, or no regular file. */
static struct file *keep_file(struct heap *h, int fd)
{
	struct file *files;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
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

/* Only probes need it open, and those are of few files. */
static void drop_unused(struct heap *h, struct file *file)
{
	if (file->added[ALLOCATOR_COMMON] || file->added[ALLOCATOR_PREFIXED])
		return;
	close(file->fd);
	h->nr_files--;		/* it was the last, or it would have been used */
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
static int add_allocator(struct heap *h, struct file *file, enum allocator_names names)
{
	struct allocator a;
	int err = 0;

	if (file->added[names])
		return 1;
	if (allocator_read(file->fd, names, &a) || !a.nr)
		return 0;
	for (unsigned int i = 0; !err && i < a.nr; i++) {
		const struct pprof_heap_probe probe = {
			.fd = file->fd, .kind = a.list[i].kind, .offset = a.list[i].offset,
		};

		err = add_probe(h, &probe);
	}
	file->added[names] = true;
	return err ? err : 1;
}

/* Without CAP_CHECKPOINT_RESTORE the path must do: it may be another file's by now. */
static int open_inode(const char *path, uint64_t ino)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || st.st_ino != ino)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct opening {
	pid_t pid;
	uint64_t address;
	int fd;
};

static int open_at(void *ctx, const struct maps_entry *e, const char *name)
{
	struct opening *opening = ctx;
	char path[PATH_MAX + 32];

	if (opening->address < e->start || opening->address >= e->end)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, opening->pid,
		 e->start, e->end);
	opening->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (opening->fd < 0 && *name == '/' && !e->deleted) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", opening->pid, name);
		opening->fd = open_inode(path, e->ino);
	}
	return 1;
}

static int open_exe(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Of what others look up by name the first serves all; 0 or a negative errno. */
static int look_into(struct heap *h, int fd, bool *has_common, bool *has_any)
{
	struct file *file = keep_file(h, fd);
	int common = 0, prefixed;

	if (!file)
		return 0;
	if (!*has_common)
		common = add_allocator(h, file, ALLOCATOR_COMMON);
	prefixed = add_allocator(h, file, ALLOCATOR_PREFIXED);
	drop_unused(h, file);
	if (common < 0 || prefixed < 0)
		return -E2BIG;
	*has_common |= common;
	*has_any |= common | prefixed;
	return 0;
}

static int look_into_linked(struct heap *h, pid_t pid, bool *has_common, bool *has_any)
{
	uint64_t addresses[LINKMAP_MAX];
	size_t nr = linkmap_read(pid, addresses);
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		struct opening opening = { .pid = pid, .address = addresses[i], .fd = -1 };

		procfs_maps(pid, open_at, &opening);
		if (opening.fd >= 0)
			err = look_into(h, opening.fd, has_common, has_any);
	}
	return err;
}

static int add_process(struct heap *h, pid_t pid)
{
	bool has_common = false, has_any = false;
	int fd = open_exe(pid), err;

	err = fd < 0 ? 0 : look_into(h, fd, &has_common, &has_any);
	if (!err)
		err = look_into_linked(h, pid, &has_common, &has_any);
	if (err)
		return err;
	return has_any ? 0 : -ENOENT;
}

/* As execvp() finds it; -1: not, or it may not be read. */
static int open_program(const char *program)
{
	const char *list = getenv("PATH"), *end;
	char path[PATH_MAX];
	int fd;

	if (strchr(program, '/'))
		return open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	for (; list && *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		snprintf(path, sizeof(path), "%.*s/%s", (int)(end - list), list, program);
		fd = access(path, X_OK) ? -1 :
			open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

static int add_program(struct heap *h, const char *program, pid_t pid)
{
	bool has_common = false, has_any = false;
	int fd = open_program(program), err;

	err = fd < 0 ? 0 : look_into(h, fd, &has_common, &has_any);
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

int heap_tell(struct heap *h, struct dev *dev, pid_t pid)
{
	int err;

	if (!h)
		return 0;
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
