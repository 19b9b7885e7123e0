// SPDX-License-Identifier: GPL-2.0
// sources: tests/single-step/insn.c tests/single-step/memory.c tests/single-step/truth.c
// sources: tests/single-step/tracer.c tests/single-step/process_maps.c tests/single-step/shim.c
// sources: tests/single-step/tally.c kmod/unwind/frame_pointer.c kmod/unwind/unwind.c
// sources: kmod/unwind/slow_path.c kmod/unwind/rule_cache.c kmod/unwind/process_ranges.c
// sources: kmod/unwind/known_stack.c kmod/unwind/table.c kmod/base/uretprobe.c
/*
 * Checks the unwinder of the module. It single-steps a program, keeps the true stack of each thread
 * (truth.h), and walks the stack by the module's own code at instruction boundaries. Both must be
 * the same.
 *
 *	steps [OPTION...] COMMAND [ARGUMENT...]
 *
 *	--every N	check one boundary in N, on average (1: all)
 *	--seed N	the seed of the random choice of boundaries
 *	--skip N	step over N boundaries before the first check
 *	--stacks N	end after N checks
 *	--frames N	at most N frames, as pprof_setup.max_frames
 *	--fp		walk by frame pointers: a test that wrong stacks are noticed
 *	--show N	print the first N stacks that are wrong
 *	--places N	and the N places where most stacks fail
 *	--switches	the program has coroutines, and no longjmp()
 *	--missing N	a stack may lack its N outermost frames
 *	--misguesses N	at most N wrong stacks may be flagged as guesses (0)
 *	--least P	at least P percent of all stacks must be exact (99.98)
 *
 * The exit code is 1 if a stack is wrong, or too few are exact.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process_maps.h"
#include "memory.h"
#include "tally.h"
#include "tracer.h"
#include "truth.h"
#include "kmod/unwind/unwind.h"
#include "kmod/unwind/frame_pointer.h"
#include "pprof.h"

#define NAME_SIZE	4096

static struct {
	double every;
	double seed;
	double skip;
	double stacks;
	double frames;
	double show;
	double places;
	double missing;
	double misguesses;
	double least;
	int fp;
	int switches;
} options = {
	.every = 1, .seed = 1, .stacks = 1e18, .frames = PPROF_MAX_FRAMES,
	.places = 10, .least = 99.98,
};

static uint64_t nr_moving, nr_torn;

static uint64_t next_random(void)
{
	static uint64_t state;

	if (!state)
		state = 2 * (uint64_t)options.seed + 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Is this boundary checked? The gaps between checks are 1 to 2 * every - 1 boundaries. */
static bool is_due(uint64_t step)
{
	static uint64_t due;

	if (step < options.skip || step < due)
		return false;
	due = step + 1 + next_random() % (2 * (uint64_t)options.every - 1);
	return true;
}

static void walk(struct pprof_stack *stack, const struct task *t)
{
	static struct pprof_rule_cache cache;
	static struct pprof_known_stack known;
	struct pprof_regs regs = {
		.ip = t->regs.rip, .sp = t->regs.rsp, .fp = t->regs.rbp,
		.all = (const unsigned long *)&t->regs,
	};
	const struct pprof_process_ranges *address_space =
		process_maps_ranges(t->tid, tracer_nr_mappings());

	if (options.fp)
		pprof_unwind_fp(stack, &regs);
	else
		pprof_unwind(stack, &regs, address_space, &cache, &known);
}

static void print_frame(size_t i, uint64_t frame, const char *mark)
{
	char name[NAME_SIZE];

	process_maps_name(i ? frame - 1 : frame, name, sizeof(name));
	printf("  %s %3zu %#18" PRIx64 " %s\n", mark, i, frame, name);
}

static void show(const uint64_t *frames, size_t nr, const struct pprof_stack *found)
{
	size_t i;

	options.show--;
	printf("wrong, end %u, flags %u:\n", found->end_reason, found->flags);
	for (i = 0; i < nr || i < found->nr; i++) {
		if (i < nr && i < found->nr && frames[i] == found->frames[i]) {
			print_frame(i, frames[i], " ");
			continue;
		}
		if (i < nr && i < found->max)
			print_frame(i, frames[i], "-");
		if (i < found->nr)
			print_frame(i, found->frames[i], "+");
	}
}

/* The true stack has further callers after its nr frames, which are not known. */
static void forget_unknown(struct pprof_stack *found, size_t nr)
{
	if (nr > found->max || found->nr < nr)
		return;
	found->nr = nr;
	found->end_reason = PPROF_END_COMPLETE;
}

static void check(const struct task *t)
{
	uint64_t frames[PPROF_MAX_FRAMES];
	u64 found_frames[PPROF_MAX_FRAMES];
	struct pprof_stack found = { .frames = found_frames, .max = options.frames };
	size_t nr = truth_frames(t->truth, t->regs.rip, frames, options.frames), culprit;
	char name[NAME_SIZE];

	walk(&found, t);
	if (truth_is_partial(t->truth))
		forget_unknown(&found, nr);
	if (tally_add(frames, nr, &found, &culprit)) {
		process_maps_name(found_frames[culprit] - !!culprit, name, sizeof(name));
		tally_name(name);
	}
	if (options.show >= 1 && tally_verdict(frames, nr, &found) >= VERDICT_MISGUESSED)
		show(frames, nr, &found);
}

static void check_all(void)
{
	const struct task *t;
	uint64_t step = 0;

	while (tally_nr() < options.stacks && (t = tracer_next())) {
		if (!is_due(step++))
			continue;
		if (truth_is_moving(t->truth))
			nr_moving++;
		else if (!truth_is_intact(t->truth))
			nr_torn++;
		else
			check(t);
	}
	tracer_end();
	printf("steps: %" PRIu64 ", moving: %" PRIu64 ", torn: %" PRIu64 "\n", step, nr_moving,
	       nr_torn);
}

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: steps [--every N] [--seed N] [--skip N] [--stacks N] [--frames N] [--fp] [--switches]\n"
	      "              [--show N] [--places N] [--missing N] [--misguesses N]\n"
	      "              [--least P] COMMAND [ARGUMENT...]\n",
	      stderr);
	exit(2);
}

static double number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || value < 0)
		usage();
	return value;
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "every", required_argument, NULL, 0 },
		{ "seed", required_argument, NULL, 0 },
		{ "skip", required_argument, NULL, 0 },
		{ "stacks", required_argument, NULL, 0 },
		{ "frames", required_argument, NULL, 0 },
		{ "show", required_argument, NULL, 0 },
		{ "places", required_argument, NULL, 0 },
		{ "missing", required_argument, NULL, 0 },
		{ "misguesses", required_argument, NULL, 0 },
		{ "least", required_argument, NULL, 0 },
		{ "fp", no_argument, &options.fp, 1 },
		{ "switches", no_argument, &options.switches, 1 },
		{ NULL, 0, NULL, 0 },
	};
	double *const values[] = {
		&options.every, &options.seed, &options.skip, &options.stacks, &options.frames,
		&options.show, &options.places, &options.missing,
		&options.misguesses, &options.least,
	};
	int c, i;

	while ((c = getopt_long(argc, argv, "+", longs, &i)) != -1) {
		if (c)
			usage();
		if (optarg)
			*values[i] = number(optarg);
	}
	if (optind == argc || options.every < 1 || options.frames < 1 ||
	    options.frames > PPROF_MAX_FRAMES)
		usage();
}

int main(int argc, char **argv)
{
	double exact;

	parse(argc, argv);
	if (options.switches)
		truth_follow_switches();
	tally_allow_missing(options.missing);
	if (tracer_start(argv + optind)) {
		perror("single-step");
		return 2;
	}
	check_all();
	tally_print(argv[optind], options.places);
	exact = tally_nr() ? 100.0 * tally_nr_of(VERDICT_EXACT) / tally_nr() : 0;
	return tally_nr_of(VERDICT_WRONG) || exact < options.least ||
	       tally_nr_of(VERDICT_MISGUESSED) > options.misguesses;
}
