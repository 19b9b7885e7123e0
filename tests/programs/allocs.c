// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates in known functions, and counts. Prints the objects and bytes that were
 * allocated and that are in use at the end (alloc_objects, alloc_bytes, inuse_objects,
 * inuse_bytes). Where leak() runs, it prints leaked, the bytes of that function.
 *
 *	allocs mix		325 MB in objects of 512 bytes to 2 MiB, by all functions of
 *				malloc(3); frees them, then leaks 262 MB in leak()
 *	allocs realloc		objects that grow, shrink and move; half of them are freed
 *	allocs huge		sizes that are impossible and fail; then 1,000 objects of 1 MiB
 *	allocs fork		parent and child both run leak(); only the parent prints
 *	allocs exec		executes itself as "mix"
 *	allocs pairs N		N times malloc() and free(), ten calls deep. Prints pair_ns,
 *				the CPU time of a pair; it counts none of these objects
 *	allocs steady		keeps 1,000 objects of 600 KB, and replaces one each 20 us:
 *				runs until it is killed, and prints nothing
 */
#include <err.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define MIX_BYTES	325000000
#define NR_KEPT		64
#define NR_STEADY	1000
#define STEADY_BYTES	600000

static unsigned long alloc_objects, alloc_bytes, inuse_objects, inuse_bytes;
static uint32_t random_state = 1;
static void *kept[NR_KEPT];
static size_t kept_bytes[NR_KEPT];

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static void *count(void *object, size_t bytes)
{
	if (!object)
		err(1, "allocs");
	alloc_objects++;
	alloc_bytes += bytes;
	inuse_objects++;
	inuse_bytes += bytes;
	return object;
}

static void give_back(void *object, size_t bytes)
{
	free(object);
	inuse_objects--;
	inuse_bytes -= bytes;
}

static KEEP void *by_malloc(size_t bytes)
{
	return count(malloc(bytes), bytes);
}

static KEEP void *by_calloc(size_t bytes)
{
	return count(calloc(bytes / 8, 8), bytes / 8 * 8);
}

static KEEP void *by_aligned(size_t bytes)
{
	return count(aligned_alloc(16, bytes), bytes);
}

static KEEP void *by_memalign(size_t bytes)
{
	return count(memalign(256, bytes), bytes);
}

static KEEP void *by_posix_memalign(size_t bytes)
{
	void *object;

	if (posix_memalign(&object, 64, bytes))
		err(1, "posix_memalign");
	return count(object, bytes);
}

static KEEP void *by_first_realloc(size_t bytes)
{
	return count(realloc(NULL, bytes), bytes);
}

static void *(*const by[])(size_t bytes) = {
	by_malloc, by_malloc, by_malloc, by_calloc, by_calloc,
	by_aligned, by_memalign, by_posix_memalign, by_first_realloc,
};

/*
 * From 512 bytes to 2 MiB. Each power of two has the same share of the bytes (the last one
 * has twice that), so there are many small objects.
 */
static size_t random_size(void)
{
	uint32_t share = next_random() % 65536, exponent = 9;

	for (uint32_t left = 65536 / 2; exponent < 20 && share < left; left /= 2)
		exponent++;
	return ((1UL << exponent) + next_random() % (1UL << exponent)) & ~7UL;
}

static KEEP void mix(void)
{
	while (alloc_bytes < MIX_BYTES) {
		uint32_t i = next_random() % NR_KEPT;
		size_t bytes = random_size();

		if (kept[i])
			give_back(kept[i], kept_bytes[i]);
		kept[i] = by[next_random() % (sizeof(by) / sizeof(*by))](bytes);
		kept_bytes[i] = bytes;
	}
}

/* Objects left in use here would be few and small: chance alone would decide if one is sampled. */
static KEEP void free_kept(void)
{
	for (int i = 0; i < NR_KEPT; i++)
		if (kept[i])
			give_back(kept[i], kept_bytes[i]);
}

static KEEP void leak(void)
{
	for (int i = 0; i < 4000; i++)
		count(malloc(65536), 65536);
	printf("leaked=%d\n", 4000 * 65536);
}

static KEEP void by_realloc(void)
{
	for (int i = 0; i < 600; i++) {
		size_t bytes = 1000;
		void *object = count(malloc(bytes), bytes);

		for (; bytes < 600000; bytes += bytes / 2) {
			inuse_objects--;
			inuse_bytes -= bytes;
			object = count(realloc(object, bytes + bytes / 2), bytes + bytes / 2);
		}
		inuse_objects--;
		inuse_bytes -= bytes;
		object = count(realloc(object, bytes / 2), bytes / 2);
		if (i < 300)
			give_back(object, bytes / 2);
	}
}

static KEEP void huge(void)
{
	volatile size_t most = SIZE_MAX / 2;

	settle();

	for (int i = 0; i < 1000; i++) {
		free(malloc(most));
		free(malloc(most >> 17));
		free(calloc(most, 3));
		free(calloc(most, 2));
		free(realloc(NULL, most));
	}
	for (int i = 0; i < 1000; i++)
		give_back(by_malloc(1 << 20), 1 << 20);
}

static void forks(void)
{
	pid_t child = fork();

	if (child < 0)
		err(1, "fork");
	leak();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static KEEP void pairs(unsigned long nr)
{
	uint64_t begin = thread_ns();

	for (unsigned long i = 0; i < nr; i++) {
		void *volatile object = malloc(64 + i % 64);

		free(object);
	}
	printf("pair_ns=%.0f\n", (double)(thread_ns() - begin) / nr);
}

static KEEP void pairs_in(int depth, unsigned long nr)
{
	if (depth)
		pairs_in(depth - 1, nr);
	else
		pairs(nr);
	__asm__ volatile("");
}

static KEEP void steady(void)
{
	const struct timespec pause = { .tv_nsec = 20 * NSEC_PER_USEC };
	static void *volatile ring[NR_STEADY];

	for (unsigned long i = 0;; i = (i + 1) % NR_STEADY) {
		free(ring[i]);
		ring[i] = malloc(STEADY_BYTES);
		nanosleep(&pause, NULL);
	}
}

static void tell(void)
{
	printf("alloc_objects=%lu\nalloc_bytes=%lu\ninuse_objects=%lu\ninuse_bytes=%lu\n",
	       alloc_objects, alloc_bytes, inuse_objects, inuse_bytes);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	static char buffer[4096];	/* without it printf() would allocate one */

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));

	if (!strcmp(how, "mix")) {
		mix();
		free_kept();
		leak();
	} else if (!strcmp(how, "realloc")) {
		by_realloc();
	} else if (!strcmp(how, "huge")) {
		huge();
	} else if (!strcmp(how, "fork")) {
		forks();
	} else if (!strcmp(how, "exec")) {
		execl("/proc/self/exe", "allocs", "mix", NULL);
		err(1, "exec");
	} else if (!strcmp(how, "pairs") && argc > 2) {
		pairs_in(7, arg_scaled(argv[2], 1, 1, 1e15));
	} else if (!strcmp(how, "steady")) {
		steady();
	} else {
		errx(2, "usage: allocs mix|realloc|huge|fork|exec|steady|pairs N");
	}
	tell();
	return 0;
}
