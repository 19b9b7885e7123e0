// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps custom profiles in ways that pprof_client.h does not intend.
 *
 *	client errors		wrong arguments, names, order and files
 *	client bounds		as many profiles, values and frames as allowed, and one more
 *	client forks COUNT	children and threads, while values are added and removed
 *	client files		threads with a file table of their own; and another file whose
 *				descriptor number was that of the client's file
 *	client heirs COUNT	processes that end one after another. Each fills its client,
 *				and passes on its file table
 *	client crowd COUNT	COUNT processes of a user that hold a client, and one more. COUNT
 *				is the limit of a user
 *	client leave COMMAND...	forks a child that keeps the file open, and executes COMMAND
 *	client storm COUNT	all of this at once in four processes, which execute
 *				themselves COUNT times, while another process reads
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "device.h"
#include "pprof_client.h"

static void check_err(const char *what, int err, int want)
{
	errno = -err;
	check(what, err < 0 ? -1 : 0, want);
}

static int try_name(const char *name)
{
	return pprof_new_profile(name);
}

static void check_names(void)
{
	static const char *const refused[] = {
		"", " ", "a b", "a\tb", "\n", "a\"", "a\\", "a,b", "\x7f", "\x80", "\xc0\x80", "\xc3",
		"\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xc2\xa0", "\xe2\x80\x83",
		"\xe2\x80\xae", "\xef\xbb\xbf",
		"1234567890123456789012345678901234567890123456789012345678901234",
	};
	static const char *const taken[] = {
		"a", "net/http.conns", "gr\xc3\xbc\xc3\x9f" "e", "\xf0\x9f\x8e\x89", "CPU",
		"123456789012345678901234567890123456789012345678901234567890123",
	};
	static const char *const kinds[] = {
		"cpu", "wall", "threadcreate", "thread", "block", "mutex", "growth", "heap", "allocs",
		"all",
	};

	for (unsigned int i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		check_err(refused[i], try_name(refused[i]), EINVAL);
	for (unsigned int i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		check_err(taken[i], try_name(taken[i]), 0);
	for (unsigned int i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		check_err("the same again", try_name(taken[i]), EEXIST);
	for (unsigned int i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		check_err(kinds[i], try_name(kinds[i]), EEXIST);
}

static void check_values(void)
{
	struct pprof_custom_name names[3];

	check_err("add to nothing", pprof_add("v", &names, 0), ENOENT);
	check_err("remove from nothing", pprof_remove("v", &names), ENOENT);
	check_err("count of nothing", pprof_count("v"), ENOENT);
	check_err("look up nothing", pprof_lookup("v"), ENOENT);
	check_err("new", pprof_new_profile("v"), 0);
	check_err("look up", pprof_lookup("v"), 0);
	check_err("add", pprof_add("v", &names, 0), 0);
	check_err("add again", pprof_add("v", &names, 0), EEXIST);
	check_err("add to another", pprof_add("a", &names, 0), 0);
	check_err("add NULL", pprof_add("v", NULL, -5), 0);
	check_err("add beyond the stack", pprof_add("v", (void *)1, 0x7fffffff), 0);
	check_that("three values", pprof_count("v") == 3);
	check_err("remove what is not there", pprof_remove("v", (void *)2), 0);
	check_err("remove", pprof_remove("v", &names), 0);
	check_err("remove again", pprof_remove("v", &names), 0);
	check_that("two values", pprof_count("v") == 2);
	check_err("add anew", pprof_add("v", &names, 0), 0);
	check_that("seven profiles", pprof_profiles(names, 3) == 7);
	check_that("by name", names[0].name[0] == '1' && !names[0].count &&
		   !strcmp((char *)names[1].name, "CPU") && !names[1].count &&
		   !strcmp((char *)names[2].name, "a") && names[2].count == 1);
}

#define CUSTOM(...)	custom(fd, (struct pprof_custom) { __VA_ARGS__ })

static long custom(int fd, struct pprof_custom arg)
{
	memcpy(arg.name, "v", 2);
	arg.size = arg.size ? arg.size : sizeof(arg);
	return ioctl(fd, PPROF_IOC_CUSTOM, &arg);
}

static void check_arguments(int fd)
{
	struct pprof_custom_list list = { .size = sizeof(list), .pid = 1 };
	struct pprof_custom arg = { .size = sizeof(arg), .op = PPROF_CUSTOM_COUNT, .name = "v\0v" };
	__u64 frames[PPROF_MAX_FRAMES] = { 1 }, at = (unsigned long)frames;

	check("unknown op", CUSTOM(.op = PPROF_NR_CUSTOM_OPS), EINVAL);
	check("unknown flag", CUSTOM(.op = 1, .flags = 2), EINVAL);
	check("flag of remove", CUSTOM(.op = 2, .flags = 1), EINVAL);
	check("frames of remove", CUSTOM(.op = 2, .frames = 1), EINVAL);
	check("number of frames of new", CUSTOM(.nr_frames = 1), EINVAL);
	check("value of count", CUSTOM(.op = 3, .value = 1), EINVAL);
	check("too many frames",
	      CUSTOM(.op = 1, .frames = at, .nr_frames = PPROF_MAX_FRAMES + 1), EINVAL);
	check("no frames there", CUSTOM(.op = 1, .frames = 8, .nr_frames = 1), EFAULT);
	check("as many frames as may be",
	      CUSTOM(.op = 1, .value = 9, .frames = at, .nr_frames = PPROF_MAX_FRAMES), 0);
	check("size 3", CUSTOM(.size = 3), EINVAL);
	check("a name cut by a short size", CUSTOM(.size = 40, .op = 3), EINVAL);
	check("no memory", ioctl(fd, PPROF_IOC_CUSTOM, NULL), EFAULT);
	check("something behind the name", ioctl(fd, PPROF_IOC_CUSTOM, &arg), EINVAL);
	memset(arg.name, 'v', sizeof(arg.name));
	check("a name without end", ioctl(fd, PPROF_IOC_CUSTOM, &arg), EINVAL);
	check("another's list", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list), EINVAL);
	list.pid = 0;
	list.room = 5;
	check("a list to nowhere", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list), EFAULT);
}

/* The calls of a session fail on the file of a client. */
static void check_kind(int fd)
{
	struct pprof_info info = { .size = sizeof(info) };
	struct pprof_custom_read read = { .size = sizeof(read) };

	check("info of a client", ioctl(fd, PPROF_IOC_INFO, &info), EBADF);
	check("setup of a client", setup(fd, 0, RING_BYTES), EBADF);
	check("attach to a client", attach(fd, getpid(), NULL), EBADF);
	check("start of a client", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), EBADF);
	check("read by a client", ioctl(fd, PPROF_IOC_CUSTOM_READ, &read), EBADF);
	check("another number", ioctl(fd, _IO(PPROF_IOC_MAGIC, 0x7f)), ENOTTY);
	check_that("no mapping",
		   mmap(NULL, PAGE_BYTES, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
}

static void try_errors(void)
{
	int fd = open_client();

	check_names();
	check_values();
	check_arguments(fd);
	check_kind(fd);
	check_err("all files are one client", pprof_count("v"), 0);
	close(fd);
	check_that("whichever is closed", pprof_count("v") == 4);
}

static void try_bounds(void)
{
	int frames = PPROF_MAX_CUSTOM_FRAMES / PPROF_MAX_FRAMES, fd = open_client();
	__u64 stack[PPROF_MAX_FRAMES] = { 0 };
	char name[16];
	int i, err = 0;

	for (i = 0; i < PPROF_MAX_CUSTOM_PROFILES; i++) {
		snprintf(name, sizeof(name), "v%.d", i);
		check_err("as many profiles as may be", pprof_new_profile(name), 0);
	}
	check_err("one more profile", pprof_new_profile("more"), ENOSPC);
	for (i = 1; i <= PPROF_MAX_CUSTOM_VALUES; i++)
		if (pprof_add(i % 2 ? "v" : "v63", (void *)(long)i, 1000))
			break;
	check_that("as many values as may be", i == PPROF_MAX_CUSTOM_VALUES + 1);
	check_err("one more value", pprof_add("v1", (void *)(long)i, 1000), ENOSPC);
	check_err("remove one", pprof_remove("v63", (void *)2), 0);
	check_err("there is room", pprof_add("v1", (void *)(long)i, 1000), 0);
	for (i = 1; i <= PPROF_MAX_CUSTOM_VALUES + 1; i++)
		if (pprof_remove(i % 2 ? "v" : "v63", (void *)(long)i) < 0)
			break;
	pprof_remove("v1", (void *)(long)(PPROF_MAX_CUSTOM_VALUES + 1));
	check_that("all are gone", !pprof_count("v") && !pprof_count("v63") && !pprof_count("v1"));
	for (i = 1; !err && i <= frames + 1; i++)
		err = CUSTOM(.op = 1, .value = i, .nr_frames = PPROF_MAX_FRAMES,
			     .frames = (unsigned long)stack);
	check_that("as many frames as may be", i == frames + 2 && errno == ENOSPC);
}

/* A child has no profiles of its parent, and its own do not appear in the parent. */
static void try_child(void)
{
	struct pprof_custom arg = { .size = sizeof(arg), .op = PPROF_CUSTOM_COUNT, .name = "v" };
	int inherited = (int)(__u32)pprof_client_file - 1;

	check("the parent's file", ioctl(inherited, PPROF_IOC_CUSTOM, &arg), ESRCH);
	check_err("count in a child", pprof_count("v"), ENOENT);
	check_err("new in a child", pprof_new_profile("v"), 0);
	check_err("add in a child", pprof_add("v", &arg, 0), 0);
	check_that("one in a child", pprof_count("v") == 1);
	_exit(nr_problems > 0);
}

static void *come_and_go(void *arg)
{
	for (int i = 0; i < 2000; i++) {
		pprof_add("v", (char *)arg + i, 0);
		pprof_remove("v", (char *)arg + i);
	}
	return arg;
}

static void fork_once(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		try_child();
	waitpid(pid, &status, 0);
	check_that("a child", pid > 0 && !status);
}

/* A thread that ends with a file table of its own does not end the client. */
static void *end_with_own_files(void *arg)
{
	return unshare(CLONE_FILES) ? NULL : arg;
}

static void try_forks(int count)
{
	static char places[4][4096];
	pthread_t threads[4], alone;

	check_err("new", pprof_new_profile("v"), 0);
	check_err("add", pprof_add("v", &count, 0), 0);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, come_and_go, places[i]))
			give_up("pthread_create");
	for (int i = 0; i < count; i++)
		fork_once();
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	check_that("one of the parent", pprof_count("v") == 1);
	if (pthread_create(&alone, NULL, end_with_own_files, NULL))
		give_up("pthread_create");
	pthread_join(alone, NULL);
	check_that("still one", pprof_count("v") == 1);
}

static int nr_files(void)
{
	DIR *dir = opendir("/proc/thread-self/fd");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

/* Each call works, whatever file has the client's number, and leaves no file open. */
static void call_often(const char *what, const char *name)
{
	int before = nr_files();

	for (long i = 1; i <= 100; i++)
		check_err(what, pprof_add(name, (void *)i, 0), 0);
	check_that(what, pprof_count(name) == 100 && nr_files() == before);
}

static sem_t let_go, there;

/* This thread opens the file in a file table of its own. */
static void *keep_apart(void *arg)
{
	if (unshare(CLONE_FILES))
		give_up("unshare");
	check_err("new, apart", pprof_new_profile("apart"), 0);
	sem_post(&there);
	sem_wait(&let_go);
	check_that("what others added", pprof_count("apart") == 100);
	call_often("apart, too", arg);
	return NULL;
}

static void try_files(void)
{
	pthread_t thread;
	int fd, other;

	sem_init(&let_go, 0, 0);
	sem_init(&there, 0, 0);
	if (pthread_create(&thread, NULL, keep_apart, (void *)"closed"))
		give_up("pthread_create");
	sem_wait(&there);
	fd = (int)(__u32)pprof_client_file - 1;
	call_often("with another's file", "apart");
	other = open("/dev/null", O_RDWR);
	if (other != fd)
		dup2(other, fd);
	check_err("new", pprof_new_profile("other"), 0);
	call_often("with another file", "other");
	check_that("it is left open", fcntl(fd, F_GETFD) >= 0);
	close(fd);
	check_err("new", pprof_new_profile("closed"), 0);
	sem_post(&let_go);
	pthread_join(thread, NULL);
	check_that("what the thread added", pprof_count("closed") == 100);
}

/*
 * Fills a client with 6,000 values, whose stacks have the greatest size: 24 MB of kernel memory.
 * Returns: 1 if a call failed.
 */
static int fill(void)
{
	static __u64 stack[PPROF_MAX_FRAMES];
	int fd = open_client(), err = pprof_new_profile("v") < 0;

	for (int i = 0; i < 6000 && !err; i++)
		err = CUSTOM(.op = 1, .value = i, .nr_frames = PPROF_MAX_FRAMES,
			     .frames = (unsigned long)stack) < 0;
	return err;
}

/* Each process shares its file table with the next one, and leaves its file of the device in it. */
static void inherit(int count, int to)
{
	pid_t pid;

	do {
		pid = getpid();
		if (write(to, fill() ? "x" : ".", 1) < 0 || !--count)
			_exit(0);
		if (syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL))
			_exit(0);
		while (getppid() == pid)
			sleep_us(1000);
	} while (1);
}

/* If the clients of ended processes counted, they would exceed the quota of the user. */
static void try_heirs(int count)
{
	int fds[2], nr = 0;
	char c;

	if (pipe(fds))
		give_up("pipe");
	if (!fork())
		inherit(count, fds[1]);
	close(fds[1]);
	for (; read(fds[0], &c, 1) == 1; nr++)
		check_that("an heir has room", c == '.');
	check_that("all heirs", nr == count);
	while (wait(NULL) > 0)
		;
}

/*
 * Opens the device in a child that then waits until it is killed.
 * Returns: 0, or the negative errno of open().
 */
static int open_in_child(pid_t *pid)
{
	int fds[2], err = 0, fd;

	if (pipe(fds))
		give_up("pipe");
	*pid = fork();
	if (!*pid) {
		fd = open("/dev/pprof", O_WRONLY);
		err = fd < 0 ? errno : 0;
		if (write(fds[1], &err, sizeof(err)) != sizeof(err))
			_exit(1);
		pause();
	}
	if (*pid < 0 || read(fds[0], &err, sizeof(err)) != sizeof(err))
		give_up("fork");
	close(fds[0]);
	close(fds[1]);
	return -err;
}

static void kill_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void try_crowd(int count)
{
	pid_t *pids = calloc(count, sizeof(*pids)), late;

	for (int i = 0; i < count; i++)
		check_err("as many processes as may be", open_in_child(&pids[i]), 0);
	check_err("one more process", open_in_child(&late), EMFILE);
	kill_child(late);
	kill_child(pids[0]);
	check_err("a process in place of one that ended", open_in_child(&pids[0]), 0);
	for (int i = 0; i < count; i++)
		kill_child(pids[i]);
	free(pids);
}

/* The child keeps the file open after the exec. The values must be gone all the same. */
static void leave(char **command)
{
	check_err("new", pprof_new_profile("v"), 0);
	check_err("add", pprof_add("v", command, 0), 0);
	if (!fork()) {
		pause();
		_exit(0);
	}
	execvp(command[0], command);
	give_up(command[0]);
}

/*
 * The storm. Each process adds values that contain its pid, forks, passes on its file, and
 * executes itself. Another process reads their values at the same time.
 */
#define NR_STORMERS	4

static void pass_on(int fd)
{
	pid_t pid = syscall(SYS_clone, (rand() % 2 ? CLONE_FILES : 0) | SIGCHLD, NULL, NULL, NULL,
			    NULL);

	if (pid)
		return;
	pprof_new_profile("v");
	pprof_add("v", (void *)((long)getpid() << 32), 0);
	fcntl(fd, F_SETFD, rand() % 2 ? FD_CLOEXEC : 0);
	sleep_us(rand() % 3000);
	_exit(0);
}

static void *add_and_remove(void *arg)
{
	long first = (long)getpid() << 32;

	for (long i = 1; i < 200; i++) {
		pprof_add("v", (void *)(first + i), 0);
		if (i % 3)
			pprof_remove("v", (void *)(first + i - 10));
	}
	return arg;
}

static void stormer(int count)
{
	char left[16], *args[] = { (char *)"client", (char *)"stormer", left, NULL };
	pthread_t thread;

	srand(getpid() + count);
	signal(SIGCHLD, SIG_IGN);
	pprof_new_profile("v");
	if (pthread_create(&thread, NULL, add_and_remove, NULL))
		give_up("pthread_create");
	add_and_remove(NULL);
	pass_on((int)(__u32)pprof_client_file - 1);
	if (rand() % 2)
		pthread_join(thread, NULL);
	snprintf(left, sizeof(left), "%d", count - 1);
	if (count)
		execv("/proc/self/exe", args);
	exit(nr_problems > 0);
}

/* Checks that the process itself added all values that were read of it. */
static void check_values_of(const struct pprof_custom_read *read, const char *data)
{
	const struct pprof_custom_value *value;

	for (unsigned int at = 0; at < read->bytes;) {
		value = (const void *)(data + at);
		check_that("a value of its own", value->value >> 32 == (__u64)read->pid);
		at += sizeof(*value) + value->nr_frames * sizeof(*value->frames);
	}
}

/* Returns: the number of calls that returned values. */
static int read_storm(int fd, pid_t pid)
{
	static char data[PPROF_MIN_CUSTOM_BYTES];
	struct pprof_custom_read read = { .size = sizeof(read), .pid = pid, .name = "v",
					  .data = (unsigned long)data };
	struct pprof_custom_list list = { .size = sizeof(list), .pid = pid };

	int nr = 0;

	check_that("one or none", ioctl(fd, PPROF_IOC_CUSTOM_LIST, &list) || list.nr <= 1);
	do {
		read.bytes = sizeof(data);
		if (ioctl(fd, PPROF_IOC_CUSTOM_READ, &read)) {
			/* EACCES: the check of ptrace rights, when the memory is gone. */
			check_that("an error of an exec or an end",
				   errno == EAGAIN || errno == ENOENT || errno == ESRCH ||
				   errno == EACCES);
			return nr;
		}
		check_values_of(&read, data);
		nr += read.bytes > 0;
	} while (read.next);
	return nr;
}

static void try_storm(int count)
{
	int fd = open_device(), nr = 0, nr_read = 0, status;
	pid_t pids[NR_STORMERS];

	for (int i = 0; i < NR_STORMERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			stormer(count);
	}
	while (nr < NR_STORMERS) {
		for (int i = 0; i < NR_STORMERS; i++)
			nr_read += read_storm(fd, pids[i]);
		while (nr < NR_STORMERS && waitpid(-1, &status, WNOHANG) > 0) {
			check_that("a stormer", !status);
			nr++;
		}
	}
	check_that("some are read", nr_read);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "errors"))
		try_errors();
	else if (argc == 2 && !strcmp(argv[1], "bounds"))
		try_bounds();
	else if (argc == 3 && !strcmp(argv[1], "forks"))
		try_forks(atoi(argv[2]));
	else if (argc == 2 && !strcmp(argv[1], "files"))
		try_files();
	else if (argc == 3 && !strcmp(argv[1], "heirs"))
		try_heirs(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "crowd"))
		try_crowd(atoi(argv[2]));
	else if (argc >= 3 && !strcmp(argv[1], "leave"))
		leave(argv + 2);
	else if (argc == 3 && !strcmp(argv[1], "stormer"))
		stormer(atoi(argv[2]));
	else if (argc == 3 && !strcmp(argv[1], "storm"))
		try_storm(atoi(argv[2]));
	else
		return 2;
	return conclude();
}
