// SPDX-License-Identifier: GPL-2.0
#include "device/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Limit of tries for a process that calls exec during each try (-EAGAIN). */
#define MAX_TRIES	100

struct device {
	int fd;
	uint32_t nr_rings;
	uint32_t ring_bytes;
	struct ring *rings;
	int cgroup;		/* for device_setup(); 0: none */
	bool losses_ended;
	/* The loss counters at device_end_losses(). */
	uint64_t lost[PPROF_NR_CLASSES][PPROF_MAX_LOST];
};

/* The answer to PPROF_IOC_INFO of the last device_open(). */
static struct pprof_info info;

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = info.abi_major;
	*minor = info.abi_minor;
}

static int check_abi(int fd)
{
	info = (struct pprof_info){ .size = sizeof(info) };
	/* A module without PPROF_IOC_INFO has another ABI. */
	if (ioctl(fd, PPROF_IOC_INFO, &info))
		return errno == ENOTTY ? -EPROTO : -errno;
	if (info.abi_major != PPROF_ABI_MAJOR || info.abi_minor < PPROF_ABI_MINOR)
		return -EPROTO;
	return 0;
}

struct device *device_open(void)
{
	struct device *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return NULL;
	d->fd = open("/dev/pprof", O_RDWR | O_CLOEXEC);
	err = d->fd < 0 ? -errno : check_abi(d->fd);
	if (err) {
		device_close(d);
		errno = -err;
		return NULL;
	}
	d->nr_rings = info.nr_cpus;
	return d;
}

static size_t data_size(const struct device *d)
{
	return d->ring_bytes + (size_t)sysconf(_SC_PAGESIZE);
}

static void unmap_ring(const struct device *d, struct ring *r)
{
	if (r->tail_page)
		munmap(r->tail_page, sysconf(_SC_PAGESIZE));
	if (r->head_page)
		munmap((void *)r->head_page, data_size(d));
}

void device_close(struct device *d)
{
	if (!d)
		return;
	for (uint32_t cpu = 0; d->rings && cpu < d->nr_rings; cpu++)
		unmap_ring(d, &d->rings[cpu]);
	free(d->rings);
	if (d->fd >= 0)
		close(d->fd);
	free(d);
}

/*
 * Maps one ring: the tail page, and the head page with the data after it. For a CPU that the
 * machine cannot have, mmap() fails with ENXIO. Then the ring stays unmapped, and this is no error.
 * After an error device_close() unmaps what was mapped.
 */
static int map_ring(struct device *d, uint32_t cpu)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct ring *r = &d->rings[cpu];
	void *tail, *head;

	tail = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd, PPROF_MMAP_TAIL(cpu));
	if (tail == MAP_FAILED)
		return errno == ENXIO ? 0 : -errno;
	r->tail_page = tail;
	head = mmap(NULL, data_size(d), PROT_READ, MAP_SHARED, d->fd, PPROF_MMAP_DATA(cpu));
	if (head == MAP_FAILED)
		return -errno;
	r->head_page = head;
	r->data = (unsigned char *)head + page;
	r->bytes = d->ring_bytes;
	return 0;
}

void device_set_cgroup(struct device *d, int fd)
{
	d->cgroup = fd;
}

int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames)
{
	struct pprof_setup setup = { .size = sizeof(setup), .flags = flags,
				     .ring_bytes = ring_bytes, .max_frames = max_frames,
				     .cgroup = d->cgroup };
	int err;

	if (ioctl(d->fd, PPROF_IOC_SETUP, &setup))
		return -errno;
	d->ring_bytes = ring_bytes;
	d->rings = calloc(d->nr_rings, sizeof(*d->rings));
	if (!d->rings)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < d->nr_rings; cpu++) {
		err = map_ring(d, cpu);
		if (err)
			return err;
	}
	return 0;
}

/* PPROF_IOC_ATTACH or PPROF_IOC_EXEC_ID. -EAGAIN means that the process called exec meanwhile. */
static int query_process(struct device *d, unsigned long request, pid_t *pid, uint64_t *exec_id)
{
	struct pprof_attach attach;
	int tries = 0;

	do {
		attach = (struct pprof_attach){ .size = sizeof(attach), .pid = *pid };
		if (!ioctl(d->fd, request, &attach)) {
			*pid = attach.pid;
			*exec_id = attach.exec_id;
			return 0;
		}
	} while (errno == EAGAIN && ++tries < MAX_TRIES);
	return -errno;
}

int device_attach(struct device *d, pid_t *pid, uint64_t *exec_id)
{
	return query_process(d, PPROF_IOC_ATTACH, pid, exec_id);
}

int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	return query_process(d, PPROF_IOC_EXEC_ID, &pid, exec_id);
}

int device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number)
{
	struct pprof_table_add add = { .size = sizeof(add), .data = (uintptr_t)table,
				       .bytes = bytes };

	if (ioctl(d->fd, PPROF_IOC_TABLE_ADD, &add))
		return -errno;
	*number = add.table;
	return 0;
}

int device_drop_table(struct device *d, uint32_t number)
{
	struct pprof_table_drop drop = { .size = sizeof(drop), .table = number };

	return ioctl(d->fd, PPROF_IOC_TABLE_DROP, &drop) ? -errno : 0;
}

int device_bind_table(struct device *d, uint32_t number, int fd, const struct timespec *ctime)
{
	const struct pprof_table_bind bind = { .size = sizeof(bind), .table = number, .fd = fd,
					       .ctime_sec = ctime->tv_sec,
					       .ctime_nsec = ctime->tv_nsec };

	return ioctl(d->fd, PPROF_IOC_TABLE_BIND, &bind) ? -errno : 0;
}

int device_set_ranges(struct device *d, pid_t pid, uint64_t exec_id, const struct pprof_range *list,
		      uint32_t nr, const struct pprof_tls_address *context)
{
	struct pprof_ranges ranges = { .size = sizeof(ranges), .pid = pid, .exec_id = exec_id,
				       .ranges = (uintptr_t)list, .nr = nr };

	if (context)
		ranges.context = *context;
	return ioctl(d->fd, PPROF_IOC_RANGES, &ranges) ? -errno : 0;
}

int device_heap(struct device *d, const struct pprof_heap_probe *probes, uint32_t nr)
{
	struct pprof_heap heap = { .size = sizeof(heap), .nr = nr, .probes = (uintptr_t)probes };

	return ioctl(d->fd, PPROF_IOC_HEAP, &heap) ? -errno : 0;
}

uint64_t device_heap_traps(const struct device *d)
{
	uint64_t traps = 0;

	for (uint32_t cpu = 0; cpu < d->nr_rings; cpu++)
		if (d->rings[cpu].data)
			traps += __atomic_load_n(&d->rings[cpu].head_page->heap_traps,
						 __ATOMIC_RELAXED);
	return traps;
}

int device_start(struct device *d, uint32_t source, uint64_t period)
{
	struct pprof_start start = { .size = sizeof(start), .source = source,
				     .period = period };

	return ioctl(d->fd, PPROF_IOC_START, &start) ? -errno : 0;
}

int device_stop(struct device *d, uint32_t source)
{
	struct pprof_stop stop = { .size = sizeof(stop), .source = source };

	return ioctl(d->fd, PPROF_IOC_STOP, &stop) ? -errno : 0;
}

int device_threads(struct device *d, uint32_t *next)
{
	struct pprof_threads threads = { .size = sizeof(threads), .next = *next };

	if (ioctl(d->fd, PPROF_IOC_THREADS, &threads))
		return -errno;
	*next = threads.next;
	return 0;
}

int device_custom_list(struct device *d, pid_t pid, struct pprof_custom_name *names, uint32_t room)
{
	struct pprof_custom_list list;
	int err, tries = 0;

	do {
		list = (struct pprof_custom_list){ .size = sizeof(list), .pid = pid,
						   .names = (uintptr_t)names, .room = room };
		err = ioctl(d->fd, PPROF_IOC_CUSTOM_LIST, &list) ? -errno : 0;
	} while (err == -EAGAIN && ++tries < MAX_TRIES);
	if (err)
		return err;
	return list.nr < room ? list.nr : room;
}

int device_custom_read(struct device *d, struct pprof_custom_read *read, void *data, uint32_t bytes)
{
	int err, tries = 0;

	do {
		read->size = sizeof(*read);
		read->data = (uintptr_t)data;
		read->bytes = bytes;
		err = ioctl(d->fd, PPROF_IOC_CUSTOM_READ, read) ? -errno : 0;
	} while (err == -EAGAIN && ++tries < MAX_TRIES);
	return err;
}

int device_fd(const struct device *d)
{
	return d->fd;
}

uint32_t device_nr_rings(const struct device *d)
{
	return d->nr_rings;
}

struct ring *device_ring(struct device *d, uint32_t cpu)
{
	return d->rings[cpu].data ? &d->rings[cpu] : NULL;
}

/*
 * Is the loss counter of this class frozen? Samples of wall are emitted after the end of the run,
 * too, and need the process events of that time. So these two classes go on.
 */
static bool is_frozen(const struct device *d, uint32_t class)
{
	return d->losses_ended && class != PPROF_SOURCE_WALL && class != PPROF_CLASS_EVENT;
}

uint64_t device_nr_lost_for(const struct device *d, uint32_t class, uint32_t reason)
{
	uint64_t lost = 0;

	if (is_frozen(d, class))
		return d->lost[class][reason];
	for (uint32_t cpu = 0; cpu < d->nr_rings; cpu++)
		if (d->rings[cpu].data)
			lost += __atomic_load_n(&d->rings[cpu].head_page->lost[class][reason],
						__ATOMIC_RELAXED);
	return lost;
}

uint64_t device_nr_lost(const struct device *d, uint32_t class)
{
	uint64_t lost = 0;

	for (uint32_t reason = 0; reason < PPROF_MAX_LOST; reason++)
		lost += device_nr_lost_for(d, class, reason);
	return lost;
}

void device_end_losses(struct device *d)
{
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		for (uint32_t reason = 0; reason < PPROF_MAX_LOST; reason++)
			d->lost[class][reason] = device_nr_lost_for(d, class, reason);
	d->losses_ended = true;
}

/*
 * Returns the head page of one ring, or NULL if there is none. The module writes the start and the
 * end of wall to all rings alike.
 */
static const struct pprof_ring_head *any_head(const struct device *d)
{
	for (uint32_t cpu = 0; cpu < d->nr_rings; cpu++)
		if (d->rings[cpu].data)
			return d->rings[cpu].head_page;
	return NULL;
}

uint64_t device_wall_begin_ns(const struct device *d)
{
	const struct pprof_ring_head *head = any_head(d);

	return head ? __atomic_load_n(&head->wall_begin_ns, __ATOMIC_RELAXED) : 0;
}

uint64_t device_wall_end_ns(const struct device *d)
{
	const struct pprof_ring_head *head = any_head(d);

	return head ? __atomic_load_n(&head->wall_end_ns, __ATOMIC_RELAXED) : 0;
}

static uint64_t ring_period_ns(const struct pprof_ring_head *head, uint32_t source)
{
	if (source == PPROF_SOURCE_CPU)
		return __atomic_load_n(&head->period_ns, __ATOMIC_RELAXED);
	if (source == PPROF_SOURCE_WALL)
		return __atomic_load_n(&head->wall_period_ns, __ATOMIC_RELAXED);
	return 0;
}

uint64_t device_slowest_ns(const struct device *d, uint32_t source)
{
	uint64_t slowest = 0, period;

	for (uint32_t cpu = 0; cpu < d->nr_rings; cpu++) {
		if (!d->rings[cpu].data)
			continue;
		period = ring_period_ns(d->rings[cpu].head_page, source);
		if (period > slowest)
			slowest = period;
	}
	return slowest;
}
