// SPDX-License-Identifier: GPL-2.0
/*
 * hot_a() does three quarters of the work and hot_b() one quarter, in turns.
 *
 *	split75 SECONDS
 *	split75 --rounds N	(a round takes about 4 ms)
 *
 * Prints cpu_ns, the CPU time of the process; hot_a_ns and hot_b_ns, that of both functions;
 * rounds, their number; and stopped_ns, the part of the former two in calls that took 30 ms
 * or more: the host had stopped the machine in these.
 */
#include <inttypes.h>
#include <string.h>

#include "program.h"

struct split {
	uint64_t a_ns;
	uint64_t b_ns;
	uint64_t stopped_ns;
	uint64_t rounds;
};

#define LONG_NS		(30 * NSEC_PER_MSEC)	/* of a call that should take some ms */

static KEEP void hot_a(uint64_t iters)
{
	spin(iters);
}

static KEEP void hot_b(uint64_t iters)
{
	spin(iters);
}

/*
 * A round has 5 to 15 units of work. Rounds of equal length would run in lockstep with the
 * timer of a profiler: for ever, on a machine with exact virtual time.
 */
static uint64_t next_iters(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 5 * SLICE + state % (10 * SLICE);
}

static void note(struct split *split, uint64_t *sum_ns, uint64_t ns)
{
	*sum_ns += ns;
	if (ns >= LONG_NS)
		split->stopped_ns += ns;
}

static KEEP void run_round(struct split *split)
{
	uint64_t iters = next_iters(), start_ns = cpu_ns(), mid_ns, end_ns;

	hot_a(3 * iters);
	mid_ns = cpu_ns();
	hot_b(iters);
	end_ns = cpu_ns();
	note(split, &split->a_ns, mid_ns - start_ns);
	note(split, &split->b_ns, end_ns - mid_ns);
	split->rounds++;
}

int main(int argc, char **argv)
{
	uint64_t end_ns = UINT64_MAX, rounds = UINT64_MAX;
	struct split split = { 0 };

	if (argc == 2)
		end_ns = cpu_ns() + arg_seconds(argv[1]);
	else if (argc == 3 && !strcmp(argv[1], "--rounds"))
		rounds = arg_count(argv[2]);
	else
		usage("split75 SECONDS | split75 --rounds N");

	while (cpu_ns() < end_ns && split.rounds < rounds)
		run_round(&split);
	printf("cpu_ns=%" PRIu64 "\nhot_a_ns=%" PRIu64 "\n", cpu_ns(), split.a_ns);
	printf("hot_b_ns=%" PRIu64 "\nstopped_ns=%" PRIu64 "\nrounds=%" PRIu64 "\n", split.b_ns,
	       split.stopped_ns, split.rounds);
	return 0;
}
