// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzzes the whole interface of the module: the ioctls with all structs, the mappings, the
 * contents of mapped pages, and netlink. Most calls are nearly valid, so that they pass
 * the first check. Two processes fuzz the same sessions. They share their descriptors. They do
 * not share memory: each mmap() would wait for the other process's mmap().
 *
 *	boundary SEED COUNT
 *
 * The same seed makes the same calls in each process. Each call has random numbers of its own,
 * so it does not depend on the results of the calls before. The order of the calls of the two
 * processes is not the same in each run.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../e2e/programs/genl.h"
#include "../e2e/programs/heapprobe.h"
#include "../e2e/programs/rings.h"
#include "badtables.h"
#include "fuzzer.h"

#define NR_PROCESSES	2
#define MAX_RING_BYTES	(1U << 20)	/* more would fill the VM */
#define VICTIMS_NICE	10		/* most of the CPU time must be left for the calls */

/*
 * After so many calls of a kind, one must have succeeded. The rarest success decides the number.
 * In 5,000 calls there are 270 of RANGES and 170 of TABLE_DROP. With the first session alone
 * one in 17 and one in 12 of them succeeds: in one run of a million none would. Of 150
 * netlink messages one in 12 is answered: in one run of 400,000 none would be.
 */
#define ENOUGH_CALLS	100
#define CALLS_A_SAMPLE	100	/* fails with fewer samples; usually there are some 20 */

static int session_cpus;
static sigjmp_buf *fault;
static struct pprof_heap_probe heap_probes[2];	/* valid probes */

/* The next functions fill an ioctl's argument. Most of the structs are valid. */

static size_t fill_info(struct fuzzer *f)
{
	struct pprof_info info = { .size = sizeof(info) };

	memcpy(f->arg, &info, sizeof(info));
	return sizeof(info);
}

static uint32_t some_flags(struct fuzzer *f)
{
	if (one_in(f, 8))
		return PPROF_SETUP_SNAPSHOT | (one_in(f, 2) ? PPROF_SETUP_TABLES : 0);
	return (one_in(f, 4) ? PPROF_SETUP_ALL : 0) | (one_in(f, 2) ? PPROF_SETUP_CHILDREN : 0) |
	       (one_in(f, 2) ? PPROF_SETUP_TABLES | PPROF_SETUP_SHARED : 0) |
	       (one_in(f, 2) ? PPROF_SETUP_THREAD_ENDS : 0) |
	       (one_in(f, 4) ? PPROF_SETUP_KERNEL : 0);
}

static uint32_t some_ring_bytes(struct fuzzer *f)
{
	return RING_BYTES << (one_in(f, 8) ? pick(f, 6) : 0);
}

static size_t fill_setup(struct fuzzer *f)
{
	struct pprof_setup setup = {
		.size = sizeof(setup),
		.flags = some_flags(f),
		.ring_bytes = some_ring_bytes(f),
		.watermark_bytes = one_in(f, 2) ? 0 : pick(f, RING_BYTES),
		.max_frames = one_in(f, 2) ? 0 : pick(f, PPROF_MAX_FRAMES + 1),
	};

	memcpy(f->arg, &setup, sizeof(setup));
	return sizeof(setup);
}

static size_t fill_attach(struct fuzzer *f)
{
	struct pprof_attach attach = { .size = sizeof(attach), .pid = some_pid(f) };

	memcpy(f->arg, &attach, sizeof(attach));
	return sizeof(attach);
}

static size_t fill_start(struct fuzzer *f)
{
	struct pprof_start start = { .size = sizeof(start), .source = pick(f, PPROF_NR_SOURCES) };

	/* A short period is rare: a slow kernel would spend all time on samples. */
	if (start.source == PPROF_SOURCE_CPU || start.source == PPROF_SOURCE_WALL)
		start.period = PPROF_MIN_PERIOD_NS << pick(f, one_in(f, 8) ? 4 : 13);
	if (start.source == PPROF_SOURCE_BLOCK || start.source == PPROF_SOURCE_MUTEX)
		start.period = 1ULL << pick(f, 34);
	if (start.source == PPROF_SOURCE_GROWTH || start.source == PPROF_SOURCE_HEAP)
		start.period = 1ULL << pick(f, 34);
	memcpy(f->arg, &start, sizeof(start));
	return sizeof(start);
}

static size_t fill_stop(struct fuzzer *f)
{
	struct pprof_stop stop = { .size = sizeof(stop), .source = pick(f, PPROF_NR_SOURCES) };

	memcpy(f->arg, &stop, sizeof(stop));
	return sizeof(stop);
}

static size_t fill_threads(struct fuzzer *f)
{
	struct pprof_threads threads = { .size = sizeof(threads) };

	if (one_in(f, 2))
		threads.next = odd_number(f);
	memcpy(f->arg, &threads, sizeof(threads));
	return sizeof(threads);
}

/* No other offset in the code: a uprobe inside an instruction would kill its process. */
static struct pprof_heap_probe some_probe(struct fuzzer *f, int kind)
{
	struct pprof_heap_probe probe = heap_probes[kind];

	if (one_in(f, 16))
		probe.fd = one_in(f, 2) ? some_fd(f) : (int)odd_number(f);
	if (one_in(f, 16))
		probe.function = pick(f, PPROF_NR_HEAP + 1);
	if (one_in(f, 16))
		probe.offset |= 1ULL << (30 + pick(f, 34));
	return probe;
}

/* Most lists of probes are in the order of their kinds. */
static size_t fill_heap(struct fuzzer *f)
{
	unsigned int nr = 1 + pick(f, one_in(f, 8) ? 70 : 2);
	struct pprof_heap_probe *probes = (struct pprof_heap_probe *)f->data;

	for (unsigned int i = 0; i < nr; i++)
		probes[i] = some_probe(f, 2 * i >= nr);
	*(struct pprof_heap *)f->arg = (struct pprof_heap) {
		.size = sizeof(struct pprof_heap), .nr = nr,
		.probes = one_in(f, 8) ? odd_number(f) : (uintptr_t)probes,
	};
	return sizeof(struct pprof_heap);
}

/* There are few names, so that calls use the same ones again. */
static void name_custom(struct fuzzer *f, __u8 *name)
{
	name[0] = 'a' + pick(f, 3);
	if (one_in(f, 8))
		name[pick(f, PPROF_CUSTOM_NAME_BYTES)] = pick(f, 256);
}

static size_t fill_custom(struct fuzzer *f)
{
	struct pprof_custom custom = { .size = sizeof(custom), .op = pick(f, PPROF_NR_CUSTOM_OPS) };

	name_custom(f, custom.name);
	if (custom.op == PPROF_CUSTOM_ADD || custom.op == PPROF_CUSTOM_REMOVE)
		custom.value = pick(f, 200);
	if (custom.op == PPROF_CUSTOM_ADD) {
		custom.frames = (uintptr_t)f->data;
		custom.nr_frames = pick(f, one_in(f, 4) ? PPROF_MAX_FRAMES + 1 : 33);
		custom.flags = pick(f, 2);
	}
	memcpy(f->arg, &custom, sizeof(custom));
	return sizeof(custom);
}

static size_t fill_custom_list(struct fuzzer *f)
{
	struct pprof_custom_list list = { .size = sizeof(list), .names = (uintptr_t)f->data,
					  .room = one_in(f, 4) ? odd_number(f) : pick(f, 70) };

	list.pid = one_in(f, 2) ? getpid() : some_pid(f);
	memcpy(f->arg, &list, sizeof(list));
	return sizeof(list);
}

static size_t fill_own_list(struct fuzzer *f)
{
	size_t bytes = fill_custom_list(f);

	((struct pprof_custom_list *)f->arg)->pid = 0;
	return bytes;
}

static size_t fill_custom_read(struct fuzzer *f)
{
	struct pprof_custom_read read = {
		.size = sizeof(read), .data = (uintptr_t)f->data, .bytes = DATA_BYTES,
		.next = one_in(f, 2) ? 0 : pick(f, 5000), .until = odd_number(f),
	};

	if (one_in(f, 4))
		read.bytes = odd_number(f);
	read.pid = one_in(f, 2) ? getpid() : some_pid(f);
	name_custom(f, read.name);
	memcpy(f->arg, &read, sizeof(read));
	return sizeof(read);
}

/* Most labels are added to one of the last four sets. Few keys and values, so they repeat. */
static size_t fill_label(struct fuzzer *f)
{
	struct pprof_label label = { .size = sizeof(label) };

	if (!one_in(f, 4))
		label.set = f->set - pick(f, 4);
	label.key[0] = 'a' + pick(f, 12);
	memset(label.value, 'v', pick(f, one_in(f, 8) ? PPROF_LABEL_VALUE_BYTES + 1 : 20));
	label.value[0] = pick(f, 256);
	if (one_in(f, 8))
		label.key[pick(f, PPROF_LABEL_KEY_BYTES)] = pick(f, 256);
	memcpy(f->arg, &label, sizeof(label));
	return sizeof(label);
}

static size_t fill_label_slot(struct fuzzer *f)
{
	struct pprof_label_slot word = { .size = sizeof(word) };

	memcpy(f->arg, &word, sizeof(word));
	return sizeof(word);
}

static size_t fill_noise(struct fuzzer *f)
{
	for (size_t i = 0; i < 64; i += 8)
		*(uint64_t *)(f->arg + i) = odd_number(f);
	*(uint32_t *)f->arg = pick(f, 128);
	return 64;
}

/* Returns the address of the argument: most often the right one, else a bad one. */
static char *place(struct fuzzer *f, size_t bytes)
{
	char *end = f->data + DATA_BYTES;

	switch (pick(f, 40)) {
	case 0:
		return NULL;
	case 1:
		return (char *)odd_number(f);
	case 2:	/* a part of it is not mapped */
		return end - pick(f, bytes + 1);
	case 3:
	case 4:	/* it ends at the end of the memory */
		return memmove(end - bytes, f->arg, bytes);
	case 5:
		return memmove(f->arg + 1, f->arg, bytes);
	default:
		return f->arg;
	}
}

static void spoil(struct fuzzer *f, size_t bytes)
{
	uint64_t odd = odd_number(f);
	size_t at = pick(f, bytes / 4) * 4;

	if (one_in(f, 3))
		memcpy(f->arg + at, &odd, 4);
	if (one_in(f, 10))	/* its size: the bytes beyond the struct count, too */
		*(uint32_t *)f->arg = pick(f, 2 * bytes + 8);
	if (one_in(f, 20))
		f->arg[pick(f, bytes)] ^= 1 << pick(f, 8);
}

/* Limits the rings, or they would fill the memory of the VM: root has no quota. */
static void spare_memory(struct fuzzer *f)
{
	struct pprof_setup *setup = (struct pprof_setup *)f->arg;

	if (setup->ring_bytes > MAX_RING_BYTES && setup->ring_bytes <= PPROF_MAX_RING_BYTES)
		setup->ring_bytes = MAX_RING_BYTES;
}

static long ioctl_on(struct fuzzer *f, int fd, unsigned long cmd, size_t (*fill)(struct fuzzer *))
{
	size_t bytes;

	f->fd = fd;
	memset(f->arg, 0, PAGE_BYTES);
	bytes = fill(f);
	spoil(f, bytes);
	if (_IOC_NR(cmd) == _IOC_NR(PPROF_IOC_SETUP))
		spare_memory(f);
	if (one_in(f, 50))
		cmd ^= 1UL << pick(f, 32);
	return ioctl(fd, cmd, place(f, bytes));
}

static long ioctl_with(struct fuzzer *f, unsigned long cmd, size_t (*fill)(struct fuzzer *))
{
	return ioctl_on(f, some_fd(f), cmd, fill);
}

#define IOCTL(name, nr)							\
	static long call_##name(struct fuzzer *f)			\
	{								\
		return ioctl_with(f, PPROF_IOC_##nr, fill_##name);	\
	}

IOCTL(info, INFO)
IOCTL(setup, SETUP)
IOCTL(attach, ATTACH)
IOCTL(start, START)
IOCTL(stop, STOP)
IOCTL(table_add, TABLE_ADD)
IOCTL(table_drop, TABLE_DROP)
IOCTL(table_bind, TABLE_BIND)
IOCTL(ranges, RANGES)
IOCTL(threads, THREADS)
IOCTL(heap, HEAP)
IOCTL(custom_list, CUSTOM_LIST)
IOCTL(custom_read, CUSTOM_READ)

/* Now and then the client is closed, and its profiles and labels are gone. */
static long call_custom(struct fuzzer *f)
{
	if (one_in(f, 500)) {
		close(f->client);
		f->client = open("/dev/pprof", O_WRONLY | O_CLOEXEC);
	}
	if (one_in(f, 8))
		return ioctl_on(f, f->client, PPROF_IOC_CUSTOM_LIST, fill_own_list);
	return ioctl_on(f, one_in(f, 20) ? some_fd(f) : f->client, PPROF_IOC_CUSTOM, fill_custom);
}

static void forget(struct map *map)
{
	if (map->at)
		munmap(map->at, map->bytes);
	map->at = NULL;
}

static long call_label(struct fuzzer *f)
{
	struct pprof_label *label = (struct pprof_label *)f->arg;
	long ret = ioctl_on(f, one_in(f, 20) ? some_fd(f) : f->client, PPROF_IOC_LABEL, fill_label);

	if (!ret)
		f->set = label->set;
	return ret;
}

/* The label slots are added to the maps, which other calls write to, cut and move. */
static long call_label_slot(struct fuzzer *f)
{
	struct pprof_label_slot *word = (struct pprof_label_slot *)f->arg;
	struct map *map = &f->maps[pick(f, NR_MAPS)];
	long ret = ioctl_on(f, one_in(f, 20) ? some_fd(f) : f->client, PPROF_IOC_LABEL_SLOT,
			    fill_label_slot);

	if (ret || word->address < PAGE_BYTES || f->words)
		return ret;
	forget(map);
	*map = (struct map) { (char *)(word->address & -(uint64_t)PAGE_BYTES), 4 * PAGE_BYTES };
	f->words = 1;
	return ret;
}

static long call_exec_id(struct fuzzer *f)
{
	return ioctl_with(f, PPROF_IOC_EXEC_ID, fill_attach);
}

static long call_any_ioctl(struct fuzzer *f)
{
	return ioctl_with(f, _IOC(pick(f, 4), PPROF_IOC_MAGIC, pick(f, 33), pick(f, 64)),
			  fill_noise);
}

/* Files and mappings */

/*
 * Replaces a session, but never the first one. The old one is closed first: the number of
 * sessions of a user is limited.
 */
static long call_reopen(struct fuzzer *f)
{
	int *place = &fds[1 + pick(f, nr_fds - 1)];
	int fd = __atomic_exchange_n(place, -1, __ATOMIC_RELAXED);

	if (fd >= 0)
		close(fd);
	fd = open("/dev/pprof", one_in(f, 4) ? O_RDONLY :
		  one_in(f, 8) ? O_WRONLY : O_RDWR | O_CLOEXEC);
	close(__atomic_exchange_n(place, fd, __ATOMIC_RELAXED));
	return fd;
}

static long call_file(struct fuzzer *f)
{
	struct pollfd poll_fd = { .fd = some_fd(f), .events = pick(f, 0x2000) };

	switch (pick(f, 6)) {
	case 0:
		return read(poll_fd.fd, f->arg, pick(f, 64));
	case 1:
		return write(poll_fd.fd, f->arg, pick(f, 64));
	case 2:
		return lseek(poll_fd.fd, odd_number(f), pick(f, 5));
	case 3:
		return fcntl(poll_fd.fd, F_SETFL, O_NONBLOCK | (one_in(f, 2) ? O_ASYNC : 0));
	default:
		return poll(&poll_fd, 1, 0);
	}
}

static uint64_t some_offset(struct fuzzer *f)
{
	uint64_t cpu = pick(f, session_cpus);

	if (one_in(f, 8))
		return odd_number(f) & -(uint64_t)PAGE_BYTES;
	if (one_in(f, 8))
		cpu = odd_number(f);
	return one_in(f, 2) ? PPROF_MMAP_TAIL(cpu) : PPROF_MMAP_DATA(cpu);
}

static size_t some_map_bytes(struct fuzzer *f, uint64_t offset)
{
	if (one_in(f, 8))
		return (1 + pick(f, 300)) * PAGE_BYTES;
	return PAGE_BYTES + (offset & (1ULL << 31) ? some_ring_bytes(f) : 0);
}

static int some_rights(struct fuzzer *f, uint64_t offset)
{
	if (one_in(f, 4))
		return pick(f, 8);
	return offset & (1ULL << 31) ? PROT_READ : PROT_READ | PROT_WRITE;
}

static int some_map_flags(struct fuzzer *f)
{
	static const int flags[] = { MAP_PRIVATE, MAP_SHARED | MAP_POPULATE,
				     MAP_SHARED | MAP_LOCKED, MAP_SHARED_VALIDATE,
				     MAP_SHARED | MAP_32BIT };

	return one_in(f, 4) ? flags[pick(f, ARRAY_SIZE(flags))] : MAP_SHARED;
}

static long call_mmap(struct fuzzer *f)
{
	struct map *map = &f->maps[pick(f, NR_MAPS)];
	uint64_t offset = some_offset(f);
	size_t bytes = some_map_bytes(f, offset);
	void *at = mmap(NULL, bytes, some_rights(f, offset), some_map_flags(f), some_fd(f), offset);

	if (at == MAP_FAILED)
		return -1;
	forget(map);
	*map = (struct map) { at, bytes };
	return 0;
}

static long call_remap(struct fuzzer *f)
{
	struct map *map = &f->maps[pick(f, NR_MAPS)];
	size_t bytes = (1 + pick(f, 20)) * PAGE_BYTES;
	void *at;

	if (!map->at)
		return -1;
	switch (pick(f, 6)) {
	case 0:
		forget(map);
		return 0;
	case 1:
		return madvise(map->at, map->bytes, pick(f, 26));
	case 2:
		at = mremap(map->at, map->bytes, bytes, MREMAP_MAYMOVE);
		if (at == MAP_FAILED)
			return -1;
		*map = (struct map) { at, bytes };
		return 0;
	case 3:
		return mprotect(map->at, map->bytes, PROT_READ | PROT_WRITE);
	default:
		return mprotect(map->at, bytes < map->bytes ? bytes : map->bytes, pick(f, 8));
	}
}

static void note_fault(int signal)
{
	if (!fault)
		abort();
	siglongjmp(*fault, signal);
}

static void poke(struct fuzzer *f, volatile uint64_t *at)
{
	*at = one_in(f, 3) ? *at + pick(f, 256) * 8 : odd_number(f);
}

/* Returns a mapping, or NULL if there is none. */
static struct map *some_map(struct fuzzer *f)
{
	unsigned int first = pick(f, NR_MAPS);

	for (unsigned int i = 0; i < NR_MAPS; i++)
		if (f->maps[(first + i) % NR_MAPS].at)
			return &f->maps[(first + i) % NR_MAPS];
	return NULL;
}

/*
 * Writes to a page that the kernel writes or reads at the same time: to its first word, as a
 * ring's tail, or to any word. Without a mapping it makes one.
 */
static long call_scribble(struct fuzzer *f)
{
	struct map *map = some_map(f);
	sigjmp_buf here;

	if (!map)
		return call_mmap(f);
	fault = &here;
	if (sigsetjmp(here, 0)) {
		fault = NULL;
		return -1;
	}
	poke(f, (uint64_t *)map->at + (one_in(f, 4) ? pick(f, map->bytes / 8) : 0));
	fault = NULL;
	return 0;
}

/* Netlink */

static size_t fill_attrs(struct fuzzer *f, char *at)
{
	size_t bytes = 0;

	for (int i = one_in(f, 2) ? 0 : pick(f, 6); i > 0; i--) {
		struct nlattr *attr = (struct nlattr *)(at + bytes);

		attr->nla_type = pick(f, 2 * PPROF_A_MAX) | (one_in(f, 8) ? NLA_F_NESTED : 0);
		attr->nla_len = one_in(f, 4) ? odd_number(f) : NLA_HDRLEN + pick(f, 20);
		bytes += NLA_ALIGN(NLA_HDRLEN + pick(f, 24));
	}
	return bytes;
}

static long call_netlink(struct fuzzer *f)
{
	struct genl_message message = { 0 };
	size_t bytes = GENL_HEADERS + fill_attrs(f, message.attrs);
	int heard = 0;

	if (one_in(f, 60)) {
		close(f->netlink);
		f->netlink = genl_open();
		f->family = genl_family(f->netlink, PPROF_GENL_NAME);
	}
	message.nl = (struct nlmsghdr) { .nlmsg_len = bytes, .nlmsg_type = f->family,
					 .nlmsg_flags = NLM_F_REQUEST };
	message.genl = (struct genlmsghdr) {
		.cmd = one_in(f, 2) ? PPROF_CMD_SESSION_GET : pick(f, 6), .version = pick(f, 3),
	};
	if (one_in(f, 2))
		message.nl.nlmsg_flags |= one_in(f, 2) ? NLM_F_DUMP : random64(f);
	if (one_in(f, 8))
		message.nl.nlmsg_len = odd_number(f);
	if (one_in(f, 8))
		bytes = pick(f, bytes + 1);
	send(f->netlink, &message, bytes, MSG_DONTWAIT);
	while (one_in(f, 2) && recv(f->netlink, &message, sizeof(message), MSG_DONTWAIT) > 0)
		heard += message.nl.nlmsg_type == f->family;
	return heard ? 0 : -1;
}

/* A process starts and ends, with the descriptors of the sessions. */
static long call_fork(struct fuzzer *f)
{
	pid_t pid = fork();

	if (!pid)
		_exit(ioctl(some_fd(f), PPROF_IOC_INFO, f->arg) > 0);
	return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

/* Calls that take long have a low weight: to set up and close a session, and to fork. */
static const struct {
	const char *name;
	unsigned int weight;
	long (*call)(struct fuzzer *f);
} calls[] = {
	{ "ioctl INFO", 600, call_info },
	{ "ioctl SETUP", 300, call_setup },
	{ "ioctl ATTACH", 600, call_attach },
	{ "ioctl EXEC_ID", 600, call_exec_id },
	{ "ioctl START", 120, call_start },
	{ "ioctl STOP", 120, call_stop },
	{ "ioctl TABLE_ADD", 400, call_table_add },
	{ "ioctl TABLE_DROP", 400, call_table_drop },
	{ "ioctl TABLE_BIND", 400, call_table_bind },
	{ "ioctl RANGES", 600, call_ranges },
	{ "ioctl THREADS", 300, call_threads },
	{ "ioctl HEAP", 120, call_heap },
	{ "ioctl CUSTOM", 600, call_custom },
	{ "ioctl CUSTOM_LIST", 200, call_custom_list },
	{ "ioctl CUSTOM_READ", 400, call_custom_read },
	{ "ioctl LABEL", 600, call_label },
	{ "ioctl LABEL_SLOT", 100, call_label_slot },
	{ "ioctl of any kind", 800, call_any_ioctl },
	{ "open and close", 20, call_reopen },
	{ "read, poll ...", 1000, call_file },
	{ "mmap", 300, call_mmap },
	{ "mprotect ...", 300, call_remap },
	{ "writes into pages", 3300, call_scribble },
	{ "netlink", 360, call_netlink },
	{ "fork", 1, call_fork },
};

static unsigned int pick_call(struct fuzzer *f)
{
	unsigned int sum = 0, i;
	int at;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		sum += calls[i].weight;
	at = pick(f, sum);
	for (i = 0; at >= (int)calls[i].weight; i++)
		at -= calls[i].weight;
	return i;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void run(struct fuzzer *f)
{
	unsigned int i;
	double begin;

	f->arg = mmap(NULL, DATA_BYTES + 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	f->data = f->arg + PAGE_BYTES;
	munmap(f->data + DATA_BYTES, PAGE_BYTES);
	f->client = open("/dev/pprof", O_WRONLY | O_CLOEXEC);
	f->netlink = genl_open();
	f->family = genl_family(f->netlink, PPROF_GENL_NAME);
	for (unsigned long n = 0; n < f->count; n++) {
		f->random = f->seed + (n << 32);
		i = pick_call(f);
		begin = now();
		f->counters[i].calls++;
		f->counters[i].successes += calls[i].call(f) >= 0;
		f->counters[i].seconds += now() - begin;
	}
}

static void *end_thread(void *arg)
{
	return arg;
}

/*
 * Uses CPU time, and makes a thread now and then. With thread=single, QEMU changes to its next
 * processor at a pause instruction, and otherwise seldom. A fuzzer there would wait long for
 * the answer to an interrupt that it sends to this processor.
 */
static void burn(void)
{
	pthread_t thread;

	for (unsigned int i = 0;; i++) {
		if (i % 1000)
			continue;
		__builtin_ia32_pause();
		if (i % 20000000)
			continue;
		if (!pthread_create(&thread, NULL, end_thread, NULL))
			pthread_join(thread, NULL);
	}
}

/* Starts a process to attach to. It ends with this one. */
static pid_t start_victim(void)
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	if (nice(VICTIMS_NICE) < 0)
		give_up("nice");
	burn();
	return 0;
}

/* Noise succeeds only if it is by chance a call of another kind. HEAP and netlink need rights. */
static int may_all_fail(unsigned int kind)
{
	return calls[kind].call == call_any_ioctl ||
	       (geteuid() && (calls[kind].call == call_heap || calls[kind].call == call_netlink));
}

/* A kind of call that never succeeds tests only the first check of the module. */
static void print_counters(const struct fuzzer *fuzzers)
{
	struct counter sum;

	for (unsigned int i = 0; i < ARRAY_SIZE(calls); i++) {
		sum = (struct counter) { 0 };
		for (int p = 0; p < NR_PROCESSES; p++) {
			sum.calls += fuzzers[p].counters[i].calls;
			sum.successes += fuzzers[p].counters[i].successes;
			sum.seconds += fuzzers[p].counters[i].seconds;
		}
		printf("%-18s %8lu calls, %8lu succeeded, %7.1f s\n", calls[i].name, sum.calls,
		       sum.successes, sum.seconds);
		check_that(calls[i].name, sum.successes || sum.calls < ENOUGH_CALLS ||
			   may_all_fail(i));
	}
}

static pid_t start_fuzzer(struct fuzzer *f)
{
	pid_t pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (pid < 0)
		give_up("clone");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run(f);
	_exit(0);
}

static void run_fuzzers(struct fuzzer *fuzzers, unsigned long seed, unsigned long count)
{
	pid_t pids[NR_PROCESSES];
	int i, status;

	for (i = 0; i < NR_PROCESSES; i++) {
		fuzzers[i].seed = mix(seed * NR_PROCESSES + i);
		fuzzers[i].count = count / NR_PROCESSES;
		pids[i] = start_fuzzer(&fuzzers[i]);
	}
	for (i = 0; i < NR_PROCESSES; i++) {
		waitpid(pids[i], &status, 0);
		check_that("a fuzzer's end", !status);
	}
}

static void *shared_memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		give_up("mmap");
	return at;
}

/* The first session is valid and takes samples, whatever happens to the others. */
static void set_up_first(void)
{
	check("setup", setup(fds[0], PPROF_SETUP_TABLES | PPROF_SETUP_CHILDREN, RING_BYTES), 0);
	for (int i = 0; i < NR_VICTIMS; i++)
		check("attach", attach(fds[0], victims[i], NULL), 0);
	check("start", start(fds[0], PPROF_SOURCE_CPU, PERIOD_NS), 0);
}

/* Returns how many samples the first session has produced. */
static uint64_t nr_produced(void)
{
	struct ring ring;
	uint64_t nr = 0;

	for (int cpu = 0; cpu < session_cpus; cpu++) {
		map_ring(&ring, fds[0], cpu, RING_BYTES);
		nr += __atomic_load_n(&ring.head->produced[PPROF_SOURCE_CPU], __ATOMIC_RELAXED);
	}
	return nr;
}

int main(int argc, char **argv)
{
	struct fuzzer *fuzzers = shared_memory(NR_PROCESSES * sizeof(*fuzzers));
	struct sigaction action = { .sa_handler = note_fault, .sa_flags = SA_NODEFER };
	struct pprof_info info = { .size = sizeof(info) };
	int i;

	if (argc != 3)
		return 2;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (i = 0; i < NR_VICTIMS; i++)
		victims[i] = start_victim();
	fds = shared_memory(NR_FDS * sizeof(*fds));
	while (nr_fds < NR_FDS && (fds[nr_fds] = open("/dev/pprof", O_RDWR | O_CLOEXEC)) >= 0)
		nr_fds++;
	if (nr_fds < 2 || ioctl(fds[0], PPROF_IOC_INFO, &info))
		give_up("/dev/pprof");
	session_cpus = info.nr_cpus;
	set_up_first();
	heap_probes[0] = probe_of("free", PPROF_HEAP_FREE);
	heap_probes[1] = probe_of("malloc", PPROF_HEAP_MALLOC);
	printf("seed %s, %s calls\n", argv[1], argv[2]);
	fflush(stdout);
	run_fuzzers(fuzzers, strtoull(argv[1], NULL, 0), strtoul(argv[2], NULL, 0));
	print_counters(fuzzers);
	printf("%llu samples of cpu\n", (unsigned long long)nr_produced());
	check_that("samples meanwhile",
		   nr_produced() >= strtoul(argv[2], NULL, 0) / CALLS_A_SAMPLE);
	return nr_problems > 0;
}
