// SPDX-License-Identifier: GPL-2.0
/*
 * Touches memory for the first time in known functions, and prints the bytes of each: fill,
 * read_into, populate, churn. All but churn() do so twice, and the second time is no growth.
 *
 *	grow small|huge [ROUNDS]
 *
 * small has pages of 4 KiB; huge has pages of 2 MiB, where the kernel provides them. Also
 * prints rss: the bytes by which the process grew, as the kernel counts. With ROUNDS the
 * program only touches and gives back 16 MiB, ROUNDS times, and prints cpu_ns for that.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

#define MIB		(1024UL * 1024)
#define HUGE		(2 * MIB)
#define PAGE		4096UL

#define FILL_BYTES	(64 * MIB)
#define READ_BYTES	(32 * MIB)
#define POPULATE_BYTES	(16 * MIB)
#define CHURN_BYTES	(16 * MIB)
#define NR_CHURNS	4

static int advice;

static void need(int is_fine, const char *what)
{
	if (is_fine)
		return;
	perror(what);
	exit(1);
}

static char *map(size_t bytes)
{
	char *memory = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	need(memory != MAP_FAILED, "mmap");
	memory += -(uintptr_t)memory % HUGE;
	madvise(memory, bytes, advice);	/* a kernel without huge pages refuses; no matter */
	return memory;
}

static KEEP void touch(char *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		((volatile char *)memory)[i] = 1;
}

static KEEP void fill(char *memory)
{
	touch(memory, FILL_BYTES);
}

/* The kernel touches the memory, in a syscall of this function. */
static KEEP void read_into(char *memory)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (size_t i = 0; i < READ_BYTES; i += MIB)
		need(read(fd, memory + i, MIB) == MIB, "/dev/zero");
	close(fd);
}

static KEEP void populate(char *memory)
{
	need(!mlock(memory, POPULATE_BYTES), "mlock");
}

/* After MADV_DONTNEED, the next touch of a page is a first touch again. */
static KEEP void churn(char *memory, unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++) {
		need(!madvise(memory, CHURN_BYTES, MADV_DONTNEED), "MADV_DONTNEED");
		touch(memory, CHURN_BYTES);
	}
}

static void churn_rounds(unsigned int rounds)
{
	char *memory = map(CHURN_BYTES);
	uint64_t begin_ns = cpu_ns();

	churn(memory, rounds);
	printf("cpu_ns=%" PRIu64 "\n", cpu_ns() - begin_ns);
}

static size_t rss(void)
{
	size_t size, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	need(file && fscanf(file, "%zu %zu", &size, &resident) == 2, "/proc/self/statm");
	fclose(file);
	return resident * PAGE;
}

static void grow(void)
{
	char *filled = map(FILL_BYTES), *read = map(READ_BYTES);
	char *populated = map(POPULATE_BYTES), *churned = map(CHURN_BYTES);
	size_t before = rss();

	settle();
	for (int i = 0; i < 2; i++) {
		fill(filled);
		read_into(read);
		populate(populated);
	}
	churn(churned, NR_CHURNS);
	printf("rss=%zu\n", rss() - before);
	printf("fill=%lu\nread_into=%lu\npopulate=%lu\nchurn=%lu\n", FILL_BYTES, READ_BYTES,
	       POPULATE_BYTES, NR_CHURNS * CHURN_BYTES);
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3 || (strcmp(argv[1], "small") && strcmp(argv[1], "huge")))
		usage("grow small|huge [ROUNDS]");
	advice = strcmp(argv[1], "huge") ? MADV_NOHUGEPAGE : MADV_HUGEPAGE;
	if (argc == 3)
		churn_rounds(arg_count(argv[2]));
	else
		grow();
	return 0;
}
