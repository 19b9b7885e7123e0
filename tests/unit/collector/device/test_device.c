// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/device/device.c collector/device/error_text.c
// libs: -Wl,--wrap=open,--wrap=ioctl,--wrap=mmap,--wrap=munmap
/*
 * This file simulates the module: the device is a plain file with the bytes of the rings, and
 * ioctl() is a function of this file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "capture.h"
#include "device/error_text.h"
#include "device/device.h"

#define NR_RINGS		3
#define ABSENT_CPU	1	/* the machine cannot have it */
#define RING_BYTES	32768

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_ioctl(int fd, unsigned long request, void *arg);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset);

int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

static struct {
	int open_error;
	int major;
	int minor;
	unsigned long refused;	/* this ioctl, with error, so many times */
	int error;
	int nr_refused;
	int refused_map;	/* this mmap of the device, from 1, with ENOMEM */
	int nr_maps;
	size_t mapped_bytes;
	union {
		struct pprof_setup setup;
		struct pprof_attach attach;
		struct pprof_start start;
		struct pprof_stop stop;
		struct pprof_ranges ranges;
		struct pprof_table_add add;
		struct pprof_table_bind bind;
		struct pprof_threads threads;
		struct pprof_heap heap;
		struct pprof_custom_list list;
		struct pprof_custom_read read;
	} last;
} kernel;

/* With `make coverage` a library in this program writes other files. */
int __wrap_open(const char *path, int flags, mode_t mode)
{
	if (strcmp(path, "/dev/pprof"))
		return __real_open(path, flags, mode);
	assert_int_equal(flags, O_RDWR | O_CLOEXEC);
	errno = kernel.open_error;
	return kernel.open_error ? -1 : memfd_create("pprof", 0);
}

static void answer(unsigned long request, void *arg)
{
	if (request == PPROF_IOC_INFO) {
		struct pprof_info *info = arg;

		info->abi_major = kernel.major;
		info->abi_minor = kernel.minor;
		info->nr_cpus = NR_RINGS;
	} else if (request == PPROF_IOC_ATTACH || request == PPROF_IOC_EXEC_ID) {
		struct pprof_attach *attach = arg;

		attach->pid -= 1;
		attach->exec_id = 42;
	} else if (request == PPROF_IOC_TABLE_ADD) {
		((struct pprof_table_add *)arg)->table = 5;
	} else if (request == PPROF_IOC_THREADS) {
		((struct pprof_threads *)arg)->next++;
	} else if (request == PPROF_IOC_CUSTOM_LIST) {
		((struct pprof_custom_list *)arg)->nr = 9;
	} else if (request == PPROF_IOC_CUSTOM_READ) {
		((struct pprof_custom_read *)arg)->next = 77;
		((struct pprof_custom_read *)arg)->bytes = 5000;
	}
}

/* Each argument starts with its own size. */
int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	assert_true(fd >= 0);
	assert_int_equal(*(uint32_t *)arg, _IOC_SIZE(request));
	if (request == kernel.refused && kernel.nr_refused-- > 0) {
		errno = kernel.error;
		return -1;
	}
	if (_IOC_SIZE(request) <= sizeof(kernel.last))
		memcpy(&kernel.last, arg, _IOC_SIZE(request));
	answer(request, arg);
	return 0;
}

/* Each CPU has its own part of the file. The module's offsets are mapped to it. */
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	bool is_data = offset & 1L << 31;
	int cpu = offset >> 32;

	if (fd < 0)
		return __real_mmap(addr, len, prot, flags, fd, offset);
	assert_int_equal(prot, is_data ? PROT_READ : PROT_READ | PROT_WRITE);
	assert_int_equal(flags, MAP_SHARED);
	if (++kernel.nr_maps == kernel.refused_map || cpu == ABSENT_CPU) {
		errno = cpu == ABSENT_CPU ? ENXIO : ENOMEM;
		return MAP_FAILED;
	}
	assert_int_equal(len, is_data ? 4096 + RING_BYTES : 4096);
	kernel.mapped_bytes += len;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	return __real_mmap(addr, len, prot, flags, fd, cpu << 17 | is_data << 16);
}

int __wrap_munmap(void *addr, size_t len)
{
	kernel.mapped_bytes -= len;
	return __real_munmap(addr, len);
}

static int begin(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.major = PPROF_ABI_MAJOR;
	kernel.minor = 7;
	return 0;
}

static void refuse(unsigned long request, int error, int times)
{
	kernel.refused = request;
	kernel.error = error;
	kernel.nr_refused = times;
}

static void test_open_fails(void **state)
{
	unsigned int major, minor;

	(void)state;
	kernel.open_error = EMFILE;
	assert_null(device_open());
	assert_int_equal(errno, EMFILE);
	kernel.open_error = 0;
	kernel.major = PPROF_ABI_MAJOR + 1;
	assert_null(device_open());
	assert_int_equal(errno, EPROTO);
	device_foreign_abi(&major, &minor);
	assert_int_equal(major, PPROF_ABI_MAJOR + 1);
	assert_int_equal(minor, 7);
	/* An older module lacks what this program uses, such as rules of tables. */
	kernel.major = PPROF_ABI_MAJOR;
	kernel.minor = PPROF_ABI_MINOR - 1;
	assert_null(device_open());
	assert_int_equal(errno, EPROTO);
	/* A module without INFO has another ABI. Other errors are returned unchanged. */
	refuse(PPROF_IOC_INFO, ENOTTY, 1);
	assert_null(device_open());
	assert_int_equal(errno, EPROTO);
	refuse(PPROF_IOC_INFO, EFAULT, 1);
	assert_null(device_open());
	assert_int_equal(errno, EFAULT);
	device_close(NULL);
}

/* Newer modules know all of these flags, too. */
static void test_flags(void **state)
{
	const uint32_t flags = PPROF_SETUP_SNAPSHOT | PPROF_SETUP_TABLES;

	(void)state;
	for (kernel.minor = PPROF_ABI_MINOR; kernel.minor < 4; kernel.minor++) {
		struct device *d = device_open();

		assert_non_null(d);
		assert_int_equal(device_setup(d, flags, RING_BYTES, 0), 0);
		assert_int_equal(kernel.last.setup.flags, flags);
		device_close(d);
	}
}

static void test_rings(void **state)
{
	struct device *d = device_open();

	(void)state;
	assert_non_null(d);
	device_set_cgroup(d, 12);
	assert_int_equal(device_setup(d, PPROF_SETUP_CHILDREN, RING_BYTES, 99), 0);
	assert_int_equal(kernel.last.setup.cgroup, 12);
	assert_int_equal(kernel.last.setup.flags, PPROF_SETUP_CHILDREN);
	assert_int_equal(kernel.last.setup.ring_bytes, RING_BYTES);
	assert_int_equal(kernel.last.setup.max_frames, 99);
	assert_int_equal(device_nr_rings(d), NR_RINGS);
	assert_null(device_ring(d, ABSENT_CPU));
	assert_non_null(device_ring(d, 0));
	assert_int_equal(device_ring(d, 2)->bytes, RING_BYTES);
	assert_ptr_equal(device_ring(d, 2)->data,
			 (unsigned char *)device_ring(d, 2)->head_page + 4096);
	device_ring(d, 0)->tail_page->tail = 8;
	assert_int_equal(device_ring(d, 2)->tail_page->tail, 0);
	assert_int_equal(kernel.mapped_bytes, 2 * (2 * 4096 + RING_BYTES));
	device_close(d);
	assert_int_equal(kernel.mapped_bytes, 0);
}

static void write_head(struct device *d, int cpu, size_t at, uint64_t value)
{
	assert_int_equal(pwrite(device_fd(d), &value, sizeof(value), (cpu << 17 | 1 << 16) + at),
			 sizeof(value));
}

/* Sums of one class over CPUs and reasons, and the slowest of all CPUs. */
static void test_counters(void **state)
{
	struct device *d = device_open();

	(void)state;
	assert_int_equal(device_setup(d, 0, RING_BYTES, 0), 0);
	assert_int_equal(device_nr_lost(d, 3), 0);
	assert_int_equal(device_slowest_ns(d, PPROF_SOURCE_CPU), 0);
	write_head(d, 0, offsetof(struct pprof_ring_head, lost[3][0]), 5);
	write_head(d, 2, offsetof(struct pprof_ring_head, lost[3][1]), 7);
	write_head(d, 2, offsetof(struct pprof_ring_head, lost[4][0]), 100);
	write_head(d, 0, offsetof(struct pprof_ring_head, period_ns), 40);
	write_head(d, 2, offsetof(struct pprof_ring_head, period_ns), 20);
	write_head(d, 2, offsetof(struct pprof_ring_head, wall_period_ns), 80);
	assert_int_equal(device_nr_lost(d, 3), 12);
	assert_int_equal(device_nr_lost(d, 4), 100);
	assert_int_equal(device_nr_lost_for(d, 3, 0), 5);
	assert_int_equal(device_nr_lost_for(d, 3, 1), 7);
	assert_int_equal(device_slowest_ns(d, PPROF_SOURCE_CPU), 40);
	assert_int_equal(device_slowest_ns(d, PPROF_SOURCE_WALL), 80);
	assert_int_equal(device_slowest_ns(d, PPROF_SOURCE_BLOCK), 0);
	device_close(d);
}

static void test_span_of_wall(void **state)
{
	struct device *d = device_open();

	(void)state;
	assert_int_equal(device_setup(d, 0, RING_BYTES, 0), 0);
	assert_int_equal(device_wall_end_ns(d), 0);
	write_head(d, 0, offsetof(struct pprof_ring_head, wall_begin_ns), 7);
	write_head(d, 0, offsetof(struct pprof_ring_head, wall_end_ns), 9);
	assert_int_equal(device_wall_begin_ns(d), 7);
	assert_int_equal(device_wall_end_ns(d), 9);
	device_close(d);
}

static void test_losses_of_after_the_end(void **state)
{
	const uint32_t late[] = { PPROF_SOURCE_CPU, PPROF_SOURCE_HEAP, PPROF_CLASS_FREE };
	const uint32_t growing[] = { PPROF_SOURCE_WALL, PPROF_CLASS_EVENT };
	struct device *d = device_open();

	(void)state;
	assert_int_equal(device_setup(d, 0, RING_BYTES, 0), 0);
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		write_head(d, 2, offsetof(struct pprof_ring_head, lost[class][1]), 5);
	device_end_losses(d);
	for (uint32_t class = 0; class < PPROF_NR_CLASSES; class++)
		write_head(d, 2, offsetof(struct pprof_ring_head, lost[class][1]), 8);
	for (size_t i = 0; i < sizeof(late) / sizeof(*late); i++)
		assert_int_equal(device_nr_lost(d, late[i]), 5);
	for (size_t i = 0; i < sizeof(growing) / sizeof(*growing); i++)
		assert_int_equal(device_nr_lost(d, growing[i]), 8);
	device_close(d);
}

static void test_threads(void **state)
{
	struct device *d = device_open();
	uint32_t next = 17;

	(void)state;
	assert_int_equal(device_threads(d, &next), 0);
	assert_int_equal(kernel.last.threads.next, 17);
	assert_int_equal(next, 18);
	refuse(PPROF_IOC_THREADS, ENOTTY, 1);
	assert_int_equal(device_threads(d, &next), -ENOTTY);
	assert_int_equal(next, 18);
	device_close(d);
}

/* After an exec during the call, the call is repeated. */
static void test_customs(void **state)
{
	struct pprof_custom_read read = { .pid = 12, .next = 5, .name = "conns" };
	struct pprof_custom_name names[10];
	struct device *d = device_open();

	(void)state;
	refuse(PPROF_IOC_CUSTOM_LIST, EAGAIN, 2);
	assert_int_equal(device_custom_list(d, 12, names, 10), 9);
	assert_int_equal(kernel.last.list.pid, 12);
	assert_int_equal(kernel.last.list.room, 10);
	assert_int_equal(kernel.last.list.names, (uintptr_t)names);
	assert_int_equal(device_custom_list(d, 12, names, 4), 4);
	refuse(PPROF_IOC_CUSTOM_LIST, EACCES, 1);
	assert_int_equal(device_custom_list(d, 12, names, 10), -EACCES);
	refuse(PPROF_IOC_CUSTOM_READ, EAGAIN, 2);
	assert_int_equal(device_custom_read(d, &read, names, 8192), 0);
	assert_int_equal(kernel.last.read.next, 5);
	assert_int_equal(kernel.last.read.bytes, 8192);
	assert_int_equal(kernel.last.read.data, (uintptr_t)names);
	assert_int_equal(read.next, 77);
	assert_int_equal(read.bytes, 5000);
	refuse(PPROF_IOC_CUSTOM_READ, ENOENT, 1);
	assert_int_equal(device_custom_read(d, &read, names, 8192), -ENOENT);
	device_close(d);
}

/* A process that always calls exec: the tries are limited. */
static void test_execs_without_end(void **state)
{
	struct pprof_custom_read read = { .pid = 12, .name = "conns" };
	struct pprof_custom_name names[64];
	struct device *d = device_open();
	uint64_t exec_id;
	pid_t pid = 12;

	(void)state;
	refuse(PPROF_IOC_ATTACH, EAGAIN, 10000);
	assert_int_equal(device_attach(d, &pid, &exec_id), -EAGAIN);
	assert_in_range(kernel.nr_refused, 9000, 9990);
	refuse(PPROF_IOC_CUSTOM_LIST, EAGAIN, 10000);
	assert_int_equal(device_custom_list(d, 12, names, 10), -EAGAIN);
	assert_in_range(kernel.nr_refused, 9000, 9990);
	refuse(PPROF_IOC_CUSTOM_READ, EAGAIN, 10000);
	assert_int_equal(device_custom_read(d, &read, names, sizeof(names)), -EAGAIN);
	assert_in_range(kernel.nr_refused, 9000, 9990);
	device_close(d);
}

static void test_custom_complaints(void **state)
{
	struct capture out;

	(void)state;
	capture_begin(&out, STDERR_FILENO);
	device_error_print_custom(12, -ENOTTY);
	assert_sentence(capture_end(&out), "is too old for custom profiles");
	capture_begin(&out, STDERR_FILENO);
	device_error_print_custom(12, -ESRCH);
	assert_sentence(capture_end(&out), "no process has the pid 12");
	capture_begin(&out, STDERR_FILENO);
	device_error_print_custom(12, -EAGAIN);
	assert_sentence(capture_end(&out), "keeps executing new programs");
}

/* Each mapping fails once. The others are then unmapped. */
static void test_setup_fails(void **state)
{
	(void)state;
	for (int map = 1; map <= 2; map++) {
		struct device *d = device_open();

		kernel.nr_maps = 0;
		kernel.refused_map = map;
		assert_int_equal(device_setup(d, 0, RING_BYTES, 0), -ENOMEM);
		device_close(d);
		assert_int_equal(kernel.mapped_bytes, 0);
	}
	struct device *d = device_open();

	refuse(PPROF_IOC_SETUP, EPERM, 1);
	assert_int_equal(device_setup(d, PPROF_SETUP_ALL, RING_BYTES, 0), -EPERM);
	device_close(d);
}

/* After an exec during the call, the call is repeated. */
static void test_attach(void **state)
{
	struct device *d = device_open();
	uint64_t exec_id = 0;
	pid_t pid = 11;

	(void)state;
	refuse(PPROF_IOC_ATTACH, EAGAIN, 3);
	assert_int_equal(device_attach(d, &pid, &exec_id), 0);
	assert_int_equal(pid, 10);
	assert_int_equal(exec_id, 42);
	assert_int_equal(kernel.last.attach.pid, 11);
	exec_id = 0;
	assert_int_equal(device_exec_id(d, 7, &exec_id), 0);
	assert_int_equal(exec_id, 42);
	refuse(PPROF_IOC_EXEC_ID, EACCES, 1);
	assert_int_equal(device_exec_id(d, 7, &exec_id), -EACCES);
	device_close(d);
}

static void test_sources(void **state)
{
	struct device *d = device_open();

	(void)state;
	assert_int_equal(device_start(d, PPROF_SOURCE_CPU, 1000000), 0);
	assert_int_equal(kernel.last.start.source, PPROF_SOURCE_CPU);
	assert_int_equal(kernel.last.start.period, 1000000);
	assert_int_equal(device_stop(d, PPROF_SOURCE_THREADCREATE), 0);
	assert_int_equal(kernel.last.stop.source, PPROF_SOURCE_THREADCREATE);
	refuse(PPROF_IOC_START, EINVAL, 1);
	assert_int_equal(device_start(d, PPROF_SOURCE_CPU, 1), -EINVAL);
	refuse(PPROF_IOC_STOP, ENOENT, 1);
	assert_int_equal(device_stop(d, PPROF_SOURCE_CPU), -ENOENT);
	assert_true(device_fd(d) >= 0);
	device_close(d);
}

static void test_heap(void **state)
{
	const struct pprof_heap_probe probe = { .function = PPROF_HEAP_MALLOC };
	struct device *d = device_open();

	(void)state;
	assert_int_equal(device_heap(d, &probe, 1), 0);
	assert_int_equal(kernel.last.heap.probes, (uintptr_t)&probe);
	assert_int_equal(kernel.last.heap.nr, 1);
	refuse(PPROF_IOC_HEAP, EPERM, 1);
	assert_int_equal(device_heap(d, &probe, 1), -EPERM);
	device_close(d);
}

static void test_tables(void **state)
{
	const struct pprof_tls_address tls = { .kind = PPROF_TLS_STATIC, .offset = -8 };
	struct pprof_range range = { .start = 1 };
	struct device *d = device_open();
	uint32_t number = 0;
	char table[8];

	(void)state;
	assert_int_equal(device_add_table(d, table, sizeof(table), &number), 0);
	assert_int_equal(number, 5);
	assert_int_equal(kernel.last.add.data, (uintptr_t)table);
	assert_int_equal(kernel.last.add.bytes, sizeof(table));
	refuse(PPROF_IOC_TABLE_ADD, ENOSPC, 1);
	assert_int_equal(device_add_table(d, table, sizeof(table), &number), -ENOSPC);
	assert_int_equal(device_bind_table(d, 5, 6, &(struct timespec){ 7, 8 }), 0);
	assert_true(kernel.last.bind.table == 5 && kernel.last.bind.fd == 6);
	assert_true(kernel.last.bind.ctime_sec == 7 && kernel.last.bind.ctime_nsec == 8);
	refuse(PPROF_IOC_TABLE_BIND, ENOSPC, 1);
	assert_int_equal(device_bind_table(d, 5, 6, &(struct timespec){ 7, 8 }), -ENOSPC);
	assert_int_equal(device_set_ranges(d, 3, 4, &range, 1, NULL), 0);
	assert_int_equal(kernel.last.ranges.pid, 3);
	assert_int_equal(kernel.last.ranges.exec_id, 4);
	assert_int_equal(kernel.last.ranges.ranges, (uintptr_t)&range);
	assert_int_equal(kernel.last.ranges.nr, 1);
	refuse(PPROF_IOC_RANGES, ESRCH, 1);
	assert_int_equal(device_set_ranges(d, 3, 4, &range, 1, &tls), -ESRCH);
	device_close(d);
}

static void test_each_complaint_is_a_sentence(void **state)
{
	static const struct {
		int err;
		const char *open, *setup, *attach;
	} cases[] = {
		{ ENOENT, "not loaded", "pprof-collect doctor",
		  "cannot profile process 7: No such file or directory: run "
		  "'pprof-collect doctor'" },
		{ EINVAL, "cannot open", "pprof-collect doctor",
		  "Invalid argument: take the module and pprof-collect from one build" },
		{ ENXIO, "not loaded", "pprof-collect doctor", "cannot profile" },
		{ EPERM, "locked down", "--buffer-pages over 128", "use --unwind fp" },
		{ EMFILE, "too many", "pprof-collect doctor", "cannot profile" },
		{ EACCES, "set that mode again", "pprof-collect doctor",
		  "you may not profile process 7" },
		{ ENOMEM, "Cannot allocate", "buffers of 64 pages",
		  "cannot profile process 7: Cannot allocate memory: free memory, or raise the "
		  "limit" },
		{ ESRCH, "cannot open", "pprof-collect doctor", "no process has the pid 7" },
		{ EOPNOTSUPP, "cannot open", "pprof-collect doctor", "is a kernel thread" },
	};
	struct capture c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		capture_begin(&c, STDERR_FILENO);
		errno = cases[i].err;
		device_error_print_open();
		assert_sentence(capture_end(&c), cases[i].open);
		capture_begin(&c, STDERR_FILENO);
		device_error_print_setup(0, 64, -cases[i].err);
		assert_sentence(capture_end(&c), cases[i].setup);
		capture_begin(&c, STDERR_FILENO);
		device_error_print_attach(7, -cases[i].err);
		assert_sentence(capture_end(&c), cases[i].attach);
	}
	capture_begin(&c, STDERR_FILENO);
	device_error_print_threads(-ENOTTY);
	assert_sentence(capture_end(&c), "is too old for thread snapshots");
	capture_begin(&c, STDERR_FILENO);
	device_error_print_threads(-EAGAIN);
	assert_sentence(capture_end(&c), "try again");
	capture_begin(&c, STDERR_FILENO);
	device_error_print_threads(-ESTALE);
	assert_sentence(capture_end(&c), "executed another program meanwhile: try again");
	capture_begin(&c, STDERR_FILENO);
	device_error_print_threads(-ENOMEM);
	assert_sentence(capture_end(&c), "Cannot allocate memory: free memory, or raise the limit");
	capture_begin(&c, STDERR_FILENO);
	device_error_print_netlink("list sessions", -ENOENT);
	assert_sentence(capture_end(&c), "cannot list sessions: the pprof module is not loaded");
	capture_begin(&c, STDERR_FILENO);
	device_error_print_netlink("list sessions", -ENOMEM);
	assert_sentence(capture_end(&c), "cannot list sessions: Cannot allocate memory: free memory");
}

/* Fails if the cause is not the flag that the user gave. */
static void test_complaints_by_flag(void **state)
{
	static const struct {
		uint32_t flags;
		int err;
		const char *text;
	} cases[] = {
		{ PPROF_SETUP_ALL | PPROF_SETUP_KERNEL, EPERM, "--all needs CAP_PERFMON" },
		{ PPROF_SETUP_KERNEL, EPERM, "--kernel needs CAP_PERFMON: run as root" },
		{ PPROF_SETUP_KERNEL, EOPNOTSUPP, "only guesses its own stacks" },
		{ PPROF_SETUP_CGROUP, EPERM, "--cgroup needs CAP_PERFMON" },
		{ PPROF_SETUP_CGROUP, EOPNOTSUPP, "the cgroup is threaded" },
		{ PPROF_SETUP_CGROUP, ENOENT, "the cgroup was just removed" },
		{ 0, EOPNOTSUPP, "cannot set up a session" },
	};
	struct capture c;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		capture_begin(&c, STDERR_FILENO);
		device_error_print_setup(cases[i].flags, 64, -cases[i].err);
		assert_sentence(capture_end(&c), cases[i].text);
	}
}

/* The message has less than 160 characters, with the name of the collector. Captures again. */
static void assert_short(struct capture *c)
{
	const char *message = strstr(capture_end(c), ": ");

	assert_non_null(message);
	assert_true(strlen("pprof-collect") + strcspn(message, "\n") < 160);
	capture_begin(c, STDERR_FILENO);
}

static void test_each_complaint_is_short(void **state)
{
	const pid_t largest = 1 << 22;	/* PID_MAX_LIMIT of include/linux/threads.h */
	struct capture c;

	(void)state;
	capture_begin(&c, STDERR_FILENO);
	for (int err = 1; err < 134; err++) {
		errno = err;
		device_error_print_open();
		assert_short(&c);
		device_error_print_setup(PPROF_SETUP_KERNEL, 16384, -err);
		assert_short(&c);
		device_error_print_setup(PPROF_SETUP_CGROUP, 16384, -err);
		assert_short(&c);
		device_error_print_attach(largest, -err);
		assert_short(&c);
		device_error_print_threads(-err);
		assert_short(&c);
		device_error_print_custom(largest, -err);
		assert_short(&c);
		device_error_print_netlink("follow thread creations", -err);
		assert_short(&c);
	}
	capture_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open_fails, begin),
		cmocka_unit_test_setup(test_flags, begin),
		cmocka_unit_test_setup(test_rings, begin),
		cmocka_unit_test_setup(test_counters, begin),
		cmocka_unit_test_setup(test_span_of_wall, begin),
		cmocka_unit_test_setup(test_losses_of_after_the_end, begin),
		cmocka_unit_test_setup(test_threads, begin),
		cmocka_unit_test_setup(test_customs, begin),
		cmocka_unit_test_setup(test_execs_without_end, begin),
		cmocka_unit_test_setup(test_custom_complaints, begin),
		cmocka_unit_test_setup(test_setup_fails, begin),
		cmocka_unit_test_setup(test_attach, begin),
		cmocka_unit_test_setup(test_sources, begin),
		cmocka_unit_test_setup(test_heap, begin),
		cmocka_unit_test_setup(test_tables, begin),
		cmocka_unit_test_setup(test_each_complaint_is_a_sentence, begin),
		cmocka_unit_test(test_complaints_by_flag),
		cmocka_unit_test_setup(test_each_complaint_is_short, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
