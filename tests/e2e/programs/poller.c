// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that a reader is woken that asked for a wake-up at each sample. With "late" it asks
 * for one when the ring is full to the last byte, which no record may ever reach.
 *
 *	poller PID|all SECONDS [late]
 *
 * Polls a session that samples CPU time, and drains the rings at each wake-up. The target
 * must run all the time. Prints longest_ms, the longest time without a wake-up, and a line
 * for each problem; exits with 1 if there is one.
 */
#include <poll.h>

#include "rings.h"

#define PATIENCE_MS	4000	/* a busy host may stop a VM for as long as 2 s */

/* A session for a process, or with pid 0 for all. */
static int open_session(int pid, int late)
{
	struct pprof_setup arg = {
		.size = sizeof(arg), .flags = pid ? PPROF_SETUP_CHILDREN : PPROF_SETUP_ALL,
		.ring_bytes = RING_BYTES, .watermark_bytes = late ? RING_BYTES : 1,
		.max_frames = PPROF_MAX_FRAMES,
	};
	int fd = open_device();

	if (ioctl(fd, PPROF_IOC_SETUP, &arg))
		give_up("setup");
	if (pid && attach(fd, pid, NULL))
		give_up("attach");
	return fd;
}

/*
 * Returns: the longest wait in ms. The result of poll() proves nothing: at its timeout it looks
 * at the ring once more. So the time is measured.
 */
static uint64_t poll_for(int fd, struct rings *rings, uint64_t ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint64_t from = now_ms(), before, waited, longest = 0;

	while (now_ms() - from < ms) {
		before = now_ms();
		poll(&pollfd, 1, PATIENCE_MS);
		waited = now_ms() - before;
		check_that("it is woken", waited < PATIENCE_MS);
		if (waited > longest)
			longest = waited;
		rings_drain(rings);
	}
	return longest;
}

int main(int argc, char **argv)
{
	struct rings rings = { 0 };
	int fd;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: poller PID|all SECONDS [late]\n");
		return 2;
	}
	fd = open_session(atoi(argv[1]), argc == 4);
	rings_map(&rings, fd, RING_BYTES, sums_new());
	check("start", start(fd, PPROF_SOURCE_CPU, PERIOD_NS), 0);
	printf("longest_ms=%llu\n",
	       (unsigned long long)poll_for(fd, &rings, atoi(argv[2]) * 1000ULL));
	check("stop", stop(fd, PPROF_SOURCE_CPU), 0);
	check_that("it had samples", rings_check(&rings, PPROF_SOURCE_CPU).taken > 0);
	return conclude();
}
