/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the test programs: clocks, arguments, and CPU work whose amount and
 * whose callers are known.
 *
 * A program prints the true figures as lines key=value on standard output when it
 * ends. With a wrong argument it prints one sentence and exits with 2. A time in
 * the arguments is CPU time, unless the head of the program says otherwise.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_USEC	1000ULL

/* About 0.1 ms of work: a loop ends close to its limit, and work is long beside a syscall. */
#define SLICE		100000

/*
 * The function keeps a frame of its own: the compiler does not inline or clone it, or
 * merge it with another function of the same body.
 */
#if defined(__has_attribute) && __has_attribute(noipa)
#define KEEP	__attribute__((noinline, noipa, unused))
#else
#define KEEP	__attribute__((noinline, unused))
#endif

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts)) {
		perror("clock_gettime");
		exit(1);
	}
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* CPU time of the process: all of its threads, and the time before an exec. */
static inline uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static inline uint64_t thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * Gives a profiler time to load the unwind tables of the program's files. It learns of a
 * file when the file is mapped. On a busy machine the program may run before the profiler
 * does, and its first stacks would be truncated. A test that counts each stack needs them.
 */
static inline void settle(void)
{
	const struct timespec step = { .tv_sec = 0, .tv_nsec = 10 * NSEC_PER_MSEC };

	/* Short steps: if the host stops the VM for a second, one step ends early, not all. */
	for (int i = 0; i < 30; i++)
		nanosleep(&step, NULL);
}

/* Exits with 2. */
static inline void __attribute__((noreturn)) usage(const char *text)
{
	fprintf(stderr, "usage: %s\n", text);
	exit(2);
}

/* Returns: the number in text, which may have a fraction and is min to max, times unit. */
static inline uint64_t arg_scaled(const char *text, double unit, double min, double max)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= min && value <= max)) {
		fprintf(stderr, "\"%s\" is not a number from %g to %g.\n", text, min, max);
		exit(2);
	}
	return (uint64_t)(value * unit);
}

static inline uint64_t arg_seconds(const char *text)
{
	return arg_scaled(text, NSEC_PER_SEC, 0.001, 100000);
}

static inline uint64_t arg_msec(const char *text)
{
	return arg_scaled(text, NSEC_PER_MSEC, 1, 1000000);
}

static inline uint64_t arg_count(const char *text)
{
	return arg_scaled(text, 1, 1, 1e9);
}

/* Work in proportion to iters. It touches no memory and makes no syscall. */
static KEEP void spin(uint64_t iters)
{
	uint64_t x = iters;

	/*
	 * gcc makes no frame for a leaf function, with any flags. A frame-pointer
	 * walk from it would miss the caller. Asking for the address of the frame
	 * makes gcc create one.
	 */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (iters--) {
		x = x * 6364136223846793005ULL + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

/*
 * Works until the CPU time of the process is end_ns, and for 2 ms more. A late tick then
 * still hits this work, and its weight does not go to the code that follows. It is a macro,
 * as an inline function would be a frame in the stacks.
 */
#define spin_until(end_ns)							\
	do {									\
		for (int more = 0; more < 20; more += cpu_ns() >= (end_ns))	\
			spin(SLICE);						\
	} while (0)

#endif /* PROGRAM_H */
