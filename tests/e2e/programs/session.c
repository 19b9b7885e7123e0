// SPDX-License-Identifier: GPL-2.0
/*
 * Uses /dev/pprof in ways that the collector never does.
 *
 *	session errors PID	wrong arguments, with PID for a target
 *	session maps		wrong mappings
 *	session tail PID	wrong values of a ring's tail, while PID is sampled
 *	session many		more sessions than allowed
 *	session full		rings of 16 MiB until there is no memory
 *	session user		the bounds of a user, run by that user
 *	session bounds		the bound of all users together
 *	session cycle N PID|all	starts and stops all sources N times, and further until
 *				there was a sample of cpu
 *	session hold PID	a snapshot of PID; prints "taken" and keeps the session until
 *				the end of the standard input
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rings.h"

#define NR_FDS		200

/* A session for pid, or with 0 for all. */
static int open_session(int pid)
{
	int fd = open_device();

	check("setup", setup(fd, pid ? PPROF_SETUP_CHILDREN : PPROF_SETUP_ALL, RING_BYTES), 0);
	if (pid)
		check("attach", attach(fd, pid, NULL), 0);
	return fd;
}

static void check_sizes(int fd)
{
	struct {
		struct pprof_info info;
		unsigned char more[64];
	} arg = { .info.size = 0 };

	check("info, size 0", ioctl(fd, PPROF_IOC_INFO, &arg), EINVAL);
	arg.info.size = 3;
	check("info, size 3", ioctl(fd, PPROF_IOC_INFO, &arg), EINVAL);
	arg.info.size = sizeof(arg);
	check("info, larger by zeroes", ioctl(fd, PPROF_IOC_INFO, &arg), 0);
	check_that("info tells the version", arg.info.abi_major == PPROF_ABI_MAJOR);
	check_that("info tells the CPUs", arg.info.nr_cpus > 0 &&
		   arg.info.sources == (7 | 1 << PPROF_SOURCE_BLOCK | 1 << PPROF_SOURCE_MUTEX |
					    1 << PPROF_SOURCE_GROWTH | 1 << PPROF_SOURCE_HEAP));
	arg.more[63] = 1;
	arg.info.size = sizeof(arg);
	check("info, larger by something", ioctl(fd, PPROF_IOC_INFO, &arg), E2BIG);
	check("info, no memory", ioctl(fd, PPROF_IOC_INFO, NULL), EFAULT);
	check("another number", ioctl(fd, _IO(PPROF_IOC_MAGIC, 0x7f)), ENOTTY);
}

/* A caller with an older, smaller struct: the kernel writes no more than that. */
static void check_smaller(int fd)
{
	struct pprof_info info = { .size = 8, .nr_cpus = 12345 };

	check("info, size 8", ioctl(fd, PPROF_IOC_INFO, &info), 0);
	check_that("info, size 8, writes 8", info.abi_major && info.nr_cpus == 12345);
}

static void check_setup(int fd)
{
	struct {
		const char *what;
		struct pprof_setup arg;
	} cases[] = {
		{ "setup, unknown flag", { .flags = 1U << 31 } },
		{ "snapshot of all", { .flags = PPROF_SETUP_SNAPSHOT | PPROF_SETUP_ALL } },
		{ "snapshot, children", { .flags = PPROF_SETUP_SNAPSHOT | PPROF_SETUP_CHILDREN } },
		{ "snapshot, kernel", { .flags = PPROF_SETUP_SNAPSHOT | PPROF_SETUP_KERNEL } },
		{ "snapshot, ends", { .flags = PPROF_SETUP_SNAPSHOT | PPROF_SETUP_THREAD_ENDS } },
		{ "shared frames without tables", { .flags = PPROF_SETUP_SHARED } },
		{ "setup, a cgroup without its flag", { .cgroup = 1 } },
		{ "setup, ring of 1 byte", { .ring_bytes = 1 } },
		{ "setup, too small a ring", { .ring_bytes = PPROF_MIN_RING_BYTES / 2 } },
		{ "setup, no power of two", { .ring_bytes = RING_BYTES * 3 } },
		{ "setup, too large a ring", { .ring_bytes = 2 * PPROF_MAX_RING_BYTES } },
		{ "setup, watermark over the ring", { .watermark_bytes = RING_BYTES + 1 } },
		{ "setup, too many frames", { .max_frames = PPROF_MAX_FRAMES + 1 } },
	};
	struct pprof_setup arg;

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		arg = cases[i].arg;
		arg.size = sizeof(arg);
		if (!arg.ring_bytes)
			arg.ring_bytes = RING_BYTES;
		check(cases[i].what, ioctl(fd, PPROF_IOC_SETUP, &arg), EINVAL);
	}
	arg = (struct pprof_setup) { .size = 8, .ring_bytes = RING_BYTES };
	check("setup, size 8", ioctl(fd, PPROF_IOC_SETUP, &arg), EINVAL);
}

static long threads(int fd, unsigned int flags, unsigned int pad, unsigned int *next)
{
	struct pprof_threads arg = {
		.size = sizeof(arg), .flags = flags, .next = *next, .pad = pad,
	};
	long ret = ioctl(fd, PPROF_IOC_THREADS, &arg);

	*next = arg.next;
	return ret;
}

static void check_order(int fd, int pid)
{
	unsigned int next = 0;

	check("attach before setup", attach(fd, pid, NULL), EINVAL);
	check("start before setup", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), EINVAL);
	check("stop before setup", stop(fd, PPROF_SOURCE_CPU), EINVAL);
	check("threads before setup", threads(fd, 0, 0, &next), EINVAL);
	check("setup", setup(fd, 0, RING_BYTES), 0);
	check("second setup", setup(fd, 0, RING_BYTES), EBUSY);
}

static void check_attach(int fd, int pid)
{
	struct pprof_attach arg = { .size = sizeof(arg), .pid = pid, .flags = 1 };

	check("attach, unknown flag", ioctl(fd, PPROF_IOC_ATTACH, &arg), EINVAL);
	arg = (struct pprof_attach) { .size = sizeof(arg), .pid = pid, .pad = 1 };
	check("attach, padding", ioctl(fd, PPROF_IOC_ATTACH, &arg), EINVAL);
	check("attach 0", attach(fd, 0, NULL), EINVAL);
	check("attach -1", attach(fd, -1, NULL), EINVAL);
	check("attach to no process", attach(fd, NO_PID, NULL), ESRCH);
	check("attach a kernel thread", attach(fd, 2, NULL), EOPNOTSUPP);

	arg = (struct pprof_attach) { .size = sizeof(arg), .pid = pid };
	check("exec id", ioctl(fd, PPROF_IOC_EXEC_ID, &arg), 0);
	check_that("there is an exec id", arg.exec_id && arg.pid == pid);
	check("attach", attach(fd, pid, NULL), 0);
	check("attach again", attach(fd, pid, NULL), 0);
}

/* A session for snapshots takes one process, and no source. */
static void check_snapshot(int pid)
{
	unsigned int next = 0;
	int fd = open_device();

	check("setup of a snapshot", setup(fd, PPROF_SETUP_SNAPSHOT | PPROF_SETUP_TABLES,
					   RING_BYTES), 0);
	check("threads before attach", threads(fd, 0, 0, &next), 0);
	check("attach to no process, snapshot", attach(fd, NO_PID, NULL), ESRCH);
	check("attach to it", attach(fd, pid, NULL), 0);
	check("a second attach to it", attach(fd, getpid(), NULL), EBUSY);
	check("start beside it", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), EINVAL);
	check("stop beside it", stop(fd, PPROF_SOURCE_CPU), EINVAL);
	check("threads of it", threads(fd, 0, 0, &next), 0);
	close(fd);
}

static void check_sources(int fd, int pid)
{
	check("start of an unknown source", start(fd, PPROF_NR_SOURCES, 0), EINVAL);
	check("start of the last source", start(fd, -1U, 0), EINVAL);
	check("period of 0", start(fd, PPROF_SOURCE_CPU, 0), EINVAL);
	check("period too short", start(fd, PPROF_SOURCE_CPU, PPROF_MIN_PERIOD_NS - 1), EINVAL);
	check("period too long", start(fd, PPROF_SOURCE_CPU, PPROF_MAX_PERIOD_NS + 1), EINVAL);
	check("period of threadcreate", start(fd, PPROF_SOURCE_THREADCREATE, 1), EINVAL);
	check("wall's period of 0", start(fd, PPROF_SOURCE_WALL, 0), EINVAL);
	check("wall's period too long", start(fd, PPROF_SOURCE_WALL,
					      PPROF_MAX_PERIOD_NS + 1), EINVAL);
	check("growth's period of 0", start(fd, PPROF_SOURCE_GROWTH, 0), EINVAL);
	check("growth's period too long", start(fd, PPROF_SOURCE_GROWTH,
						PPROF_MAX_GROWTH_PERIOD + 1ULL), EINVAL);
	check("shortest period", start(fd, PPROF_SOURCE_CPU, PPROF_MIN_PERIOD_NS), 0);
	check("second start", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), EBUSY);
	check("attach while a source runs", attach(fd, pid, NULL), EBUSY);
	check("stop of what does not run", stop(fd, PPROF_SOURCE_THREADCREATE), EINVAL);
	check("stop of an unknown source", stop(fd, PPROF_NR_SOURCES), EINVAL);
	check("stop", stop(fd, PPROF_SOURCE_CPU), 0);
	check("second stop", stop(fd, PPROF_SOURCE_CPU), EINVAL);
	check("attach after stop", attach(fd, pid, NULL), 0);
	check("start anew, longest period", start(fd, PPROF_SOURCE_CPU, PPROF_MAX_PERIOD_NS), 0);
}

static void check_threads(int fd)
{
	struct pprof_threads arg = { .size = 3 };
	unsigned int next = 0;

	check("start of threads", start(fd, PPROF_SOURCE_THREAD, 0), EOPNOTSUPP);
	check("stop of threads", stop(fd, PPROF_SOURCE_THREAD), EINVAL);
	check("threads, size 3", ioctl(fd, PPROF_IOC_THREADS, &arg), EINVAL);
	check("threads, no memory", ioctl(fd, PPROF_IOC_THREADS, NULL), EFAULT);
	check("threads, unknown flag", threads(fd, 1, 0, &next), EINVAL);
	check("threads, padding", threads(fd, 0, 1, &next), EINVAL);
	check("threads", threads(fd, 0, 0, &next), 0);
	check_that("all threads are reported", !next);
	next = -1U;
	check("threads behind the last", threads(fd, 0, 0, &next), 0);
	check_that("there are none", !next);
}

static void check_custom(int fd, int pid)
{
	struct pprof_custom custom = { .size = sizeof(custom), .op = PPROF_CUSTOM_COUNT,
				       .name = "values" };
	struct pprof_custom_list list = { .size = sizeof(list) };
	struct pprof_custom_read read = { .size = sizeof(read), .pid = pid, .name = "values",
					  .bytes = PPROF_MIN_CUSTOM_BYTES };

	check("what is a client's", ioctl(fd, PPROF_IOC_CUSTOM, &custom), EBADF);
	check("start of a custom profile", start(fd, PPROF_SOURCE_CUSTOM, 0), EOPNOTSUPP);
	check("list of pid 0", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list), EINVAL);
	list.pid = NO_PID;
	check("list of no process", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list), ESRCH);
	list.pid = pid;
	check("list", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list), 0);
	check_that("there are none", !list.nr);
	check("read of no profile", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), ENOENT);
	read.pad = 1;
	check("read, padding", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), EINVAL);
	read.pad = 0;
	read.bytes--;
	check("read, too small a buffer", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), EINVAL);
	read.bytes++;
	read.pid = -1;
	check("read of -1", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), EINVAL);
	read.pid = pid;
	read.name[0] = ' ';
	check("read, no name", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), EINVAL);
}

static void try_errors(int pid)
{
	int fd = open_device(), all = open_device();

	check_sizes(fd);
	check_smaller(fd);
	check_setup(fd);
	check_order(fd, pid);
	check_attach(fd, pid);
	check_sources(fd, pid);
	check_threads(fd);
	check_snapshot(pid);
	check_custom(fd, pid);
	check("setup for all", setup(all, PPROF_SETUP_ALL, RING_BYTES), 0);
	check("attach to all", attach(all, pid, NULL), EINVAL);
	close(all);
	close(fd);
}

static void check_map(const char *what, int fd, size_t bytes, int rights, int flags,
		      unsigned long long offset, int want)
{
	void *map = mmap(NULL, bytes, rights, flags, fd, offset);

	check(what, map == MAP_FAILED ? -1 : 0, want);
	if (map != MAP_FAILED)
		munmap(map, bytes);
}

#define READ	PROT_READ
#define WRITE	(PROT_READ | PROT_WRITE)
#define EXEC	(PROT_READ | PROT_EXEC)
#define DATA	(PAGE_BYTES + RING_BYTES)

static void check_places(int fd)
{
	unsigned long long tail = PPROF_MMAP_TAIL(0), data = PPROF_MMAP_DATA(0);

	check_map("tail", fd, PAGE_BYTES, WRITE, MAP_SHARED, tail, 0);
	check_map("tail, two pages", fd, 2 * PAGE_BYTES, WRITE, MAP_SHARED, tail, EINVAL);
	check_map("tail, private", fd, PAGE_BYTES, WRITE, MAP_PRIVATE, tail, EPERM);
	check_map("tail, executable", fd, PAGE_BYTES, EXEC, MAP_SHARED, tail, EPERM);
	check_map("a page after the tail", fd, PAGE_BYTES, WRITE, MAP_SHARED, tail + PAGE_BYTES,
		  EINVAL);
	check_map("data", fd, DATA, READ, MAP_SHARED, data, 0);
	check_map("data, writable", fd, DATA, WRITE, MAP_SHARED, data, EPERM);
	check_map("data, private", fd, DATA, READ, MAP_PRIVATE, data, EPERM);
	check_map("data, executable", fd, DATA, EXEC, MAP_SHARED, data, EPERM);
	check_map("data, a page less", fd, DATA - PAGE_BYTES, READ, MAP_SHARED, data, EINVAL);
	check_map("data, a page more", fd, DATA + PAGE_BYTES, READ, MAP_SHARED, data, EINVAL);
	check_map("a page of the data", fd, PAGE_BYTES, READ, MAP_SHARED, data + PAGE_BYTES,
		  EINVAL);
	check_map("a CPU that is none", fd, PAGE_BYTES, WRITE, MAP_SHARED, PPROF_MMAP_TAIL(100000),
		  ENXIO);
}

static void check_later(int fd)
{
	char *data = mmap(NULL, DATA, READ, MAP_SHARED, fd, PPROF_MMAP_DATA(0));
	char *tail = mmap(NULL, PAGE_BYTES, WRITE, MAP_SHARED, fd, PPROF_MMAP_TAIL(0));

	if (data == MAP_FAILED || tail == MAP_FAILED) {
		check("mmap", -1, 0);
		return;
	}
	check("data made writable", mprotect(data, DATA, WRITE), EACCES);
	check("data made executable", mprotect(data, DATA, EXEC), EACCES);
	check("tail made executable", mprotect(tail, PAGE_BYTES, EXEC), EACCES);
	check("tail grown", mremap(tail, PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE) ==
	      MAP_FAILED ? -1 : 0, EFAULT);
	/* The pages stay while they are mapped, also without the session. */
	close(fd);
	check_that("the ring's size", ((struct pprof_ring_head *)data)->ring_bytes == RING_BYTES);
	*tail = 1;
}

static void try_maps(void)
{
	int fd = open_device();

	check_map("before setup", fd, PAGE_BYTES, WRITE, MAP_SHARED, PPROF_MMAP_TAIL(0), EINVAL);
	check("setup", setup(fd, 0, RING_BYTES), 0);
	check_places(fd);
	check_later(fd);
}

#define PATIENCE_MS	30000

/* Waits until the counter of this CPU moves: the target runs on each CPU sooner or later. */
static int counts_on(const struct pprof_ring_head *head)
{
	__u64 before = __atomic_load_n(&head->produced[0], __ATOMIC_RELAXED);
	int ms = 0;

	do
		sleep_us(200000);
	while (__atomic_load_n(&head->produced[0], __ATOMIC_RELAXED) == before &&
	       (ms += 200) < PATIENCE_MS);
	return ms < PATIENCE_MS;
}

/* With any value of the tail the kernel writes within the ring, and goes on counting. */
static void try_tail(int pid)
{
	int fd = open_session(pid);
	struct pprof_ring_tail *tail = mmap(NULL, PAGE_BYTES, WRITE, MAP_SHARED, fd,
					    PPROF_MMAP_TAIL(0));
	struct pprof_ring_head *head = mmap(NULL, DATA, READ, MAP_SHARED, fd, PPROF_MMAP_DATA(0));
	const __u64 lies[] = { 1, 7, RING_BYTES, -1ULL, -8ULL, 1ULL << 63, 1ULL << 32, 0 };

	if (tail == MAP_FAILED || head == MAP_FAILED) {
		check("mmap", -1, 0);
		return;
	}
	check("start", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), 0);
	for (unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		__atomic_store_n(&tail->tail, lies[i], __ATOMIC_RELEASE);
		check_that("it counts on", counts_on(head));
	}
	check_that("a tail ahead means a full ring", head->lost[0][PPROF_LOST_FULL] > 0);
	close(fd);
}

static void try_many(void)
{
	struct rlimit limit = { .rlim_cur = NR_FDS + 10, .rlim_max = NR_FDS + 10 };
	int fds[NR_FDS], nr = 0, fd;

	setrlimit(RLIMIT_NOFILE, &limit);
	while (nr < NR_FDS && (fd = open("/dev/pprof", O_RDWR | O_CLOEXEC)) >= 0)
		fds[nr++] = fd;
	check("one session too many", nr < NR_FDS ? -1 : 0, EMFILE);
	check_that("a few may be", nr >= 16);
	while (nr)
		close(fds[--nr]);
	close(open_device());
}

#define FULL_RING_BYTES	(16U << 20)
#define MAX_FULL	16

/* Run in a cgroup with less memory than all of these. */
static void try_full(void)
{
	int ret = 0;

	for (int i = 0; i < MAX_FULL && !ret; i++)
		ret = setup(open_device(), PPROF_SETUP_ALL, FULL_RING_BYTES);
	check("rings without end", ret, ENOMEM);
}

#define USER_SESSIONS		4
#define USER_RING_BYTES		(512U << 10)
#define OTHERS_SESSIONS		48

/* A process of the user uid that holds all the sessions it may have. The caller kills it. */
static pid_t start_user(unsigned int uid)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready))
		give_up("pipe");
	pid = fork_child();
	if (!pid) {
		if (setuid(uid))
			give_up("setuid");
		for (int i = 0; i < USER_SESSIONS; i++)
			open_device();
		close(ready[1]);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1))
		give_up("a user");
	close(ready[0]);
	return pid;
}

static void check_user(void)
{
	int fds[USER_SESSIONS];

	for (int i = 0; i < USER_SESSIONS; i++)
		fds[i] = open_device();
	check("a user's session too many", open("/dev/pprof", O_RDWR), EMFILE);
	check("a user's session for all", setup(fds[0], PPROF_SETUP_ALL, RING_BYTES), EPERM);
	check("a user's session with kernel frames", setup(fds[0], PPROF_SETUP_KERNEL, RING_BYTES),
	      EPERM);
	check("a user's ring too large", setup(fds[0], 0, 2 * USER_RING_BYTES), EPERM);
	check("a user's largest ring", setup(fds[0], 0, USER_RING_BYTES), 0);
	for (int i = 0; i < USER_SESSIONS; i++)
		close(fds[i]);
}

/* The last sessions of the global bound are reserved for root. */
static void try_bounds(void)
{
	pid_t pids[OTHERS_SESSIONS / USER_SESSIONS];
	int nr = sizeof(pids) / sizeof(pids[0]);

	for (int i = 0; i < nr; i++)
		pids[i] = start_user(1000 + i);
	if (setresuid(65534, 65534, 0))
		give_up("setresuid");
	check("users' session too many", open("/dev/pprof", O_RDWR), EMFILE);
	if (setresuid(0, 0, 0))
		give_up("setresuid");
	open_device();
	while (nr--) {
		kill(pids[nr], SIGKILL);
		waitpid(pids[nr], NULL, 0);
	}
}

#define MAX_CYCLES	2000

static void start_and_stop(int fd, struct rings *rings)
{
	start_all(fd, PERIOD_NS);
	sleep_us(rand() % 8 * 1000);
	stop_all(rings, fd);
	rings_check_all(rings);
}

static void cycle(int count, int pid)
{
	int fd = open_session(pid);
	struct rings rings = { 0 };
	unsigned long long nr = 0;
	int i;

	rings_map(&rings, fd, RING_BYTES, sums_new());
	for (i = 0; i < count || (!nr && i < MAX_CYCLES); i++) {
		start_and_stop(fd, &rings);
		nr = rings_check(&rings, PPROF_SOURCE_CPU).produced;
	}
	printf("%d cycles, %llu samples of cpu\n", i, nr);
	check_that("samples", nr > 0);
	/* Closed while all sources run. */
	start_all(fd, PERIOD_NS);
	sleep_us(5000);
	close(fd);
}

static void hold(int pid)
{
	int fd = open_device();
	char byte;

	check("setup", setup(fd, PPROF_SETUP_SNAPSHOT, RING_BYTES), 0);
	check("attach", attach(fd, pid, NULL), 0);
	take_snapshot(fd);
	puts("taken");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "errors") && argc == 3)
		try_errors(atoi(argv[2]));
	else if (!strcmp(what, "maps"))
		try_maps();
	else if (!strcmp(what, "tail") && argc == 3)
		try_tail(atoi(argv[2]));
	else if (!strcmp(what, "many"))
		try_many();
	else if (!strcmp(what, "full"))
		try_full();
	else if (!strcmp(what, "user"))
		check_user();
	else if (!strcmp(what, "bounds"))
		try_bounds();
	else if (!strcmp(what, "cycle") && argc == 4)
		cycle(atoi(argv[2]), atoi(argv[3]));
	else if (!strcmp(what, "hold") && argc == 3)
		hold(atoi(argv[2]));
	else
		return 2;
	return conclude();
}
