// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what its user may see, as a word: "data", "nothing", or the name of an errno. Other
 * words mean a fault: "strangers" are processes without a pid in the caller's namespace.
 *
 *	look process PID	samples of the process
 *	look tables PID		the same with unwind tables, as the collector does: this
 *				takes rights to the memory of the process
 *	look everybody PID	samples of the process, in a session for all
 *	look all_tables PID	the same with unwind tables
 *	look syscall PID	the system call of the process in a snapshot, or "hidden"
 *	look audit | status	netlink commands
 *	look calls PID		a word for each of: the exec id of the process, the names of
 *				its profiles, the values of one; attaching a child of its own,
 *				samples of the child by all sources and snapshots; probes of
 *				heap; labels of its own
 */
#include <pthread.h>

#include "genl.h"
#include "heapprobe.h"
#include "rings.h"

#define LOOK_MS		1000
#define SOURCES_MS	30000	/* until each source has a sample; the slowest one decides */
#define GROW_BYTES	(1 << 20)
#define KERNEL_BEGIN	0xffff800000000000ULL
#define KERNEL_END	-4096ULL	/* errors, and PPROF_NO_SYSCALL and its like */

static unsigned long nr_samples, nr_strangers;

static int say(int err)
{
	puts(strerrorname_np(err));
	return 0;
}

/* A process without a pid in the namespace of the caller must not be shown. */
static void see(const struct pprof_record *record, void *pid)
{
	const struct pprof_event *ev = (const struct pprof_event *)record;

	nr_strangers += !ev->pid;
	if (record->type == PPROF_REC_SAMPLE && ev->pid == (__u32)*(int *)pid)
		nr_samples++;
}

/* Searches all bytes of the rings that the reader can see, not just the samples. */
static int shows_kernel(const struct rings *rings)
{
	const struct ring *ring;
	const __u64 *word;

	for (ring = rings->rings; ring->tail; ring++)
		for (word = (const __u64 *)ring->head;
		     (const char *)word < ring->data + ring->head->ring_bytes; word++)
			if (*word >= KERNEL_BEGIN && *word < KERNEL_END)
				return 1;
	return 0;
}

static int look_at(int pid, unsigned int flags)
{
	int everybody = flags & PPROF_SETUP_ALL;
	struct rings rings = { .see = see, .context = &pid };
	int fd = open("/dev/pprof", O_RDWR | O_CLOEXEC);

	if (fd < 0 || setup(fd, flags, 8 * RING_BYTES) ||
	    (!everybody && attach(fd, pid, NULL)) || start(fd, PPROF_SOURCE_CPU, PERIOD_NS))
		return say(errno);
	rings_map(&rings, fd, 8 * RING_BYTES, sums_new());
	for (int ms = 0; ms < LOOK_MS && !nr_samples; ms += 20) {
		sleep_us(20000);
		rings_drain(&rings);
	}
	if (stop(fd, PPROF_SOURCE_CPU))
		return say(errno);
	if (!everybody && shows_kernel(&rings))
		puts("kernel addresses");
	else if (nr_strangers)
		puts("strangers");
	else
		puts(nr_samples ? "data" : "nothing");
	return nr_problems;
}

static void see_call(const struct pprof_record *record, void *word)
{
	const struct pprof_sample *sample = (const struct pprof_sample *)record;

	if (record->type == PPROF_REC_SAMPLE)
		*(const char **)word = sample->arg == PPROF_NO_SYSCALL ? "hidden" : "data";
}

static int look_at_syscall(int pid)
{
	const char *word = "nothing";
	struct rings rings = { .see = see_call, .context = &word };
	int fd = open_device();

	if (setup(fd, PPROF_SETUP_SNAPSHOT, RING_BYTES) || attach(fd, pid, NULL))
		return say(errno);
	rings_map(&rings, fd, RING_BYTES, sums_new());
	take_snapshot(fd);
	rings_drain(&rings);
	puts(word);
	return nr_problems;
}

static int call(__u16 flags, __u8 cmd)
{
	int fd = genl_open(), family = genl_family(fd, PPROF_GENL_NAME);
	int err = family < 0 ? family : genl_call(fd, family, flags, cmd);

	if (err)
		return say(-err);
	puts("data");
	return 0;
}

static void *contend(void *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

/* Causes samples of each source. */
static void busy(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	void *memory;

	for (;;) {
		pthread_mutex_lock(&mutex);
		if (pthread_create(&thread, NULL, contend, &mutex))
			give_up("pthread_create");
		sleep_us(2000);
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
		memory = mmap(NULL, GROW_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(memory, 1, GROW_BYTES);
		munmap(memory, GROW_BYTES);
	}
}

static pid_t start_busy(void)
{
	pid_t pid = fork_child();

	if (!pid)
		busy();
	return pid;
}

static void see_source(const struct pprof_record *record, void *seen)
{
	if (record->type == PPROF_REC_SAMPLE)
		*(unsigned int *)seen |= 1U << ((const struct pprof_sample *)record)->source;
}

/*
 * Runs all sources until each has had a sample.
 * Returns: true if all had one, and the rings show no kernel address.
 */
static int watch_sources(int fd)
{
	unsigned int want = 1U << PPROF_SOURCE_THREAD, seen = 0;
	struct rings rings = { .see = see_source, .context = &seen };
	int shown = 0;

	for (size_t i = 0; i < NR_STARTED; i++)
		want |= 1U << all_started[i].source;
	start_all(fd, PERIOD_NS);
	rings_map(&rings, fd, 8 * RING_BYTES, sums_new());
	for (int ms = 0; ms < SOURCES_MS && !shown && seen != want; ms += 20) {
		sleep_us(20000);
		take_snapshot(fd);
		shown = shows_kernel(&rings);
		rings_drain(&rings);
	}
	check_that("no kernel addresses", !shown);
	check_that("samples of all sources", seen == want);
	stop_all(&rings, fd);
	return !nr_problems;
}

static void say_word(int ret)
{
	printf("%s ", ret ? strerrorname_np(errno) : "data");
}

static void look_into(int fd, int pid)
{
	static char data[PPROF_MIN_CUSTOM_BYTES];
	struct pprof_custom_list list = { .size = sizeof(list), .pid = pid };
	struct pprof_custom_read read = {
		.size = sizeof(read), .pid = pid, .data = (uintptr_t)data,
		.bytes = sizeof(data), .name = "a",
	};
	__u64 exec_id;

	say_word(read_exec_id(fd, pid, &exec_id));
	say_word(ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list));
	say_word(ioctl(fd, PPROF_IOC_CUSTOM_READ, &read));
}

static int look_by_calls(int pid)
{
	struct pprof_label label = { .size = sizeof(label), .key = "k", .value = "v" };
	struct pprof_heap_probe probe = probe_of("malloc", PPROF_HEAP_MALLOC);
	int fd = open_device(), own = start_busy();

	if (setup(fd, 0, 8 * RING_BYTES))
		give_up("setup");
	look_into(fd, pid);
	say_word(attach(fd, own, NULL));
	printf("%s ", watch_sources(fd) ? "data" : "wrong");
	say_word(heap(fd, &probe, 1));
	say_word(ioctl(open_client(), PPROF_IOC_LABEL, &label));
	puts("");
	return nr_problems;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 3 && !strcmp(what, "process"))
		return look_at(atoi(argv[2]), 0);
	if (argc == 3 && !strcmp(what, "everybody"))
		return look_at(atoi(argv[2]), PPROF_SETUP_ALL);
	if (argc == 3 && !strcmp(what, "all_tables"))
		return look_at(atoi(argv[2]), PPROF_SETUP_ALL | PPROF_SETUP_TABLES);
	if (argc == 3 && !strcmp(what, "tables"))
		return look_at(atoi(argv[2]), PPROF_SETUP_TABLES);
	if (argc == 3 && !strcmp(what, "syscall"))
		return look_at_syscall(atoi(argv[2]));
	if (argc == 3 && !strcmp(what, "calls"))
		return look_by_calls(atoi(argv[2]));
	if (argc == 2 && !strcmp(what, "audit"))
		return call(0, PPROF_CMD_LISTEN);
	if (argc == 2 && !strcmp(what, "status"))
		return call(NLM_F_DUMP, PPROF_CMD_SESSION_GET);
	return 2;
}
