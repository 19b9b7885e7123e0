// SPDX-License-Identifier: GPL-2.0
/*
 * Starts many processes. Most of them sleep. It runs until it is killed.
 *
 *	services IDLE BUSY SHORT [FOLDER]
 *
 * Each of the IDLE processes wakes up once a second. Each of the BUSY ones does a fixed amount of
 * work in libc each 50 ms. SHORT processes a second are forked, execute this program, work for a
 * moment, and end. With FOLDER each of them executes a copy of its own, which is deleted then. The
 * work is fixed, and not its time: so the time that a profiler adds can be
 * measured.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS	50000000
#define WORDS		500

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Some millions of instructions. */
static void work(unsigned int seed, int rounds)
{
	char words[WORDS][16];

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < WORDS; i++)
			snprintf(words[i], sizeof(words[i]), "%d", rand_r(&seed));
		qsort(words, WORDS, sizeof(*words), compare);
	}
}

static void __attribute__((noreturn)) serve(int nr, int rounds, long pause_ns)
{
	const struct timespec pause = { pause_ns / 1000000000, pause_ns % 1000000000 };
	char name[16];

	snprintf(name, sizeof(name), "service%d", nr);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		work(nr, rounds);
		nanosleep(&pause, NULL);
	}
}

static void begin(int nr, int rounds, long pause_ns)
{
	pid_t pid = fork();

	if (!pid)
		serve(nr, rounds, pause_ns);
	if (pid < 0) {
		perror("services: cannot fork");
		exit(1);
	}
}

static void copy_program(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t nr;

	do
		nr = sendfile(to, from, NULL, 1 << 20);
	while (nr > 0);
	if (nr < 0 || close(from) || close(to)) {
		perror(path);
		exit(1);
	}
}

static void run_short(const char *folder, unsigned int nr)
{
	char path[256] = "/proc/self/exe";
	pid_t pid;

	if (folder) {
		snprintf(path, sizeof(path), "%s/short%u", folder, nr);
		copy_program(path);
	}
	pid = fork();
	if (!pid) {
		execl(path, path, "short", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	if (folder)
		unlink(path);
}

int main(int argc, char **argv)
{
	int idle, busy, nr_short;
	struct timespec pause;

	if (argc == 2 && !strcmp(argv[1], "short")) {
		work(1, 2);
		return 0;
	}
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: services IDLE BUSY SHORT [FOLDER]\n");
		return 2;
	}
	idle = atoi(argv[1]);
	busy = atoi(argv[2]);
	nr_short = atoi(argv[3]);
	for (int i = 0; i < busy; i++)
		begin(i, 2, PERIOD_NS);
	for (int i = 0; i < idle; i++)
		begin(busy + i, 0, 1000000000);
	pause = (struct timespec){ nr_short > 1 ? 0 : 1, nr_short > 1 ? 1000000000 / nr_short : 0 };
	for (unsigned int nr = 0;; nr++) {
		nanosleep(&pause, NULL);
		if (nr_short)
			run_short(argv[4], nr);
	}
}
