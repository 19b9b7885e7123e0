/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two threads with a context in a variable of their own. The variable is in the program, or in a
 * library that is loaded by dlopen(). (The variable of a program would replace that of the library.
 * So a program for libraries is built without the variable.)
 */
#ifndef PROGRAMS_ATTACHED_H
#define PROGRAMS_ATTACHED_H

#include <dlfcn.h>
#include <pthread.h>

#include "program.h"

/* Sets the variable of this thread. NULL: it is not linked. */
void attach(void *context) __attribute__((weak));

static void (*attach_context)(void *context);
static uint64_t budget_ns;

#define work()									\
	for (uint64_t end = thread_ns() + budget_ns; thread_ns() < end;)	\
		spin(SLICE)

/* Takes the arguments SECONDS [LIBRARY]. */
static inline void attached_init(int argc, char **argv, const char *synopsis)
{
	void *library = argc == 3 ? dlopen(argv[2], RTLD_NOW) : NULL;

	if (argc < 2 || argc > 3 || (argc == 3 && !library))
		usage(synopsis);
	budget_ns = arg_seconds(argv[1]);
	attach_context = library ? (void (*)(void *))dlsym(library, "attach") : attach;
	if (!attach_context)
		usage(synopsis);
}

/* Returns the exit code. */
static inline int attached_run(void *(*thread)(void *arg))
{
	pthread_t threads[2];

	settle();
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#endif
