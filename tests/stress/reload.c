// SPDX-License-Identifier: GPL-2.0
/*
 * COUNT times it loads the module, samples a process, and unloads the module. Frame pointers
 * and tables are used in turns. An unload must fail while a session is open, and succeed
 * after that.
 *
 *	reload [--race] MODULE COUNT PID
 *
 * --race: other processes open sessions, keep custom profiles and listen for thread creations
 * during all of this.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../e2e/programs/genl.h"
#include "../e2e/programs/rings.h"
#include "maketable.h"

#define RACE_PAUSE_US 30000

static int racing;
static unsigned long long nr_samples;

static void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		give_up(path);
	check("load", syscall(SYS_finit_module, fd, "", 0), 0);
	close(fd);
}

static int unload(void)
{
	return syscall(SYS_delete_module, "pprof", O_NONBLOCK);
}

/* With --race, other processes may use the module for a moment. */
static void unload_at_last(void)
{
	int tries = racing ? 10000 : 1;

	while (unload()) {
		if (!--tries || errno != EWOULDBLOCK) {
			check("unload", -1, 0);
			exit(1);
		}
		sleep_us(1000);
	}
}

static int any_produced(struct rings *rings)
{
	unsigned long long sum = 0;

	for (struct ring *ring = rings->rings; ring->tail; ring++)
		sum += __atomic_load_n(&ring->head->produced[PPROF_SOURCE_CPU], __ATOMIC_RELAXED);
	return sum > 0;
}

/* Adds a table with a range and one without. Closing the session frees both. */
static void send_tables(int fd, int pid)
{
	static const struct row row = { 0, { .cfa = PPROF_CFA_END } };
	struct pprof_range range = { .start = 1 << 12, .end = 1ULL << 46 };
	struct pprof_table_head *table = make_table(&row, 1, 1, 0);
	unsigned int unused;
	__u64 exec_id;

	check("table", add_table(fd, table, table->bytes, &range.table), 0);
	check("second table", add_table(fd, table, table->bytes, &unused), 0);
	check("exec id", read_exec_id(fd, pid, &exec_id), 0);
	check("ranges", set_ranges(fd, pid, exec_id, &range, 1), 0);
	free(table);
}

/* If orderly is 0, the session is closed while its sources run. */
static void sample(int pid, int orderly)
{
	struct ring_sums *sums = sums_new();
	struct rings rings = { 0 };
	int fd = open_device();

	check("setup", setup(fd, orderly ? 0 : PPROF_SETUP_TABLES, RING_BYTES), 0);
	check("attach", attach(fd, pid, NULL), 0);
	if (!orderly)
		send_tables(fd, pid);
	rings_map(&rings, fd, RING_BYTES, sums);
	start_all(fd, PERIOD_NS);
	check("unload while a session is open", unload(), EWOULDBLOCK);
	for (int ms = 0; ms < 5000 && !any_produced(&rings); ms++)
		sleep_us(1000);
	if (orderly) {
		stop_all(&rings, fd);
		rings_check_all(&rings);
		nr_samples += rings_check(&rings, PPROF_SOURCE_CPU).taken;
	}
	check_that("there are samples", any_produced(&rings));
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	close(fd);
}

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The next functions race with the load and unload. Returns: true if it succeeded. */
static int open_and_close(void)
{
	int fd = open("/dev/pprof", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return 0;
	ret = setup(fd, PPROF_SETUP_ALL, RING_BYTES);
	close(fd);
	return !ret;
}

/* A process with a custom profile and labels. Often its end closes its descriptor. */
static int keep_and_end(void)
{
	struct pprof_custom arg = { .size = sizeof(arg), .name = "v" };
	struct pprof_label label = { .size = sizeof(label), .key = "k", .value = "v" };
	struct pprof_label_slot word = { .size = sizeof(word) };
	int fd, status = -1, ret = -1;
	pid_t pid = fork();

	if (pid) {
		waitpid(pid, &status, 0);
		return !status;
	}
	fd = open("/dev/pprof", O_WRONLY);
	if (fd >= 0)
		ioctl(fd, PPROF_IOC_CUSTOM, &arg);
	arg.op = PPROF_CUSTOM_ADD;
	if (fd >= 0)
		ret = ioctl(fd, PPROF_IOC_CUSTOM, &arg) || ioctl(fd, PPROF_IOC_LABEL, &label) ||
		      ioctl(fd, PPROF_IOC_LABEL_SLOT, &word);
	if (rand() % 2)
		close(fd);
	_exit(ret != 0);
}

static int call_and_close(__u16 flags, __u8 cmd)
{
	int fd = genl_open(), family = genl_family(fd, PPROF_GENL_NAME);
	int ret = family > 0 ? genl_call(fd, family, flags, cmd) : -1;

	close(fd);
	return !ret;
}

static int listen_and_close(void)
{
	return call_and_close(0, PPROF_CMD_LISTEN);
}

static int dump_sessions(void)
{
	return call_and_close(NLM_F_DUMP, PPROF_CMD_SESSION_GET);
}

static int (*const races[])(void) = {
	open_and_close, keep_and_end, listen_and_close, dump_sessions,
};

#define NR_RACES	(sizeof(races) / sizeof(*races))

/* Shared by all processes. */
static volatile struct {
	int hurry;	/* true: no long pauses, because no unload waits for them */
	unsigned int nr_done[NR_RACES];
} *shared;

/* The pauses are long: without them the module would always be in use. */
static void pause_after(long took_us)
{
	long end_us = now_us() + rand() % (RACE_PAUSE_US + 8 * took_us);

	do
		sleep_us(1000);
	while (!shared->hurry && now_us() < end_us);
}

/* Starts a process that repeats one race until it is killed. */
static void race(size_t i)
{
	long begin_us;

	if (fork_child())
		return;
	srand(getpid());
	for (;;) {
		begin_us = now_us();
		shared->nr_done[i] += races[i]();
		pause_after(now_us() - begin_us);
	}
}

static void start_races(void)
{
	shared = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		give_up("mmap");
	for (size_t i = 0; i < NR_RACES; i++)
		race(i);
}

static void hurry(int how)
{
	if (racing)
		shared->hurry = how;
}

/* With enough time each race must succeed once. One that cannot succeed tests nothing. */
static void check_races(const char *path)
{
	load(path);
	hurry(1);
	for (size_t i = 0; i < NR_RACES; i++) {
		for (int ms = 0; ms < 30000 && !shared->nr_done[i]; ms += 10)
			sleep_us(10000);
		check_that("a race that succeeds", shared->nr_done[i]);
	}
	hurry(0);
	unload_at_last();
}

static void print_races(void)
{
	for (size_t i = 0; i < NR_RACES; i++)
		printf("race %zu succeeded %u times\n", i, shared->nr_done[i]);
}

int main(int argc, char **argv)
{
	int count;

	racing = argc == 5 && !strcmp(argv[1], "--race");
	if (argc != 4 + racing)
		return 2;
	argv += racing;
	count = atoi(argv[2]);
	if (racing)
		start_races();
	for (int i = 0; i < count && !nr_problems; i++) {
		load(argv[1]);
		hurry(1);
		sample(atoi(argv[3]), i % 2);
		hurry(0);
		unload_at_last();
	}
	if (racing && !nr_problems)
		check_races(argv[1]);
	if (racing)
		print_races();
	printf("loaded and unloaded %d times, %llu samples, %d problems\n", count, nr_samples,
	       nr_problems);
	return nr_problems > 0;
}
