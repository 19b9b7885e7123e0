// SPDX-License-Identifier: GPL-2.0
/*
 * Samples a child of several threads while one of them executes a setuid program (suid.c),
 * COUNT times. No source may report anything of that program, and no snapshot of threads
 * either. Each second time it attaches again and again while the exec happens. Each time it
 * does the same with a session without hooks (PPROF_SETUP_SNAPSHOT).
 *
 *	execrace PROGRAM COUNT
 *
 * Prints a line for each problem and one of sums, and exits with 1 if there is a problem.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "rings.h"

#define SUID_BEGIN	0x70000000ULL
#define SUID_END	0x71000000ULL

static const char *program;
static int *may_execute;	/* shared with the child */
static __u64 exec_id;	/* of the child before its exec; 0: not known yet */
static unsigned long nr_leaks, nr_races, nr_drops, nr_samples[PPROF_NR_SOURCES];
static int unhooked;	/* the session has no hooks */
static unsigned long nr_unhooked;	/* samples of such sessions */

static int is_suid(__u64 address)
{
	return address >= SUID_BEGIN && address < SUID_END;
}

/*
 * True if a sample shows the setuid program. One that was taken within the exec itself has no
 * frames, and may have the new exec id; without hooks, it must not be reported at all.
 */
static int sample_leaks(const struct pprof_sample *sample)
{
	nr_unhooked += unhooked;
	for (int i = 0; i < sample->nr_frames; i++)
		if (is_suid(sample->frames[i]))
			return 1;
	return (sample->nr_frames || unhooked) && sample->ev.exec_id != exec_id;
}

static void see(const struct pprof_record *record, void *unused)
{
	(void)unused;
	switch (record->type) {
	case PPROF_REC_SAMPLE:
		nr_samples[((const struct pprof_sample *)record)->source]++;
		nr_leaks += sample_leaks((const struct pprof_sample *)record);
		break;
	case PPROF_REC_MMAP:
		nr_leaks += ((const struct pprof_event *)record)->exec_id != exec_id;
		break;
	case PPROF_REC_EXEC:
		nr_leaks++;
		break;
	case PPROF_REC_DROP:
		nr_drops++;
		break;
	}
}

static void *execute(void *delay_us)
{
	while (!__atomic_load_n(may_execute, __ATOMIC_ACQUIRE))
		;
	usleep((long)delay_us);
	execl(program, program, NULL);
	_exit(1);
}

static void *work(void *arg)
{
	for (;;)
		;
	return arg;
}

static pid_t start_child(void)
{
	long delay_us = rand() % 10000;
	pid_t pid = fork_child();
	pthread_t thread;

	if (pid)
		return pid;
	pthread_create(&thread, NULL, work, NULL);
	pthread_create(&thread, NULL, execute, (void *)delay_us);
	work(NULL);
	return 0;
}

/* Attaches until the child has executed, and this process may not trace it any more. */
static void attach_over_exec(int fd, pid_t pid)
{
	__u64 now;

	exec_id = 0;
	for (;;) {
		if (!attach(fd, pid, &now)) {
			if (!exec_id)
				exec_id = now;
			check_that("attached to the program before its exec", now == exec_id);
		} else if (errno == EAGAIN) {
			nr_races++;
		} else {
			check("attach", -1, errno == ESRCH ? ESRCH : EACCES);
			return;
		}
	}
}

static void let_execute(int may)
{
	__atomic_store_n(may_execute, may, __ATOMIC_RELEASE);
}

/* Takes snapshots and drains the rings until the child has ended. */
static void watch(int fd, struct rings *rings, pid_t pid)
{
	while (!waitpid(pid, NULL, WNOHANG)) {
		take_snapshot(fd);
		rings_drain(rings);
	}
}

/*
 * Starts all sources and then allows the exec, however long a slow machine takes to start.
 * With attach_meanwhile, the exec is allowed at once: it attaches over it, and samples then.
 */
static void race(int attach_meanwhile)
{
	struct ring_sums *sums = sums_new();
	struct rings rings = { .see = see };
	int fd = open_device();
	pid_t pid;

	check("setup", setup(fd, 0, RING_BYTES), 0);
	let_execute(attach_meanwhile);
	pid = start_child();
	if (attach_meanwhile)
		attach_over_exec(fd, pid);
	else
		check("attach", attach(fd, pid, &exec_id), 0);
	rings_map(&rings, fd, RING_BYTES, sums);
	start_all(fd, PPROF_MIN_PERIOD_NS);
	let_execute(1);
	watch(fd, &rings, pid);
	stop_all(&rings, fd);
	rings_drain(&rings);
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	close(fd);
}

/* A session without hooks has snapshots alone: no source can run. */
static void race_unhooked(void)
{
	struct ring_sums *sums = sums_new();
	struct rings rings = { .see = see };
	int fd = open_device();
	pid_t pid;

	check("setup", setup(fd, PPROF_SETUP_SNAPSHOT, RING_BYTES), 0);
	let_execute(0);
	pid = start_child();
	check("attach", attach(fd, pid, &exec_id), 0);
	rings_map(&rings, fd, RING_BYTES, sums);
	unhooked = 1;
	let_execute(1);
	watch(fd, &rings, pid);
	unhooked = 0;
	rings_unmap(&rings, RING_BYTES);
	sums_free(sums);
	close(fd);
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0;

	if (count <= 0)
		return 2;
	program = argv[1];
	may_execute = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (may_execute == MAP_FAILED)
		give_up("mmap");
	for (int i = 0; i < count; i++) {
		race(i % 2);
		race_unhooked();
	}
	check_that("nothing of the setuid program", !nr_leaks);
	check_that("cpu's samples of the other", nr_samples[PPROF_SOURCE_CPU] > 0);
	check_that("wall's", nr_samples[PPROF_SOURCE_WALL] > 0);
	check_that("snapshots'", nr_samples[PPROF_SOURCE_THREAD] > 0);
	check_that("theirs without hooks", nr_unhooked > 0);
	check_that("it was dropped", nr_drops > 0);
	printf("%d races, %lu samples of cpu, %lu of wall, %lu of snapshots, %lu drops, "
	       "%lu lost to an exec, %lu leaks, %d problems\n", count,
	       nr_samples[PPROF_SOURCE_CPU], nr_samples[PPROF_SOURCE_WALL],
	       nr_samples[PPROF_SOURCE_THREAD], nr_drops, nr_races, nr_leaks, nr_problems);
	return nr_problems > 0;
}
