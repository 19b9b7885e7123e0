// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the frequency of the TSC in kHz. A TCG guest has the TSC of the host, and cannot
 * measure it while the host is busy. No file in /proc or /sys states it reliably.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(void)
{
	uint64_t start_ns = now_ns(), start = __rdtsc(), ns, ticks;

	do {
		ns = now_ns() - start_ns;
		ticks = __rdtsc() - start;
	} while (ns < 50000000);
	printf("%.0f\n", (double)ticks / (double)ns * 1e6);
	return 0;
}
