/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share: clocks, arguments, and CPU work whose amount
 * and whose callers are known.
 *
 * They print their truth as key=value lines on standard output when they end,
 * and exit with 2 after one sentence if an argument is wrong. Times that are
 * given are CPU time unless said otherwise.
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

/* About 0.1 ms of work: short enough to end in time, long beside a syscall. */
#define SLICE		100000

/*
 * A function that stays a function of its own with its own frame: neither
 * inlined nor cloned, nor merged with another that has the same body.
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

/* CPU time of the process, of all its threads and of what it was before exec. */
static inline uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static inline uint64_t thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * For who counts each stack of a program from its first on: a profiler that reads tables
 * hears of a file when it is mapped, and a busy machine may run the program before it.
 */
static inline void settle(void)
{
	const struct timespec step = { .tv_sec = 0, .tv_nsec = 10 * NSEC_PER_MSEC };

	/* If the host stops the VM for a second, one of them is over, not all. */
	for (int i = 0; i < 30; i++)
		nanosleep(&step, NULL);
}

/* Never returns: exit code 2. */
static inline void __attribute__((noreturn)) usage(const char *text)
{
	fprintf(stderr, "usage: %s\n", text);
	exit(2);
}

/* A number of min..max in units of unit; fractions are welcome. */
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

/* Work in proportion to iters and nothing else: no memory, no syscalls. */
static KEEP void spin(uint64_t iters)
{
	uint64_t x = iters;

	/*
	 * gcc gives a leaf function no frame whatever its flags, and a
	 * frame-pointer walk from there misses the caller. Asking for the
	 * frame's address makes one.
	 */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	while (iters--) {
		x = x * 6364136223846793005ULL + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

/*
 * Works until the process has used so much CPU time, and 2 ms more: a tick that was late
 * comes meanwhile, and its weight is the work's, not of what follows. A macro, or it were
 * an inlined function in the stacks.
 */
#define spin_until(end_ns)							\
	do {									\
		for (int more = 0; more < 20; more += cpu_ns() >= (end_ns))	\
			spin(SLICE);						\
	} while (0)

#endif /* PROGRAM_H */
