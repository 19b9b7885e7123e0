// SPDX-License-Identifier: GPL-2.0
/*
 * Processes fork children while a heap profile of all of them starts. Each child must have
 * all breakpoints, at whatever step of fork() it was.
 *
 *	brood ROUNDS
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapprobe.h"

#define NR_MOTHERS	8
#define MAX_CHILDREN	2000

/*
 * Functions that no process here calls. They are many: a child is only for some us at the step
 * where it could miss a breakpoint, and each function is one more chance to hit that.
 */
static const char *const functions[] = {
	"abs", "atof", "atoi", "atol", "bsearch", "clearenv", "ctime", "difftime", "div",
	"fgetc", "fgetpos", "fputc", "fseek", "ftell", "fwide", "getenv", "getw", "gmtime",
	"hcreate", "hsearch", "labs", "lfind", "localtime", "lsearch", "mblen",
	"mktime", "putenv", "puts", "putw", "qsort", "rand", "remove", "rename", "rewind",
	"setbuf", "setlocale", "srand", "strfry", "strsep", "swab", "system", "tmpfile",
	"tmpnam", "tsearch", "ungetc",
};

#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

/* In shared memory: the mothers write it, and the process that checks reads it. */
static struct brood {
	atomic_bool begin, enough;
	atomic_int nr, nr_done;
	pid_t pids[MAX_CHILDREN];
} *brood;

/* fork_child() has each process end with its parent. */
static void live(void)
{
	for (;;)
		pause();
}

static void bear(void)
{
	while (!brood->enough && brood->nr < MAX_CHILDREN - NR_MOTHERS) {
		pid_t pid = fork_child();

		if (!pid)
			live();
		brood->pids[brood->nr++] = pid;
	}
	brood->nr_done++;
	live();
}

static void bear_mothers(void)
{
	while (!brood->begin)
		usleep(1000);
	for (int i = 0; i < NR_MOTHERS; i++)
		if (!fork_child())
			bear();
	live();
}

/* A child that was forked has libc at the same address as this process. */
static bool has_breakpoint(pid_t pid, const char *function)
{
	char path[64];
	unsigned char code;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	read_all(path, (uintptr_t)dlsym(RTLD_DEFAULT, function), &code, 1);
	return code == 0xcc;
}

static void check_children(int nr_before)
{
	check_that("children were born meanwhile", brood->nr > nr_before);
	for (int i = 0; i < brood->nr; i++)
		for (size_t n = 0; n < NR_FUNCTIONS; n++)
			check_that(functions[n], has_breakpoint(brood->pids[i], functions[n]));
}

static void profile(pid_t first, const struct pprof_heap_probe *probes)
{
	int nr_before, fd = open_device();

	check("setup", setup(fd, PPROF_SETUP_CHILDREN, RING_BYTES), 0);
	check("attach", attach(fd, first, NULL), 0);
	check("functions", heap(fd, probes, NR_FUNCTIONS), 0);
	brood->begin = true;
	while (brood->nr < NR_MOTHERS)
		usleep(1000);
	nr_before = brood->nr;
	check("start", start(fd, PPROF_SOURCE_HEAP, 1 << 20), 0);
	brood->enough = true;
	while (brood->nr_done < NR_MOTHERS)
		usleep(1000);
	check_children(nr_before);
	close(fd);
}

static void try_once(const struct pprof_heap_probe *probes)
{
	pid_t first;

	*brood = (struct brood) { .nr = 0 };
	first = fork_child();
	if (!first)
		bear_mothers();
	profile(first, probes);
	kill(first, SIGKILL);
	waitpid(first, NULL, 0);
}

int main(int argc, char **argv)
{
	struct pprof_heap_probe probes[NR_FUNCTIONS];

	brood = mmap(NULL, sizeof(*brood), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (argc != 2 || brood == MAP_FAILED)
		give_up("brood ROUNDS");
	for (size_t n = 0; n < NR_FUNCTIONS; n++)
		probes[n] = probe_of(functions[n], PPROF_HEAP_FREE);
	for (int i = 0; i < atoi(argv[1]); i++)
		try_once(probes);
	return conclude();
}
