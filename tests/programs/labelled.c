// SPDX-License-Identifier: GPL-2.0
/*
 * Threads with labels of Polar Signals' Custom Label ABI, version 1.
 *
 *	labelled SECONDS [LIBRARY]
 *
 * The variable is in this program, or in LIBRARY: see attached.h. labelled-dlopen is built without
 * liblabelled.c.
 *
 * Each of two threads spins for SECONDS in first() with the labels customer=7 and query=select, for
 * SECONDS in second() with customer=8 alone, and in none() without a label set. The first set has a
 * gap, and a second value of customer.
 */
#include "attached.h"

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

	attach_context(&both);
	first();
	attach_context(&one);
	second();
	attach_context(NULL);
	none();
	return arg;
}

int main(int argc, char **argv)
{
	attached_init(argc, argv, "labelled SECONDS [LIBRARY]");
	return attached_run(thread);
}
