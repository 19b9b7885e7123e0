// SPDX-License-Identifier: GPL-2.0
#include "session/heap_probes.h"

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

#include "arch/probed_call.h"
#include "session/allocator_symbols.h"
#include "base/array.h"
#include "session/heap_errors.h"
#include "device/device.h"
#include "session/linked_files.h"
#include "procfs/live_thread.h"
#include "procfs/procfs.h"

/* Limit of bytes of all files that are read. A target may map huge sparse files on purpose. */
#define MAX_BYTES	(UINT64_C(16) << 30)

/* The calls that are timed, and the bytes a sample of the session that times them. */
#define TRIES		2000
#define TRIED_PERIOD	(1U << 20)
#define MIN_RING_BYTES	PPROF_MIN_RING_BYTES
#define NS_PER_SECOND	1e9

enum state { UNREAD, NONE, ADDED };

/* A file that was read for allocators. Processes that map it share it. */
struct file {
	int fd;			/* for the probes in this file; negative: not opened */
	dev_t dev;
	ino_t ino;
	uint64_t bytes;
	enum state states[2];	/* by enum allocator_names */
};

struct heap {
	struct device *dev;
	struct file *files;
	size_t nr_files;
	size_t room;
	uint64_t left_bytes;	/* the part of MAX_BYTES that may still be read */
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES];
	uint32_t nr_probes;
	uint32_t nr_left_out;	/* children whose allocator could not be added */
	double trap_ns;		/* cost of one hit; 0: it could not be measured */
};

struct heap *heap_new(void)
{
	struct heap *h = calloc(1, sizeof(*h));

	if (h)
		h->left_bytes = MAX_BYTES;
	return h;
}

void heap_free(struct heap *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nr_files; i++)
		if (h->files[i].fd >= 0)
			close(h->files[i].fd);
	free(h->files);
	free(h);
}

/* Returns: the entry of an open file, which may be new; or NULL if fstat() or memory failed. */
static struct file *find_file(struct heap *h, int fd)
{
	struct file *files;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	for (size_t i = 0; i < h->nr_files; i++)
		if (h->files[i].dev == st.st_dev && h->files[i].ino == st.st_ino)
			return &h->files[i];
	files = array_grow(h->files, &h->room, h->nr_files + 1, sizeof(*files));
	if (!files)
		return NULL;
	h->files = files;
	files[h->nr_files] = (struct file){
		.fd = -1, .dev = st.st_dev, .ino = st.st_ino, .bytes = st.st_size,
	};
	return &files[h->nr_files++];
}

/* PPROF_IOC_HEAP needs the probes in the order of their functions. */
static int by_function(const void *left, const void *right)
{
	const struct pprof_heap_probe *a = left, *b = right;

	return (a->function > b->function) - (a->function < b->function);
}

/*
 * Sends all probes. If the module refuses them, it keeps the probes of the last call.
 * Returns: 0, or a negative errno of device_heap().
 */
static int send(const struct heap *h)
{
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES];

	memcpy(probes, h->probes, h->nr_probes * sizeof(*probes));
	qsort(probes, h->nr_probes, sizeof(*probes), by_function);
	return device_heap(h->dev, probes, h->nr_probes);
}

/*
 * One function may have several names: it gets one probe.
 * Returns: 0, or -E2BIG.
 */
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

/*
 * Adds all probes of a file, or none of them.
 * Returns: 0; -E2BIG; or a negative errno of device_heap().
 */
static int add_probes(struct heap *h, int fd, const struct allocator *a)
{
	uint32_t nr_before = h->nr_probes;
	int err = 0;

	for (unsigned int i = 0; !err && i < a->nr; i++) {
		const struct pprof_heap_probe probe = {
			.fd = fd, .function = a->list[i].function, .offset = a->list[i].offset,
		};

		err = add_probe(h, &probe);
	}
	if (!err)
		err = send(h);
	if (err)
		h->nr_probes = nr_before;
	return err;
}

static bool spend(struct heap *h, uint64_t bytes)
{
	if (bytes > h->left_bytes)
		return false;
	h->left_bytes -= bytes;
	return true;
}

/*
 * Adds the functions of an allocator, if the file has one, and is within left_bytes. After an error
 * the file stays UNREAD.
 * Returns: 0, or a negative errno.
 */
static int read_file(struct heap *h, struct file *file, int fd, enum allocator_names names)
{
	struct allocator a;
	int err;

	file->states[names] = NONE;
	if (!spend(h, file->bytes) || allocator_read(fd, names, &a) || !a.nr)
		return 0;
	if (file->fd < 0)
		file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	err = file->fd < 0 ? -errno : add_probes(h, file->fd, &a);
	file->states[names] = err ? UNREAD : ADDED;
	return err;
}

/* Returns: 1 if the file has such an allocator; 0 if not; or a negative errno. */
static int add_allocator(struct heap *h, int fd, enum allocator_names names)
{
	struct file *file = find_file(h, fd);
	int err = 0;

	if (!file)
		return -ENOMEM;
	if (file->states[names] == UNREAD)
		err = read_file(h, file, fd, names);
	return err ? err : file->states[names] == ADDED;
}

/*
 * Adds the allocators in the files. For a common name, the dynamic linker uses the first file that
 * has it, in all files. So common names in later files are left out.
 * Returns: 0, or a negative errno.
 */
static int add_linked(struct heap *h, const struct linked_files *l, bool *has_common, bool *has_any)
{
	int common, prefixed;

	for (size_t i = 0; i < l->nr; i++) {
		common = *has_common ? 0 : add_allocator(h, l->fds[i], ALLOCATOR_COMMON);
		prefixed = add_allocator(h, l->fds[i], ALLOCATOR_PREFIXED);
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

	snprintf(path, sizeof(path), "/proc/%d/exe", live_thread(pid));
	return open(path, O_RDONLY | O_CLOEXEC);
}

/*
 * Returns: 0; -ENOENT if no file of the process has an allocator; -ESTALE if none is found, and
 * some files could not be opened; or another negative errno.
 */
static int add_process(struct heap *h, pid_t pid)
{
	bool has_common = false, has_any = false;
	struct linked_files linked;
	int err = linked_files_of_process(&linked, pid);

	if (!err)
		err = add_linked(h, &linked, &has_common, &has_any);
	linked_files_fini(&linked);
	if (err || has_any)
		return err;
	return linked.nr_unopened ? -ESTALE : -ENOENT;
}

/*
 * A script has no allocator itself, and its interpreter is not searched. pid is a child of this
 * process: it maps libc, and the interpreter most likely uses the same libc.
 * Returns: as add_process().
 */
static int add_program(struct heap *h, char *const *argv, pid_t pid)
{
	bool has_common = false, has_any = false;
	struct linked_files linked;
	int err, is_known = linked_files_of_program(&linked, argv);

	err = is_known < 0 ? is_known : add_linked(h, &linked, &has_common, &has_any);
	linked_files_fini(&linked);
	if (!err && !has_common && !is_known)
		return add_process(h, pid);
	return err || has_any ? err : -ENOENT;
}

/* Returns: 0 if err is 0, else -1 after it printed the cause. */
static int print_error(pid_t pid, int err)
{
	if (err)
		heap_error_print(pid, err);
	return err ? -1 : 0;
}

/*
 * Checks the rights early: the module checks them first, and then refuses an empty list (EINVAL).
 */
int heap_set_device(struct heap *h, struct device *dev)
{
	int err = 0;

	if (h) {
		h->dev = dev;
		err = device_heap(dev, NULL, 0);
	}
	return print_error(0, err == -EINVAL ? 0 : err);
}

int heap_add_process(struct heap *h, pid_t pid)
{
	return h ? print_error(pid, add_process(h, pid)) : 0;
}

int heap_add_program(struct heap *h, char *const *argv, pid_t pid)
{
	return h ? print_error(pid, add_program(h, argv, pid)) : 0;
}

void heap_add_child(struct heap *h, pid_t pid)
{
	int err;

	if (!h)
		return;
	err = add_process(h, pid);
	h->nr_left_out += err && err != -ENOENT && err != -ESRCH;
}

/* A procfs_maps() callback: writes the file offset of arch_probed_call() to ctx, and ends. */
static int find_probed_call(void *ctx, const struct maps_entry *e, const char *name)
{
	uint64_t address = (uintptr_t)arch_probed_call, *offset = ctx;

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
		arch_probed_call();
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - begin.tv_sec) * NS_PER_SECOND + end.tv_nsec - begin.tv_nsec) / TRIES;
}

/*
 * Probes arch_probed_call() as if it were free(). No object that it seems to free was sampled, so a
 * call costs only the trap.
 * Returns: ns of one call, or 0 if it could not be measured.
 */
static double try(struct device *dev, int fd)
{
	struct pprof_heap_probe probe = { .fd = fd, .function = PPROF_HEAP_FREE };
	pid_t pid = getpid();
	uint64_t exec_id;

	if (!procfs_maps(pid, find_probed_call, &probe.offset) ||
	    device_setup(dev, 0, MIN_RING_BYTES, 0) || device_attach(dev, &pid, &exec_id) ||
	    device_heap(dev, &probe, 1) || device_start(dev, PPROF_SOURCE_HEAP, TRIED_PERIOD))
		return 0;
	return time_calls();
}

static double measure_trap(void)
{
	struct device *dev = device_open();
	int fd = open_exe(getpid());
	double ns = dev && fd >= 0 ? try(dev, fd) : 0;

	if (fd >= 0)
		close(fd);
	device_close(dev);
	return ns;
}

void heap_warn_of_children(const struct heap *h)
{
	if (h && h->nr_left_out)
		warnx("heap: %u children are left out: their files cannot be read, or there are too "
		      "many allocators: run as root, or name fewer processes", h->nr_left_out);
}

void heap_measure_trap(struct heap *h)
{
	if (h)
		h->trap_ns = measure_trap();
}

void heap_warn_of_execs(const struct heap *h, int64_t nr)
{
	if (h && nr > 0)
		warnx("heap: %" PRIi64 " programs were executed meanwhile, and allocators in other "
		      "files than before are missing: profile them again", nr);
}

void heap_warn_of_lost_frees(const struct heap *h, uint64_t nr)
{
	if (h && nr)
		warnx("heap: %" PRIu64 " frees were lost, so less memory is in use than the profile "
		      "shows: give more --buffer-pages", nr);
}

void heap_warn_of_empty(const struct heap *h, uint64_t traps, uint64_t samples, uint64_t lost)
{
	if (!h || samples)
		return;
	if (!traps)
		warnx("heap: no call of an allocator was seen: the program made none, or its allocator "
		      "is not known: use --profile growth");
	else if (lost)
		warnx("heap: all %" PRIu64 " samples were lost: give more --buffer-pages", lost);
	else
		warnx("heap: none of the objects that were allocated was sampled: give a smaller "
		      "--heap-rate, or more time");
}

void heap_print_cost(const struct heap *h, FILE *out, uint64_t traps)
{
	if (!h)
		return;
	fprintf(out, "heap: %" PRIu64 " calls of the allocator hit a breakpoint", traps);
	if (h->trap_ns)
		fprintf(out, ", at least %.3g us each as measured here: %.3g s of the program's time",
			h->trap_ns / 1000, traps * h->trap_ns / NS_PER_SECOND);
	fputc('\n', out);
}
