// SPDX-License-Identifier: GPL-2.0
/*
 * Threads with labels of Polar Signals' Custom Label ABI, version 1.
 *
 *	labelled SECONDS [LIBRARY]
 *
 * The variable is in this program, or in LIBRARY, as for traced.c: labelled-dlopen is built without
 * liblabelled.c.
 *
 * Each of two threads spins for SECONDS in first() with the labels customer=7 and query=select, for
 * SECONDS in second() with customer=8 alone, and in none() without a label set. The first set has a
 * gap, and a second value of customer.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "program.h"

/* Of liblabelled.c. NULL: it is not linked. */
void attach(void *set) __attribute__((weak));

static void (*attach_set)(void *set);
static uint64_t budget_ns;

struct string {
	size_t bytes;
	const char *text;
};

struct label {
	struct string key;
	struct string value;
};

struct set {
	struct label *labels;
	size_t nr;
	size_t room;
};

#define STRING(text)	{ sizeof(text) - 1, text }

#define work()										\
	for (uint64_t end = thread_ns() + budget_ns; thread_ns() < end;)		\
		spin(SLICE)

static KEEP void first(void)
{
	work();
}

static KEEP void second(void)
{
	work();
}

static KEEP void none(void)
{
	work();
}

static void *thread(void *arg)
{
	struct label a[] = {
		{ STRING("customer"), STRING("7") }, { { 3, NULL }, { 0, NULL } },
		{ STRING("customer"), STRING("9") }, { STRING("query"), STRING("select") },
	};
	struct label b[] = { { STRING("customer"), STRING("8") } };
	struct set both = { a, 4, 4 }, one = { b, 1, 1 };

	attach_set(&both);
	first();
	attach_set(&one);
	second();
	attach_set(NULL);
	none();
	return arg;
}

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;
	pthread_t threads[2];

	if (argc < 2 || argc > 3 || (argc == 3 && !library))
		usage("labelled SECONDS [LIBRARY]");
	budget_ns = arg_seconds(argv[1]);
	attach_set = library ? (void (*)(void *))dlsym(library, "attach") : attach;
	if (!attach_set)
		usage("labelled-dlopen SECONDS LIBRARY");
	settle();
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
