// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps custom profiles whose values are known, until the end of its standard input.
 *
 *	customs COUNT [THREADS]
 *
 *	"values"	COUNT/2 values of site_a(): COUNT added, the first half removed;
 *			2 * COUNT values of site_b();
 *			COUNT values of outer_c(), whose callee site_c() is skipped;
 *			one value whose whole stack is skipped
 *	"deep"		one value, whose stack has over 100 frames
 *	"empty"		none
 *
 * THREADS threads (1 if left out) do this at once, and each tries to add every value, so
 * that they compete. Prints added and doubled (calls that succeeded, and that found the
 * value there), counted (the values in "values"), and then "ready".
 */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "program.h"
#include "pprof_client.h"

#define SITES	3
#define DEPTH	100

static unsigned long count, nr_added[SITES], nr_doubled;

static void *value_of(int site, unsigned long i)
{
	return (void *)(uintptr_t)((i + 1) * 16 + site);
}

static void give_up(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	exit(1);
}

/* Every thread but the first gets -EEXIST for a value. */
static void note(int site, int err)
{
	if (!err)
		__atomic_fetch_add(&nr_added[site], 1, __ATOMIC_RELAXED);
	else if (err == -EEXIST)
		__atomic_fetch_add(&nr_doubled, 1, __ATOMIC_RELAXED);
	else
		give_up("pprof_add", err);
}

static KEEP void site_a(unsigned long i)
{
	note(0, pprof_add("values", value_of(0, i), 0));
}

static KEEP void site_b(unsigned long i)
{
	note(1, pprof_add("values", value_of(1, i), 0));
}

static KEEP int site_c(unsigned long i)
{
	return pprof_add("values", value_of(2, i), 1);
}

static KEEP void outer_c(unsigned long i)
{
	note(2, site_c(i));
}

static KEEP int dig(int depth)
{
	int err = depth ? dig(depth - 1) : pprof_add("deep", &nr_doubled, 0);

	__asm__ volatile("" : "+r"(err));
	return err;
}

static void *work(void *arg)
{
	unsigned long i;

	for (i = 0; i < 2 * count; i++) {
		if (i < count)
			site_a(i);
		site_b(i);
		if (i < count)
			outer_c(i);
	}
	return arg;
}

static void work_at_once(unsigned int nr)
{
	pthread_t threads[64];
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			exit(1);
	for (i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
}

static void make_profiles(void)
{
	static const char *const names[] = { "values", "deep", "empty" };
	unsigned int i;
	int err;

	for (i = 0; i < 3; i++) {
		err = pprof_new_profile(names[i]);
		if (err)
			give_up("pprof_new_profile", err);
	}
}

int main(int argc, char **argv)
{
	unsigned int nr_threads;
	unsigned long i;
	char byte;

	if (argc < 2 || argc > 3)
		usage("customs COUNT [THREADS]");
	count = arg_count(argv[1]);
	nr_threads = argc > 2 ? arg_scaled(argv[2], 1, 1, 64) : 1;
	make_profiles();
	work_at_once(nr_threads);
	for (i = 0; i < count / 2; i++)
		pprof_remove("values", value_of(0, i));
	note(0, pprof_add("values", value_of(3, 0), 1000));
	if (dig(DEPTH))
		exit(1);
	printf("added=%lu\ndoubled=%lu\ncounted=%d\nready\n",
	       nr_added[0] + nr_added[1] + nr_added[2], nr_doubled, pprof_count("values"));
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
