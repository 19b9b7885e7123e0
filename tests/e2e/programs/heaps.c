// SPDX-License-Identifier: GPL-2.0
/*
 * Asks /dev/pprof for heap profiles in ways that the collector never does.
 *
 *	heaps errors PID	requests that must be refused, with the right errno
 *	heaps rights PID	a request that a user without rights must not make
 *	heaps wrong PID		probes with a false kind of function, and many at each
 *				function, while PID allocates by libc
 *	heaps cycle N PID	starts and stops N times; then for longer and longer,
 *				until there was an object
 *	heaps storm PID		the same without a pause, until it is killed
 *	heaps text PID		the code of libc in PID is the code in its file
 *
 * Prints a line for each problem, and exits with 1 if there is one.
 */
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "heapprobe.h"
#include "rings.h"

#define HEAP	PPROF_SOURCE_HEAP
#define PERIOD	4096

static unsigned long long nr_told;

static int open_session(int pid)
{
	int fd = open_device();

	check("setup", setup(fd, PPROF_SETUP_CHILDREN, RING_BYTES), 0);
	check("attach", attach(fd, pid, NULL), 0);
	return fd;
}

static void check_probe(const char *what, int fd, const struct pprof_heap_probe *probe, int want)
{
	check(what, heap(fd, probe, 1), want);
}

static void check_files(int fd, const struct pprof_heap_probe *right)
{
	struct pprof_heap_probe probe = *right;

	probe.function = PPROF_NR_HEAP;
	check_probe("unknown kind", fd, &probe, EINVAL);
	probe = *right;
	probe.offset = 1ULL << 63;
	check_probe("offset that is none", fd, &probe, EINVAL);
	probe = *right;
	probe.fd = -1;
	check_probe("no file", fd, &probe, EBADF);
	probe.fd = open("/bin/true", O_PATH);
	check_probe("O_PATH", fd, &probe, EBADF);
	probe.fd = open("/", O_RDONLY);
	check_probe("a folder", fd, &probe, EINVAL);
	probe.fd = open("written", O_WRONLY | O_CREAT, 0600);
	check_probe("not readable", fd, &probe, EACCES);
	unlink("written");
}

static void check_types(int fd)
{
	struct pprof_heap_probe probes[] = {
		probe_of("malloc", PPROF_HEAP_MALLOC), probe_of("free", PPROF_HEAP_FREE),
	};

	check("not in the order of their kinds", heap(fd, probes, 2), EINVAL);
}

static void check_order(int fd, const struct pprof_heap_probe *right)
{
	struct pprof_heap_probe far = *right;

	check("start without functions", start(fd, HEAP, PERIOD), EINVAL);
	far.offset = 1ULL << 40;
	check_probe("behind the file's end", fd, &far, 0);
	check("start behind the file's end", start(fd, HEAP, PERIOD), EINVAL);
	check_probe("functions", fd, right, 0);
	check("period of 0", start(fd, HEAP, 0), EINVAL);
	check("period too long", start(fd, HEAP, PPROF_MAX_HEAP_PERIOD + 1ULL), EINVAL);
	check("start", start(fd, HEAP, PERIOD), 0);
	check("second start", start(fd, HEAP, PERIOD), EBUSY);
	check_probe("functions while it runs", fd, right, EBUSY);
	check("stop", stop(fd, HEAP), 0);
	check_probe("functions again", fd, right, 0);
	check("longest period", start(fd, HEAP, PPROF_MAX_HEAP_PERIOD), 0);
}

static void try_errors(int pid)
{
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES + 1];
	struct pprof_heap small = { .size = 8, .nr = 1 };
	int fd = open_device();

	for (int i = 0; i <= PPROF_MAX_HEAP_PROBES; i++)
		probes[i] = probe_of("malloc", PPROF_HEAP_MALLOC);
	check("before setup", heap(fd, probes, 1), EINVAL);
	close(fd);
	fd = open_session(pid);
	check("none", heap(fd, probes, 0), EINVAL);
	check("too many", heap(fd, probes, PPROF_MAX_HEAP_PROBES + 1), EINVAL);
	check("no memory", heap(fd, NULL, 1), EFAULT);
	check("no memory behind the first", heap(fd, (void *)((uintptr_t)sbrk(0) & ~4095UL), 64),
	      EFAULT);
	check("size 8", ioctl(fd, PPROF_IOC_HEAP, &small), EFAULT);
	check_files(fd, &probes[0]);
	check_types(fd);
	check_order(fd, &probes[0]);
	close(fd);
}

static void try_rights(int pid)
{
	struct pprof_heap_probe probe = probe_of("malloc", PPROF_HEAP_MALLOC);
	int fd = open_session(pid);

	check_probe("without rights", fd, &probe, EPERM);
	close(fd);
}

/* Each kind at each function, several times: the process that calls them must not be harmed. */
static void try_wrong(int pid)
{
	static const char *const names[] = { "malloc", "free", "calloc", "realloc" };
	struct pprof_heap_probe probes[PPROF_MAX_HEAP_PROBES];
	int fd = open_session(pid);

	for (int i = 0; i < PPROF_MAX_HEAP_PROBES; i++)
		probes[i] = probe_of(names[i % 4], i * PPROF_NR_HEAP / PPROF_MAX_HEAP_PROBES);
	check("functions", heap(fd, probes, PPROF_MAX_HEAP_PROBES), 0);
	check("start", start(fd, HEAP, 1), 0);
	sleep(2);
	check("alive", kill(pid, 0), 0);
	check("stop", stop(fd, HEAP), 0);
	sleep(1);
	check("alive after it", kill(pid, 0), 0);
	close(fd);
}

/* Each record of an allocation or a free was read, or is counted as lost. */
static void reckon_heap(struct rings *rings)
{
	nr_told += rings_check(rings, HEAP).produced;
	rings_check(rings, PPROF_CLASS_FREE);
}

#define PATIENCE	12	/* sessions, each twice as long as the one before */

/*
 * Every second session is ended by close() alone. If no object was reported yet, longer
 * sessions follow: a child is a target only if it was forked in this session, and it may take
 * seconds until its first malloc(). After PATIENCE of these it gives up.
 */
static void cycle(int count, int pid, int step_us)
{
	const struct pprof_heap_probe probes[] = {
		probe_of("free", PPROF_HEAP_FREE), probe_of("realloc", PPROF_HEAP_REALLOC),
		probe_of("malloc", PPROF_HEAP_MALLOC), probe_of("calloc", PPROF_HEAP_CALLOC),
	};

	for (int i = 0; i < count || (!nr_told && i < count + PATIENCE); i++) {
		struct ring_sums *sums = sums_new();
		int fd = open_session(pid);
		struct rings rings = { 0 };

		rings_map(&rings, fd, RING_BYTES, sums);
		check("functions", heap(fd, probes, 4), 0);
		check("start", start(fd, HEAP, 100), 0);
		usleep(step_us * (i < count ? i % 20 : 20 << (i - count)));
		if (i % 2) {
			check("stop", stop(fd, HEAP), 0);
			reckon_heap(&rings);
		}
		rings_unmap(&rings, RING_BYTES);
		sums_free(sums);
		close(fd);
	}
	printf("%llu produced\n", nr_told);
}

/* Finds the code of libc in a process: addresses, offset, file. */
static void find_text(int pid, unsigned long *start, unsigned long *end, unsigned long *offset,
		      char *file)
{
	char path[64], line[4096 + 128];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "/libc.so") &&
		    sscanf(line, "%lx-%lx r-xp %lx %*s %*s %4095s", start, end, offset,
			   file) == 4) {
			fclose(maps);
			return;
		}
	give_up(path);
}

static void compare_text(int pid)
{
	unsigned long start, end, offset;
	unsigned char *have, *want;
	char file[4096], path[64];
	size_t bytes;

	find_text(pid, &start, &end, &offset, file);
	bytes = end - start;
	have = malloc(bytes);
	want = malloc(bytes);
	if (!have || !want)
		give_up("memory");
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	read_all(path, start, have, bytes);
	read_all(file, offset, want, bytes);
	for (size_t i = 0; i < bytes; i++)
		if (have[i] != want[i])
			printf("at %#lx: %#x, not %#x\n", offset + i, have[i], want[i]);
	check_that("the code is the file's", !memcmp(have, want, bytes));
	free(have);
	free(want);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "errors")) {
		try_errors(atoi(argv[2]));
	} else if (argc == 3 && !strcmp(argv[1], "rights")) {
		try_rights(atoi(argv[2]));
	} else if (argc == 3 && !strcmp(argv[1], "wrong")) {
		try_wrong(atoi(argv[2]));
	} else if (argc == 4 && !strcmp(argv[1], "cycle")) {
		cycle(atoi(argv[2]), atoi(argv[3]), 1000);
	} else if (argc == 3 && !strcmp(argv[1], "storm")) {
		cycle(INT_MAX, atoi(argv[2]), 10);
	} else if (argc == 3 && !strcmp(argv[1], "text")) {
		compare_text(atoi(argv[2]));
	} else {
		fprintf(stderr, "usage: heaps errors|rights|wrong|storm|text PID | heaps cycle N PID\n");
		return 2;
	}
	return conclude();
}
