// SPDX-License-Identifier: GPL-2.0
/*
 * Threads with labels, whose share is known.
 *
 *	roles spin SECONDS
 *
 * Threads run at once, each for SECONDS of CPU time. reader() has the label role=reader, and
 * in half of its time step=parse, too. writer() has role=writer, and heir(), which it
 * creates, inherits that. plain() has no labels: was_labelled() has removed them before it.
 * Prints reader_ns, parse_ns, writer_ns, heir_ns and plain_ns: the CPU time of each.
 *
 *	roles kinds
 *
 * do_all() has role=writer and does something for each profile type. It spins, sleeps,
 * unlocks a mutex for which await_lock() waits with role=reader, touches memory, and
 * creates a thread. Each of these two and the first thread, which has no labels, allocates
 * eight objects of 1 MiB, and frees four of them. Prints "ready"; then all three threads
 * read until the end of the standard input.
 *
 *	roles change COUNT
 *
 * Changes its labels COUNT times, and prints ns, the CPU time. It does so once more where any
 * other syscall kills it, and prints changed=1.
 */
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"
#include "pprof_client.h"

#define TOUCHED		(16 << 20)
#define NR_OBJECTS	8
#define OBJECT_BYTES	(1 << 20)

static uint64_t budget_ns;
static int reader_set, parse_set, writer_set;

static int must(const char *what, int result)
{
	if (result >= 0)
		return result;
	fprintf(stderr, "%s: %s\n", what, strerror(-result));
	exit(1);
}

static void make_sets(void)
{
	reader_set = must("pprof_with_label", pprof_with_label(0, "role", "reader"));
	parse_set = must("pprof_with_label", pprof_with_label(reader_set, "step", "parse"));
	writer_set = must("pprof_with_label", pprof_with_label(0, "role", "writer"));
}

static pthread_t begin(void *(*work)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL)) {
		perror("pthread_create");
		exit(1);
	}
	return thread;
}

/* Shares */

static uint64_t reader_ns, parse_ns, writer_ns, heir_ns, plain_ns;

/* One more slice of work; its CPU time is added to that of the labels in effect. */
static void slice(uint64_t *used, uint64_t *last)
{
	uint64_t now;

	spin(SLICE);
	now = thread_ns();
	*used += now - *last;
	*last = now;
}

static KEEP void *reader(void *arg)
{
	uint64_t last = thread_ns();
	int before;

	must("pprof_set_labels", pprof_set_labels(reader_set));
	while (reader_ns + parse_ns < budget_ns) {
		slice(&reader_ns, &last);
		before = pprof_labels();
		pprof_set_labels(parse_set);
		slice(&parse_ns, &last);
		pprof_set_labels(before);
	}
	return arg;
}

static KEEP void *heir(void *arg)
{
	uint64_t last = thread_ns();

	while (heir_ns < budget_ns)
		slice(&heir_ns, &last);
	return arg;
}

static KEEP void *writer(void *arg)
{
	uint64_t last;
	pthread_t child;

	must("pprof_set_labels", pprof_set_labels(writer_set));
	child = begin(heir);
	last = thread_ns();
	while (writer_ns < budget_ns)
		slice(&writer_ns, &last);
	pthread_join(child, NULL);
	return arg;
}

static KEEP void *plain(void *arg)
{
	uint64_t last = thread_ns();

	while (plain_ns < budget_ns)
		slice(&plain_ns, &last);
	return arg;
}

static KEEP void *was_labelled(void *arg)
{
	must("pprof_set_labels", pprof_set_labels(writer_set));
	must("pprof_set_labels", pprof_set_labels(0));
	return plain(arg);
}

static void spin_all(void)
{
	pthread_t threads[] = { begin(reader), begin(writer), begin(was_labelled) };

	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("reader_ns=%llu\nparse_ns=%llu\nwriter_ns=%llu\nheir_ns=%llu\nplain_ns=%llu\n",
	       (unsigned long long)reader_ns, (unsigned long long)parse_ns,
	       (unsigned long long)writer_ns, (unsigned long long)heir_ns,
	       (unsigned long long)plain_ns);
}

/* Something for each profile type. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t locked, done;

static KEEP void wait_for_end(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
}

static KEEP void allocate(void)
{
	void *volatile object;

	for (int i = 0; i < NR_OBJECTS; i++) {
		object = malloc(OBJECT_BYTES);
		if (i % 2)
			free(object);
	}
}

static KEEP void *await_lock(void *arg)
{
	must("pprof_set_labels", pprof_set_labels(reader_set));
	pthread_barrier_wait(&locked);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	allocate();
	pthread_barrier_wait(&done);
	wait_for_end();
	return arg;
}

static KEEP void *do_nothing(void *arg)
{
	return arg;
}

static KEEP void touch(void)
{
	char *memory = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memset(memory, 1, TOUCHED);
}

static KEEP void *do_all(void *arg)
{
	uint64_t used = 0, last = thread_ns();

	must("pprof_set_labels", pprof_set_labels(writer_set));
	pthread_mutex_lock(&lock);
	pthread_barrier_wait(&locked);
	while (used < 200 * NSEC_PER_MSEC)
		slice(&used, &last);
	usleep(200000);
	pthread_mutex_unlock(&lock);
	touch();
	allocate();
	pthread_join(begin(do_nothing), NULL);
	pthread_barrier_wait(&done);
	wait_for_end();
	return arg;
}

static void do_kinds(void)
{
	pthread_t threads[2];

	settle();
	pthread_barrier_init(&locked, NULL, 2);
	pthread_barrier_init(&done, NULL, 3);
	threads[0] = begin(await_lock);
	threads[1] = begin(do_all);
	pthread_barrier_wait(&done);
	allocate();
	printf("ready\n");
	fflush(stdout);
	wait_for_end();
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* Changes */

static KEEP void change_often(uint64_t count)
{
	int before;

	for (uint64_t i = 0; i < count; i++) {
		before = pprof_labels();
		pprof_set_labels(i % 2 ? parse_set : writer_set);
		pprof_set_labels(before);
	}
}

/* Strict seccomp: any syscall but read, write, exit and sigreturn kills the thread. */
static void change(uint64_t count)
{
	uint64_t from;

	must("pprof_set_labels", pprof_set_labels(reader_set));
	from = thread_ns();
	change_often(count);
	printf("ns=%llu\n", (unsigned long long)(thread_ns() - from));
	fflush(stdout);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		exit(1);
	change_often(count);
	if (pprof_labels() == reader_set && write(STDOUT_FILENO, "changed=1\n", 10) == 10)
		syscall(SYS_exit, 0);
	syscall(SYS_exit, 1);
}

int main(int argc, char **argv)
{
	make_sets();
	if (argc == 3 && !strcmp(argv[1], "spin")) {
		budget_ns = arg_seconds(argv[2]);
		spin_all();
	} else if (argc == 2 && !strcmp(argv[1], "kinds")) {
		do_kinds();
	} else if (argc == 3 && !strcmp(argv[1], "change")) {
		change(arg_count(argv[2]));
	} else {
		usage("roles spin SECONDS | kinds | change COUNT");
	}
	return 0;
}
