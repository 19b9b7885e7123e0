// SPDX-License-Identifier: GPL-2.0
/*
 * Starts threads whose names are hard for text formats. Each burns MS of CPU in
 * named_work(). Prints for each threadN_name, in hex, and threadN_ns, its CPU time.
 *
 *	names MS
 */
#include <inttypes.h>
#include <pthread.h>

#include "program.h"

struct named {
	const char *name;
	uint64_t cpu_ns;
	pthread_t thread;
};

/* The kernel keeps 15 bytes at most (TASK_COMM_LEN). */
static struct named threads[] = {
	{ .name = "\xff\xfe\x80" },
	{ .name = "say \"hi\"" },
	{ .name = "ends in \\" },
	{ .name = "" },
	{ .name = "two\nlines\t\x1b[1m" },
	{ .name = "\xc3\xbc n\xc3\xaf\xc3\xa7\xc3\xa9" },
	{ .name = "cut in the mi\xe2\x82" },
	{ .name = "<a&b>;{c}|d" },
};

#define NR_THREADS	(sizeof(threads) / sizeof(threads[0]))

static uint64_t burn_ns;

static KEEP void named_work(void)
{
	while (thread_ns() < burn_ns)
		spin(SLICE);
}

static void *run_named(void *arg)
{
	struct named *named = arg;

	pthread_setname_np(pthread_self(), named->name);
	named_work();
	named->cpu_ns = thread_ns();
	return NULL;
}

static void print_named(size_t i)
{
	const char *c;

	printf("thread%zu_name=", i);
	for (c = threads[i].name; *c; c++)
		printf("%02x", (unsigned char)*c);
	printf("\nthread%zu_ns=%" PRIu64 "\n", i, threads[i].cpu_ns);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2)
		usage("names MS");
	burn_ns = arg_msec(argv[1]);
	settle();

	for (i = 0; i < NR_THREADS; i++) {
		if (pthread_create(&threads[i].thread, NULL, run_named, &threads[i])) {
			fputs("names: a thread could not be created\n", stderr);
			return 1;
		}
	}
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i].thread, NULL);
		print_named(i);
	}
	return 0;
}
