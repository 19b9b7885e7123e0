// SPDX-License-Identifier: GPL-2.0
/*
 * Labels at their bounds, and misuse of the label page: the memory that has a slot (a word)
 * for each thread, with the number of its label set.
 *
 *	labeller errors		wrong arguments
 *	labeller bounds		as many label sets and labels as allowed, and one more
 *	labeller forks COUNT	children: they have no labels, and can set their own
 *	labeller remaps COUNT	COUNT children, each with a thread that tries to map the
 *				label page once more while the kernel maps it
 *	labeller threads COUNT	COUNT threads at once, and then one after another: each
 *				inherits the labels, up to the bound
 *	labeller hold COUNT	COUNT threads until the end of the standard input; prints
 *				how many of them have labels
 *	labeller hostile SECONDS	works for 0.2 s of CPU time with a label. Then it writes
 *				to all of the label page, unmaps it, forks, and makes label
 *				sets and threads, all at once
 *	labeller leave PATH	a thread executes PATH while a child keeps the file open
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device.h"
#include "pprof_client.h"

#define WORDS_BYTES	(4096 * sizeof(__u32))

static int label(int fd, struct pprof_label label)
{
	label.size = label.size ? label.size : sizeof(label);
	return ioctl(fd, PPROF_IOC_LABEL, &label) ? -errno : (int)label.set;
}

static void is(const char *what, int got, int want)
{
	nr_checks++;
	if (got != want)
		printf("%s: %d, not %d\n", what, got, want);
	nr_problems += got != want;
}

/* READ_IMPLIES_EXEC: readable memory is executable, as in old 32-bit programs. */
static void try_personality(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		personality(READ_IMPLIES_EXEC);
		_exit(pprof_set_labels(pprof_with_label(0, "role", "a")) != 0);
	}
	waitpid(pid, &status, 0);
	is("where all is executed", status, 0);
}

static void try_errors(void)
{
	struct pprof_label_slot word = { .size = sizeof(word), .pad = 1 };
	int fd = open_client(), session = open_device(), set;

	try_personality();
	set = pprof_with_label(0, "role", "a");
	is("a number", set > 0, 1);
	is("the same", pprof_with_label(0, "role", "a"), set);
	is("one more", pprof_with_label(set, "step", "") > set, 1);
	is("no key", pprof_with_label(0, "", "a"), -EINVAL);
	is("a key with a space", pprof_with_label(0, "a b", "a"), -EINVAL);
	is("no such set", pprof_with_label(set + 1000, "a", "a"), -ENOENT);
	is("below", pprof_with_label(set - 1, "a", "a"), -ENOENT);
	is("negative", pprof_with_label(-1, "a", "a"), -ENOENT);
	is("something behind the value",
	   label(fd, (struct pprof_label) { .key = "k", .value = "v\0v" }), -EINVAL);
	is("size 3", label(fd, (struct pprof_label) { .size = 3 }), -EINVAL);
	is("a short size",
	   label(fd, (struct pprof_label) { .size = 80, .key = "role", .value = "a" }), set);
	is("no memory", ioctl(fd, PPROF_IOC_LABEL, NULL) ? errno : 0, EFAULT);
	is("padding", ioctl(fd, PPROF_IOC_LABEL_SLOT, &word) ? errno : 0, EINVAL);
	is("to nowhere", ioctl(fd, PPROF_IOC_LABEL_SLOT, NULL) ? errno : 0, EFAULT);
	is("a session", ioctl(session, PPROF_IOC_LABEL_SLOT, &word) ? errno : 0, EBADF);
	is("a session", label(session, (struct pprof_label) { .key = "k" }), -EBADF);
	is("none at first", pprof_labels(), 0);
	is("set", pprof_set_labels(set), 0);
	is("is set", pprof_labels(), set);
	is("set to anything", pprof_set_labels(-5), 0);
	is("is anything", pprof_labels(), -5);
}

static void try_bounds(void)
{
	char value[16];
	int set = 0, i;

	for (i = 0; i < PPROF_MAX_LABEL_SETS; i++) {
		snprintf(value, sizeof(value), "%d", i);
		if (pprof_with_label(0, "k", value) <= 0)
			break;
	}
	is("as many sets as may be", i, PPROF_MAX_LABEL_SETS);
	is("one more", pprof_with_label(0, "k", "more"), -ENOSPC);
	is("an old one", pprof_with_label(0, "k", "17") > 0, 1);
	for (i = 0; i < 2; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			for (i = 0; set >= 0; i++) {
				value[0] = 'a' + i;
				value[1] = 0;
				set = pprof_with_label(set, value, "");
			}
			is("too many labels", set, -E2BIG);
			is("as many as may be", i, PPROF_MAX_LABELS + 1);
			fflush(stdout);
			_exit(nr_problems > 0);
		}
		waitpid(pid, &status, 0);
		is("a child begins anew", status, 0);
	}
}

/* A child has no labels of its parent, and can set its own. */
static void try_child(int set)
{
	__u32 *word = (__u32 *)pprof_client_slot.slot;
	int inherited_fd = (int)(__u32)pprof_client_file - 1;
	struct pprof_label_slot ask = { .size = sizeof(ask) };
	unsigned char resident;

	is("the parent's words are not there",
	   mincore((void *)((unsigned long)word & -4096UL), 4096, &resident) ? errno : 0, ENOMEM);
	is("the parent's file", ioctl(inherited_fd, PPROF_IOC_LABEL_SLOT, &ask) ? errno : 0, ESRCH);
	is("none in a child", pprof_labels(), 0);
	is("the parent's set is none", pprof_with_label(set, "a", "b"), -ENOENT);
	set = pprof_with_label(0, "role", "child");
	is("a set of its own", set > 0, 1);
	is("set in a child", pprof_set_labels(set), 0);
	is("in effect", pprof_labels(), set);
	fflush(stdout);
	_exit(nr_problems > 0);
}

static void try_forks(int count)
{
	int set = pprof_with_label(0, "role", "parent"), status;
	pid_t pid;

	pprof_set_labels(set);
	while (count--) {
		pid = fork();
		if (!pid)
			try_child(set);
		waitpid(pid, &status, 0);
		is("a child", pid > 0 ? status : -1, 0);
		is("the parent's", pprof_labels(), set);
	}
}

static int nr_remapped, nr_refused_maps, over;

static int is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

/* EPERM when the label page is there, as nothing may remap it; another error before that. */
static void *remap(void *at)
{
	while (!__atomic_load_n(&nr_refused_maps, __ATOMIC_RELAXED) && !nr_remapped)
		if (!syscall(SYS_remap_file_pages, at, WORDS_BYTES, 0, 0, 0))
			nr_remapped++;
		else if (errno == EPERM)
			__atomic_store_n(&nr_refused_maps, 1, __ATOMIC_RELAXED);
	return at;
}

/*
 * Frees a gap of the right size, where the kernel will then map the label page, while a thread
 * tries to remap that address.
 */
static void try_remap(void)
{
	void *at = mmap(NULL, WORDS_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (pthread_create(&thread, NULL, remap, at))
		give_up("pthread_create");
	munmap(at, WORDS_BYTES);
	usleep(1000);
	is("a set", pprof_with_label(0, "role", "a") > 0, 1);
	pthread_join(thread, NULL);
	is("mapped once more", nr_remapped, 0);
	fflush(stdout);
	_exit(nr_problems > 0);
}

static void try_remaps(int count)
{
	int status;
	pid_t pid;

	while (count-- && !nr_problems) {
		pid = fork();
		if (!pid)
			try_remap();
		waitpid(pid, &status, 0);
		is("a child", pid > 0 ? status : -1, 0);
	}
}

static int inherited, nr_right, nr_refused, end_fd[2];

static void *heir(void *wait)
{
	int got = pprof_labels();
	char byte;

	__atomic_add_fetch(got == inherited ? &nr_right : &nr_refused, 1, __ATOMIC_RELAXED);
	if (wait && read(end_fd[0], &byte, 1))
		nr_problems++;
	return wait;
}

/* When this returns all threads have compared their labels. They live until end_heirs(). */
static pthread_t *begin_heirs(int count)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	nr_right = 0;
	nr_refused = 0;
	if (pipe(end_fd))
		give_up("pipe");
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attr, heir, threads))
			give_up("pthread_create");
	while (__atomic_load_n(&nr_right, __ATOMIC_RELAXED) +
	       __atomic_load_n(&nr_refused, __ATOMIC_RELAXED) < count)
		usleep(1000);
	return threads;
}

static void end_heirs(pthread_t *threads, int count)
{
	close(end_fd[1]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	close(end_fd[0]);
	free(threads);
}

static void make_heirs_by_turns(int count)
{
	pthread_t thread;

	nr_right = 0;
	while (count--) {
		if (pthread_create(&thread, NULL, heir, NULL))
			give_up("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void label_this_thread(void)
{
	inherited = pprof_with_label(0, "role", "heir");
	is("its own", pprof_set_labels(inherited), 0);
}

/* Each thread has the labels of its creator, or none beyond the bound. */
static void try_threads(int count)
{
	int most = geteuid() ? PPROF_MAX_USER_LABEL_THREADS : PPROF_MAX_LABEL_THREADS;

	label_this_thread();
	most--;	/* this thread has a slot, too */
	end_heirs(begin_heirs(count), count);
	is("heirs at once", nr_right, count < most ? count : most);
	make_heirs_by_turns(count);
	is("heirs one after the other", nr_right, count);
}

/* Prints how many of the threads have labels. */
static void hold_threads(int count)
{
	pthread_t *threads;
	char byte;

	label_this_thread();
	threads = begin_heirs(count);
	printf("%d\n", nr_right);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	end_heirs(threads, count);
}

/* Writes to slots of all kinds: its own, of other threads, and unused ones. */
static void *scribble(void *words)
{
	unsigned long random = (unsigned long)pthread_self();

	while (!is_over()) {
		random = random * 6364136223846793005ULL + 1;
		((volatile __u32 *)words)[(random >> 33) % 4096] =
			random >> 63 ? random >> 20 : pprof_client_slot.as + (random >> 50);
	}
	return words;
}

static void *make_sets(void *arg)
{
	char value[250];
	int set = 0;

	memset(value, 'v', sizeof(value));
	value[sizeof(value) - 1] = 0;
	for (unsigned int i = 0; !is_over(); i++) {
		memcpy(value, &i, sizeof(i));
		value[i % 4] |= 0x80;
		value[(i + 1) % 4] |= 1;
		set = pprof_with_label(i % 3 ? set : 0, i % 2 ? "k" : "l", value);
		pprof_set_labels(set);
	}
	return arg;
}

static void *come_and_go(void *arg)
{
	pthread_t thread;

	while (!is_over())
		if (!pthread_create(&thread, NULL, heir, NULL))
			pthread_join(thread, NULL);
	return arg;
}

static void *fork_all_the_time(void *arg)
{
	pid_t pid;

	while (!is_over()) {
		pid = fork();
		if (!pid) {
			pprof_set_labels(pprof_with_label(0, "role", "child"));
			if (is_over() || getpid() % 2)
				_exit(0);
			execl("/bin/true", "true", NULL);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return arg;
}

/* 0.2 s of CPU time before a slot is overwritten: a profiler surely sees the labels. */
static void work_alone(void)
{
	struct timespec used = { 0 };

	while (!used.tv_sec && used.tv_nsec < 200000000)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
}

/*
 * While the other threads run, it maps other memory over the first page. In the end it unmaps
 * all of it.
 */
static void be_hostile(int seconds)
{
	void *(*const work[])(void *) = { scribble, scribble, make_sets, come_and_go,
					  fork_all_the_time };
	pthread_t threads[5];
	void *words;

	pprof_set_labels(pprof_with_label(0, "role", "hostile"));
	work_alone();
	words = (void *)((unsigned long)pprof_client_slot.slot & -4096UL);
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, work[i], words);
	sleep(seconds);
	is("other memory there", mmap(words, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE |
				      MAP_ANONYMOUS | MAP_FIXED, -1, 0) != words, 0);
	usleep(200000);
	is("it cannot grow", mremap((char *)words + 4096, 4096, 1 << 20, MREMAP_MAYMOVE) ==
	   MAP_FAILED, 1);
	is("it cannot run", mprotect((char *)words + 4096, 4096, PROT_EXEC) ? errno : 0, EACCES);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	is("it cannot be mapped again", remap_file_pages((char *)words + 8192, 4096, 0, 2, 0) ?
	   errno : 0, EPERM);
	munmap(words, WORDS_BYTES);
}

/* This thread executes a program. It becomes the leader; its slot has its old tid. */
static void *execute(void *path)
{
	pprof_set_labels(pprof_with_label(0, "role", "old"));
	/* The exec would close it, too, which also ends the labels. */
	close((int)(__u32)pprof_client_file - 1);
	if (!fork()) {
		pause();
		_exit(0);
	}
	execl(path, path, NULL);
	give_up(path);
}

static void leave(char *path)
{
	pthread_t thread;
	int file = open_client();

	fcntl(file, F_SETFD, 0);
	pprof_set_labels(pprof_with_label(0, "role", "old"));
	pthread_create(&thread, NULL, execute, path);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "errors"))
		try_errors();
	else if (argc == 2 && !strcmp(argv[1], "bounds"))
		try_bounds();
	else if (argc == 3 && !strcmp(argv[1], "forks"))
		try_forks(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "remaps"))
		try_remaps(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "threads"))
		try_threads(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "hold"))
		hold_threads(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "hostile"))
		be_hostile(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "leave"))
		leave(argv[2]);
	else
		return 2;
	return conclude();
}
