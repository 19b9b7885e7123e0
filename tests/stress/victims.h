/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The victims: processes that are profiled. A victim does a random list of acts, and ends. It
 * executes itself, forks, maps its code anew, makes threads, changes its name, labels and custom
 * profile. Each place that a record shows has a mark of its owner (race.h).
 */
#ifndef VICTIMS_H
#define VICTIMS_H

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "race.h"

#define MAX_ACTS	30U
#define SPINS		3000U
#define NR_FRAMES	12
#define MAX_SLEEP_US	60000
#define VICTIMS_NICE	5
#define SETUID_NAME	"setuid"	/* a copy of this program, which is root's and setuid */

static const char *folder;	/* of the files with marks, and of SETUID_NAME */

struct frame {
	const struct frame *caller;
	uint64_t return_address;
};

/*
 * Uses CPU time. Its frames and the registers that a rule may read have the mark. With
 * thread=single, QEMU changes to its next processor at a pause instruction.
 */
static void __attribute__((noinline)) spin(void)
{
	struct frame frames[NR_FRAMES];
	const struct frame *first = frames;
	unsigned long left = SPINS;

	for (int i = 0; i < NR_FRAMES; i++)
		frames[i] = (struct frame) { i + 1 < NR_FRAMES ? &frames[i + 1] : NULL,
					     MARK(me) | i };
	asm volatile("xchg %0, %%rbp\n"
		     "1: pause\n"
		     "dec %1\n"
		     "jnz 1b\n"
		     "xchg %0, %%rbp\n"
		     : "+S" (first), "+c" (left)
		     : "a" (MARK(me)), "d" (MARK(me)), "D" (MARK(me)), "b" (MARK(me))
		     : "memory", "cc");
}

static void *spin_in_thread(void *lock)
{
	if (lock)
		pthread_mutex_lock(lock);
	spin();
	if (lock)
		pthread_mutex_unlock(lock);
	return NULL;
}

/* Threads, half of the time with a lock for which they wait. */
static void act_threads(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t threads[2];
	void *shared_lock = one_in(2) ? &lock : NULL;
	int nr = 0;

	while (nr < 2 && !pthread_create(&threads[nr], NULL, spin_in_thread, shared_lock))
		nr++;
	while (nr)
		pthread_join(threads[--nr], NULL);
}

static void act_memory(void)
{
	for (int i = 0; i < 20; i++) {
		size_t bytes = 1 + below(1U << (4 + below(14)));
		char *object = malloc(bytes);

		memset(object, 0, bytes);
		free(object);
	}
}

static void act_name(void)
{
	char name[PPROF_COMM_LEN];

	snprintf(name, sizeof(name), "%s-%x", owners[me].mark, (unsigned int)below(1000));
	prctl(PR_SET_NAME, name);
}

static void path_in_folder(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

/* Maps the owner's file as code. Its path has the mark. */
static void act_map(void)
{
	static void *last;
	char path[PATH_MAX];
	int fd;

	path_in_folder(path, owners[me].mark);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)	/* the test is over */
		_exit(0);
	if (last)
		munmap(last, PAGE_BYTES);
	last = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (last == MAP_FAILED)
		give_up(path);
	close(fd);
}

static int client(void)
{
	static int fd = -1;

	if (fd >= 0 && one_in(8)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		fd = open("/dev/pprof", O_WRONLY | O_CLOEXEC);
	return fd;
}

static void act_label(void)
{
	struct pprof_label label = { .size = sizeof(label), .key = "key" };
	struct pprof_label_slot slot = { .size = sizeof(slot) };
	int fd = client();

	strcpy((char *)label.value, owners[me].mark);
	if (!ioctl(fd, PPROF_IOC_LABEL, &label) && !ioctl(fd, PPROF_IOC_LABEL_SLOT, &slot))
		*(volatile uint32_t *)slot.address = label.set;
}

/* The names of all victims of an owner are equal. */
static void act_custom(void)
{
	uint64_t frames[2] = { MARK(me), MARK(me) | 1 };
	struct pprof_custom custom = { .size = sizeof(custom) };
	int fd = client();

	strcpy((char *)custom.name, owners[me].mark);
	ioctl(fd, PPROF_IOC_CUSTOM, &custom);
	custom.op = one_in(4) ? PPROF_CUSTOM_REMOVE : PPROF_CUSTOM_ADD;
	custom.value = MARK(me) | below(50);
	if (custom.op == PPROF_CUSTOM_ADD) {
		custom.frames = (uintptr_t)frames;
		custom.nr_frames = ARRAY_SIZE(frames);
	}
	ioctl(fd, PPROF_IOC_CUSTOM, &custom);
}

static void __attribute__((noreturn)) execute(const char *path, unsigned int acts)
{
	char owner[24], seed[24], nr[24];

	sprintf(owner, "%d", me);
	sprintf(seed, "%llu", (unsigned long long)random_next(&random_state));
	sprintf(nr, "%u", acts);
	execl(path, path, "victim", folder, owner, seed, nr, NULL);
	_exit(1);
}

/* The program has the rights of root. Its caller may not profile it. */
static void __attribute__((noreturn)) execute_setuid(void)
{
	char path[PATH_MAX];

	path_in_folder(path, SETUID_NAME);
	me = ROOT;
	execute(path, 6);
}

static void act_fork(void)
{
	pid_t pid = fork_child();

	if (pid) {
		waitpid(pid, NULL, 0);
		return;
	}
	spin();
	if (one_in(2))
		act_threads();
	if (one_in(2) && me != ROOT)
		execute_setuid();
	if (one_in(4))
		execute("/proc/self/exe", 2);
	_exit(0);
}

/* The thread context of this thread: see struct pprof_sample_context. */
static __thread const void *context;

/* Most often a set of labels whose strings have the mark; else other entries and addresses. */
static void act_labels(void)
{
	static struct {
		uint64_t array, nr, room;
		uint64_t entries[20][4];	/* more than are read */
		uint64_t text[2];
	} set;

	strcpy((char *)set.text, owners[me].mark);	/* as text: a copy is not aligned */
	set.array = one_in(8) ? (uint64_t)odd() : (uintptr_t)set.entries;
	set.nr = one_in(8) ? (uint64_t)odd() : below(ARRAY_SIZE(set.entries) + 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(set.entries); i++)
		for (int word = 0; word < 4; word++)
			set.entries[i][word] = one_in(8) ? (uint64_t)odd() :
					       word % 2 ? (uintptr_t)set.text : below(17);
	context = &set;
}

/* Most often a record with the mark; else one that is not valid, or any address. */
static void act_context(void)
{
	static struct {
		uint64_t ids[3];
		uint8_t valid, pad;
		uint16_t bytes;		/* of rest */
		uint8_t rest[PPROF_MAX_CONTEXT_BYTES - PPROF_MIN_CONTEXT_BYTES];
	} record;

	for (unsigned int i = 0; i < ARRAY_SIZE(record.ids); i++)
		record.ids[i] = MARK(me) | i;
	record.valid = !one_in(8);
	record.bytes = one_in(8) ? odd() : below(sizeof(record.rest) + 1);
	context = one_in(8) ? (const void *)odd() : &record;
}

static void act_sleep(void)
{
	sleep_us(below(MAX_SLEEP_US));
}

static void (*const acts[])(void) = {
	spin, spin, act_sleep, act_sleep, act_threads, act_memory, act_name, act_map, act_label,
	act_custom, act_fork, act_context, act_labels,
};

/* A victim after its exec. The setuid program runs as root, and keeps ptrace(2) away. */
static int live(char **argv)
{
	unsigned int left = atoi(argv[5]);

	folder = argv[2];
	me = atoi(argv[3]);
	random_state = strtoull(argv[4], NULL, 10);
	if (geteuid() == getuid())
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	act_name();
	act_map();
	while (left--) {
		acts[below(ARRAY_SIZE(acts))]();
		spin();
		act_sleep();
	}
	if (me != ROOT && one_in(2))
		execute_setuid();
	if (one_in(3))
		execute("/proc/self/exe", below(MAX_ACTS));
	return 0;
}

/* Starts a process that becomes a victim of this owner. */
static pid_t start_victim(enum owner owner)
{
	pid_t pid = fork_child();

	if (pid)
		return pid;
	me = owner;
	if (nice(VICTIMS_NICE) < 0 || setresgid(owners[me].uid, owners[me].uid, owners[me].uid) ||
	    setresuid(owners[me].uid, owners[me].uid, owners[me].uid))
		give_up("setresuid");
	execute("/proc/self/exe", 1 + below(MAX_ACTS));
}

/* Writes a file that only its owner may read. */
static void make_marked_file(enum owner owner)
{
	char path[PATH_MAX];
	int fd;

	path_in_folder(path, owners[owner].mark);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0400);
	if (fd < 0 || ftruncate(fd, PAGE_BYTES) ||
	    fchown(fd, owners[owner].uid, owners[owner].uid))
		give_up(path);
	close(fd);
}

static void copy_program(const char *to)
{
	int from_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to_fd = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
	char buffer[16 * PAGE_BYTES];
	ssize_t got;

	while ((got = read(from_fd, buffer, sizeof(buffer))) > 0)
		if (write(to_fd, buffer, got) != got)
			give_up(to);
	if (got || fchmod(to_fd, 04711))
		give_up(to);
	close(to_fd);
	close(from_fd);
}

/* Makes the folder and its files. */
static void make_folder(void)
{
	char path[PATH_MAX];

	folder = mkdtemp(strdup("/run/races.XXXXXX"));
	if (!folder || chmod(folder, 0711))
		give_up("/run");
	for (int owner = 0; owner < NR_OWNERS; owner++)
		make_marked_file(owner);
	path_in_folder(path, SETUID_NAME);
	copy_program(path);
}

static void remove_folder(void)
{
	char path[PATH_MAX];

	for (int owner = 0; owner < NR_OWNERS; owner++) {
		path_in_folder(path, owners[owner].mark);
		unlink(path);
	}
	path_in_folder(path, SETUID_NAME);
	unlink(path);
	rmdir(folder);
}

#endif
