// SPDX-License-Identifier: GPL-2.0
/*
 * A program with an allocator of its own, whose functions call one another. It does what
 * programs seldom do. The pool is small, and memory that was freed is not used again.
 * Prints nothing: the truths are the numbers below.
 *
 *	ownalloc levels		1,000 objects by each of calloc(), realloc() and
 *				posix_memalign(), which make one, two and three inner calls
 *	ownalloc jumps		1,000 times a longjmp() leaves the allocator, and then an
 *				object is made further down the stack, in deeper()
 *	ownalloc signals	1,000 times a signal interrupts realloc(). Its handler
 *				by_signal() makes an object, on a stack at a higher address
 *	ownalloc slow SECONDS	one realloc() takes SECONDS of the wall clock
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "program.h"

#define NR		1000
#define POOL_BYTES	(64UL << 20)
#define JUMPS		77777	/* a size that means: leave by longjmp() */
#define SLOW		88888
#define SIGNALS		55555
#define STACK_BYTES	(256UL << 10)

static char pool[POOL_BYTES] __attribute__((aligned(64)));
static size_t used;
static jmp_buf back;
static volatile double until;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void *malloc(size_t size)
{
	size_t bytes = (size + 79) & ~63UL;
	char *at;

	if (size == JUMPS)
		longjmp(back, 1);
	at = pool + __atomic_fetch_add(&used, bytes, __ATOMIC_RELAXED);
	if (at + bytes > pool + sizeof(pool))
		return NULL;
	*(size_t *)at = size;
	return at + 16;
}

__attribute__((noinline)) void free(void *object)
{
	__asm__ volatile("" : : "r"(object) : "memory");
}

__attribute__((noinline)) void *calloc(size_t nr, size_t size)
{
	void *(*volatile inner)(size_t) = malloc;	/* or gcc calls calloc() */

	return inner(nr * size);
}

__attribute__((noinline)) void *realloc(void *object, size_t size)
{
	void *to;

	/* The work is here: the functions of the clock have no frame pointers. */
	while (size == SLOW && now() < until)
		for (volatile int i = 0; i < 10000; i++)
			;
	if (size == SIGNALS)
		raise(SIGUSR1);
	to = calloc(1, size);
	if (object && to)
		memcpy(to, object, 16);
	free(object);
	return to;
}

__attribute__((noinline)) int posix_memalign(void **object, size_t alignment, size_t size)
{
	*object = realloc(NULL, size);
	return alignment && *object ? 0 : 12;
}

static void __attribute__((noinline)) by_calloc(void)
{
	void *volatile object = calloc(10, 10);

	(void)object;
}

static void __attribute__((noinline)) by_realloc(void)
{
	void *volatile object = realloc(NULL, 200);

	(void)object;
}

static void __attribute__((noinline)) by_memalign(void)
{
	void *volatile object;

	if (posix_memalign((void **)&object, 64, 300))
		exit(1);
}

static void levels(void)
{
	for (int i = 0; i < NR; i++) {
		by_calloc();
		by_realloc();
		by_memalign();
	}
}

/*
 * The unused array lies where the frames of the abandoned call were, and keeps them. The call
 * of malloc() is further down the stack.
 */
static void __attribute__((noinline)) deeper(void)
{
	char room[512];
	void *volatile object;

	__asm__ volatile("" : : "r"(room) : "memory");
	object = malloc(400);
	(void)object;
}

static void jumps(void)
{
	for (volatile int i = 0; i < NR; i++) {
		void *volatile object;

		if (!setjmp(back))
			object = realloc(NULL, JUMPS);
		deeper();
		(void)object;
	}
}

static void __attribute__((noinline)) by_signal(int signal)
{
	void *volatile object = malloc(500);

	(void)object;
	(void)signal;
}

static void *be_interrupted(void *stack)
{
	const stack_t above = { .ss_sp = stack, .ss_size = STACK_BYTES };

	if (sigaltstack(&above, NULL))
		exit(1);
	for (int i = 0; i < NR; i++) {
		void *volatile object = realloc(NULL, SIGNALS);

		(void)object;
	}
	return NULL;
}

static void signals(void)
{
	const struct sigaction action = { .sa_handler = by_signal, .sa_flags = SA_ONSTACK };
	char *stacks = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (stacks == MAP_FAILED || sigaction(SIGUSR1, &action, NULL) ||
	    pthread_attr_init(&attr) || pthread_attr_setstack(&attr, stacks, STACK_BYTES) ||
	    pthread_create(&thread, &attr, be_interrupted, stacks + STACK_BYTES) ||
	    pthread_join(thread, NULL))
		exit(1);
}

static void __attribute__((noinline)) slow(double seconds)
{
	void *volatile object;

	settle();
	until = now() + seconds;
	object = realloc(NULL, SLOW);
	(void)object;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "levels")) {
		levels();
	} else if (argc == 2 && !strcmp(argv[1], "jumps")) {
		jumps();
	} else if (argc == 2 && !strcmp(argv[1], "signals")) {
		signals();
	} else if (argc == 3 && !strcmp(argv[1], "slow")) {
		slow(atof(argv[2]));
	} else {
		fprintf(stderr, "usage: ownalloc levels | jumps | signals | slow SECONDS\n");
		return 2;
	}
	return 0;
}
