// SPDX-License-Identifier: GPL-2.0
#include "cli/options.h"

#include <argp.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pprof/frame_filter.h"
#include "pprof.h"
#include "pprof/sample_type.h"
#include "cli/keywords.h"
#include "aggregate/label_sets.h"
#include "aggregate/profile_types.h"

#define MAX_SECONDS	(100.0 * 365 * 86400)

enum {
	KEY_HZ = 256,
	KEY_LIVE,
	KEY_BLOCK_RATE,
	KEY_MUTEX_FRACTION,
	KEY_GROWTH_RATE,
	KEY_HEAP_RATE,
	KEY_PROFILE,
	KEY_CHILDREN,
	KEY_LABELS,
	KEY_BUFFER_PAGES,
	KEY_MAX_STACKS,
	KEY_UNWIND,
	KEY_MAX_FRAMES,
	KEY_STACKS,
	KEY_JSON,
	KEY_COMM,
	KEY_CHECK,
	KEY_DEBUG,
	KEY_DROP_FRAMES,
	KEY_KEEP_FRAMES,
};

const char *argp_program_version = "pprof-collect " VERSION;

static const struct argp_option profile_options[] = {
	{ "pid", 'p', "PID[,PID...]", 0, "Profile these processes, with all their threads", 0 },
	{ "all", 'a', NULL, 0, "Profile every process", 0 },
	{ "children", KEY_CHILDREN, NULL, 0, "Profile their children too", 0 },
	{ "seconds", 's', "N", 0, "End after N seconds (default: with the last process)", 0 },
	{ "profile", KEY_PROFILE, "KIND[,KIND...]", 0,
	  "cpu (default), wall, threadcreate, thread, block, mutex, growth, or all of these; heap, "
	  "allocs, which cost more: a file each. thread is what all threads do at the end, or, if it "
	  "is alone, at once. Or NAME: one that the process keeps itself (`pprof-collect list --pid "
	  "PID`), at once", 0 },
	{ "hz", KEY_HZ, "N", 0, "cpu samples a second of CPU time, wall samples a second of each "
	  "thread, 1 to 10000 (100)", 0 },
	{ "block-rate", KEY_BLOCK_RATE, "NS", 0, "block: sample waits shorter than this by their "
	  "length, 1: every wait (1000000)", 0 },
	{ "mutex-fraction", KEY_MUTEX_FRACTION, "N", 0,
	  "mutex: sample one of N contended unlocks (1)", 0 },
	{ "growth-rate", KEY_GROWTH_RATE, "BYTES", 0,
	  "growth: a sample for so many bytes of memory first touched (65536)", 0 },
	{ "heap-rate", KEY_HEAP_RATE, "BYTES", 0,
	  "heap, allocs: a sample for so many bytes allocated, 1: for every object (524288)", 0 },
	{ "live", KEY_LIVE, NULL, 0, "threadcreate: tell also which threads are alive at the end, and "
	  "how long the others lived; not in text", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE, - for standard output "
	  "(default: pprof.COMM.PID.KIND.pb.gz, never over an existing file)", 0 },
	{ "labels", KEY_LABELS, "LABEL[,LABEL...]", 0, "Label samples: pid, tid, thread, cpu, comm",
	  0 },
	{ "buffer-pages", KEY_BUFFER_PAGES, "N", 0,
	  "Buffer of each CPU in pages of 4 KiB, a power of two from 8 to 16384 (128)", 0 },
	{ "max-stacks", KEY_MAX_STACKS, "N", 0, "Keep at most N distinct stacks (1000000)", 0 },
	{ "unwind", KEY_UNWIND, "HOW", 0, "Find callers by table (default), from the unwind "
	  "information that each program has, or by fp: frame pointers, which most have not", 0 },
	{ "max-frames", KEY_MAX_FRAMES, "N", 0, "Cut stacks at N frames, 1 to 256 (127)", 0 },
	{ "debug", KEY_DEBUG, "N", 0, "1 or 2: write Go's text form, pprof.COMM.PID.KIND.txt; 2: of "
	  "thread, each thread on its own", 0 },
	{ "drop-frames", KEY_DROP_FRAMES, "REGEX", 0, "Have readers hide functions whose whole names "
	  "match, and what they called", 0 },
	{ "keep-frames", KEY_KEEP_FRAMES, "REGEX", 0, "But not these", 0 },
	{ "quiet", 'q', NULL, 0, "Print nothing but errors", 0 },
	{ 0 },
};

static const struct argp_option audit_options[] = {
	{ "pid", 'p', "PID", 0, "Only threads that this process creates", 0 },
	{ "comm", KEY_COMM, "NAME", 0, "Only threads that a thread of this name creates", 0 },
	{ "stacks", KEY_STACKS, NULL, 0, "With the stack of the creator", 0 },
	{ "json", KEY_JSON, NULL, 0, "One JSON object a line", 0 },
	{ "seconds", 's', "N", 0, "End after N seconds (default: when interrupted)", 0 },
	{ 0 },
};

static const struct argp_option doctor_options[] = {
	{ "pid", 'p', "PID", 0, "See also what a profile of this process would lack", 0 },
	{ 0 },
};

static const struct argp_option list_options[] = {
	{ "pid", 'p', "PID", 0, "Those of this process", 0 },
	{ 0 },
};

static const struct argp_option cfi_options[] = {
	{ "check", KEY_CHECK, NULL, 0, "Compare each row with what libdw says", 0 },
	{ 0 },
};

static const struct argp_option no_options[] = { { 0 } };

static const struct keyword label_keywords[] = {
	{ "pid", LABELS_WANT_PID },	   { "tid", LABELS_WANT_TID },
	{ "thread", LABELS_WANT_THREAD }, { "cpu", LABELS_WANT_CPU },
	{ "comm", LABELS_WANT_COMM },	   { 0 },
};

static void fail(struct argp_state *state, const char *option, const char *arg, const char *mend)
{
	argp_failure(state, 2, 0, "%s '%s': %s", option, arg, mend);
}

static unsigned long parse_number(struct argp_state *state, const char *option, const char *arg,
				  unsigned long min, unsigned long max)
{
	unsigned long n;
	char *end;

	n = strtoul(arg, &end, 10);
	if (arg[0] < '0' || arg[0] > '9' || *end || n < min || n > max)
		argp_failure(state, 2, 0, "%s '%s': must be a whole number from %lu to %lu",
			     option, arg, min, max);
	return n;
}

static uint64_t parse_seconds(struct argp_state *state, const char *arg)
{
	char *end;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !isfinite(seconds) || seconds <= 0 || seconds > MAX_SECONDS)
		fail(state, "--seconds", arg, "must be a number of seconds greater than 0");
	return seconds * 1e9 < 1 ? 1 : (uint64_t)(seconds * 1e9);
}

/* Go's words for a second cpu profile, for each kind; twice is not 0. */
static void refuse_second(struct argp_state *state, const char *arg, unsigned int twice)
{
	const struct keyword *keyword = keywords_types;

	while (!(keyword->bit & twice))
		keyword++;
	argp_failure(state, 2, 0, "--profile '%s': %s profiling already in use: "
		     "name each kind once", arg, keyword->name);
}

/* Calls for each part of a list; an empty part is a part. */
static unsigned int parse_keywords(struct argp_state *state, const char *option,
				   const struct keyword *keywords, const char *arg,
				   const char *mend)
{
	unsigned int bit, bits = 0;
	const char *keyword = arg;
	size_t len;

	for (;; keyword += len + 1) {
		len = strcspn(keyword, ",");
		bit = keywords_bit(keywords, keyword, len);
		if (!bit)
			fail(state, option, arg, mend);
		if (keywords == keywords_types && (bits & bit))
			refuse_second(state, arg, bits & bit);
		bits |= bit;
		if (!keyword[len])
			return bits;
	}
}

/* What is no kind may be the name of a profile that the process keeps. */
static void parse_types(struct argp_state *state, struct options *c, const char *arg)
{
	c->run.custom = NULL;
	if (*arg && !strchr(arg, ',') && !keywords_bit(keywords_types, arg, strlen(arg))) {
		c->run.custom = arg;
		c->run.profile_types = 1U << PPROF_SOURCE_CUSTOM;
		return;
	}
	c->run.profile_types = parse_keywords(state, "--profile", keywords_types, arg,
					      "the kinds of profile are " PROFILE_TYPE_NAMES);
}

static void add_pid(struct argp_state *state, struct options *c, const char *text)
{
	pid_t *pids = reallocarray(c->run.pids, c->run.nr_pids + 1, sizeof(*pids));

	if (!pids)
		argp_failure(state, 1, 0, "out of memory");
	c->run.pids = pids;
	c->run.pids[c->run.nr_pids++] = parse_number(state, "--pid", text, 1, INT_MAX);
}

static void set_pid(struct argp_state *state, struct options *c, const char *text)
{
	c->run.nr_pids = 0;
	add_pid(state, c, text);
}

static void parse_pids(struct argp_state *state, struct options *c, char *arg)
{
	char *list = strdup(arg), *rest = list, *text;

	if (!list)
		argp_failure(state, 1, 0, "out of memory");
	while ((text = strsep(&rest, ",")))
		add_pid(state, c, text);
	free(list);
}

static bool parse_unwind(struct argp_state *state, const char *arg)
{
	bool is_table = !strcmp(arg, "table");

	if (!is_table && strcmp(arg, "fp"))
		fail(state, "--unwind", arg, "must be table or fp");
	return is_table;
}

static uint32_t parse_pages(struct argp_state *state, const char *arg)
{
	unsigned long pages = parse_number(state, "--buffer-pages", arg, 8, 16384);

	if (pages & (pages - 1))
		fail(state, "--buffer-pages", arg, "must be a power of two, such as 128 or 256");
	return pages;
}

static const char *parse_pattern(struct argp_state *state, const char *option, const char *arg)
{
	const char *wrong = frame_filter_check(arg);

	if (wrong)
		fail(state, option, arg, wrong);
	return arg;
}

static void check_custom(struct argp_state *state, const struct options *c)
{
	if (c->run.nr_pids != 1 || c->run.children)
		fail(state, "--profile", c->run.custom,
		     "the kinds of profile are " PROFILE_TYPE_NAMES "; others "
		     "are a process's own, which take one --pid PID, and no --children");
	if (c->run.labels & ~(LABELS_WANT_PID | LABELS_WANT_COMM))
		fail(state, "--profile", c->run.custom, "it is of a process, not of its threads: leave out "
		     "the labels tid, thread and cpu");
}

static void check_text(struct argp_state *state, const struct options *c)
{
	if (c->run.drop_frames || c->run.keep_frames)
		argp_failure(state, 2, 0, "--drop-frames and --keep-frames are for readers of "
			     "profiles, and text shows all frames: leave them out, or --debug");
	if (c->run.live)
		argp_failure(state, 2, 0, "--live adds values to the profile, and text has the count "
			     "alone: leave --live out, or --debug");
}

static void check_profile(struct argp_state *state, const struct options *c)
{
	int nr_targets = (c->run.nr_pids > 0) + c->run.all + !!c->run.program;

	if (!nr_targets)
		argp_failure(state, 2, 0, "nothing to profile: give --pid PID, --all, or -- COMMAND");
	if (nr_targets > 1)
		argp_failure(state, 2, 0, "--pid, --all and -- COMMAND exclude each other: give one");
	if (c->run.custom)
		check_custom(state, c);
	if (c->run.output && c->run.profile_types & (c->run.profile_types - 1))
		argp_failure(state, 2, 0, "--output names one file, and each kind of profile needs "
			     "its own: leave --output out, or ask for one kind");
	if (c->run.all &&
	    c->run.profile_types & (1U << PPROF_SOURCE_HEAP | 1U << PROFILE_TYPE_ALLOCS))
		argp_failure(state, 2, 0, "heap and allocs would stop every process at each call of "
			     "its allocator: name processes with --pid, or leave them out");
	if (c->run.live && !(c->run.profile_types & 1U << PPROF_SOURCE_THREADCREATE))
		argp_failure(state, 2, 0, "--live tells of the threadcreate profile: give "
			     "--profile threadcreate, or leave --live out");
	if (settings_at_once(&c->run) && c->run.program)
		argp_failure(state, 2, 0, "the threads of a program that just starts tell nothing: "
			     "give --seconds N, after which to look at them");
	if (c->run.debug)
		check_text(state, c);
}

/* How often there is a sample, and what is told of it. */
static error_t parse_rate(int key, const char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case KEY_LIVE:
		c->run.live = true;
		return 0;
	case KEY_HZ:
		c->run.hz = parse_number(state, "--hz", arg, 1, 10000);
		return 0;
	case KEY_BLOCK_RATE:
		c->run.block_rate_ns = parse_number(state, "--block-rate", arg, 1,
						    PPROF_MAX_BLOCK_RATE_NS);
		return 0;
	case KEY_MUTEX_FRACTION:
		c->run.mutex_fraction = parse_number(state, "--mutex-fraction", arg, 1,
						     PPROF_MAX_MUTEX_FRACTION);
		return 0;
	case KEY_GROWTH_RATE:
		c->run.growth_rate = parse_number(state, "--growth-rate", arg, 1,
						  PPROF_MAX_GROWTH_PERIOD);
		return 0;
	case KEY_HEAP_RATE:
		c->run.heap_rate = parse_number(state, "--heap-rate", arg, 1,
						PPROF_MAX_HEAP_PERIOD);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* What is written, and where. */
static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case 'o':
		c->run.output = arg;
		return 0;
	case KEY_DEBUG:
		c->run.debug = parse_number(state, "--debug", arg, 0, 2);
		return 0;
	case KEY_DROP_FRAMES:
		c->run.drop_frames = parse_pattern(state, "--drop-frames", arg);
		return 0;
	case KEY_KEEP_FRAMES:
		c->run.keep_frames = parse_pattern(state, "--keep-frames", arg);
		return 0;
	}
	return parse_rate(key, arg, state);
}

static enum options_command find_command(const char *keyword)
{
	static const char *const names[] = {
		[OPTIONS_AUDIT] = "audit", [OPTIONS_STATUS] = "status", [OPTIONS_DOCTOR] = "doctor",
		[OPTIONS_CFI] = "cfi",	  [OPTIONS_LIST] = "list",
	};

	for (size_t i = OPTIONS_PROFILE + 1; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(keyword, names[i]))
			return i;
	return OPTIONS_PROFILE;
}

/* Behind options it is a program, and hardly meant. */
static void check_program(struct argp_state *state)
{
	const char *name = state->argv[state->next];

	if (find_command(name) != OPTIONS_PROFILE && strcmp(state->argv[state->next - 1], "--"))
		fail(state, "command", name, "stands before all options (or '--' before a program "
		     "that is called so)");
}

static error_t parse_profile(int key, char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case 'p':
		parse_pids(state, c, arg);
		return 0;
	case 'a':
		c->run.all = true;
		return 0;
	case 's':
		c->run.duration_ns = parse_seconds(state, arg);
		return 0;
	case 'q':
		c->run.quiet = true;
		return 0;
	case KEY_CHILDREN:
		c->run.children = true;
		return 0;
	case KEY_PROFILE:
		parse_types(state, c, arg);
		return 0;
	case KEY_LABELS:
		c->run.labels = parse_keywords(state, "--labels", label_keywords, arg,
					       "the labels are pid, tid, thread, cpu and comm");
		return 0;
	case KEY_BUFFER_PAGES:
		c->run.buffer_pages = parse_pages(state, arg);
		return 0;
	case KEY_MAX_STACKS:
		c->run.max_stacks = parse_number(state, "--max-stacks", arg, 1, 1UL << 31);
		return 0;
	case KEY_UNWIND:
		c->run.tables = parse_unwind(state, arg);
		return 0;
	case KEY_MAX_FRAMES:
		c->run.max_frames = parse_number(state, "--max-frames", arg, 1, PPROF_MAX_FRAMES);
		return 0;
	case ARGP_KEY_ARGS:
		check_program(state);
		c->run.program = state->argv + state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_profile(state, c);
		return 0;
	}
	return parse_output(key, arg, state);
}

static error_t parse_audit(int key, char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case 'p':
		set_pid(state, c, arg);
		return 0;
	case 's':
		c->run.duration_ns = parse_seconds(state, arg);
		return 0;
	case KEY_COMM:
		c->comm = arg;
		return 0;
	case KEY_STACKS:
		c->stacks = true;
		return 0;
	case KEY_JSON:
		c->json = true;
		return 0;
	case ARGP_KEY_ARG:
		fail(state, "audit", arg, "takes no arguments, only options (see audit --help)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_status(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	fail(state, "status", arg, "takes no arguments");
	return 0;
}

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	const struct options *c = state->input;

	switch (key) {
	case 'p':
		set_pid(state, state->input, arg);
		return 0;
	case ARGP_KEY_ARG:
		fail(state, "list", arg, "takes no arguments, only --pid PID");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!c->run.nr_pids)
			argp_failure(state, 2, 0, "whose profiles to list: give --pid PID");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_doctor(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'p':
		set_pid(state, state->input, arg);
		return 0;
	case ARGP_KEY_ARG:
		fail(state, "doctor", arg, "takes no arguments, only --pid PID");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void add_file(struct argp_state *state, struct options *c, char *file)
{
	char **files = reallocarray(c->files, c->nr_files + 1, sizeof(*files));

	if (!files)
		argp_failure(state, 1, 0, "out of memory");
	c->files = files;
	c->files[c->nr_files++] = file;
}

static error_t parse_cfi(int key, char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case KEY_CHECK:
		c->check = true;
		return 0;
	case ARGP_KEY_ARG:
		add_file(state, c, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_failure(state, 2, 0, "nothing to compile: give cfi one ELF file or more");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp commands[] = {
	[OPTIONS_PROFILE] = {
		profile_options, parse_profile, "-- COMMAND [ARG...]\naudit [OPTION...]\nstatus\n"
		"list --pid PID\ndoctor [OPTION...]\ncfi [OPTION...] FILE...",
		"Profile processes through the kernel module pprof, into files for go tool pprof.\v"
		"`pprof-collect audit` follows thread creations on the whole system, "
		"`pprof-collect status` lists what the module is doing, `pprof-collect list` "
		"which profiles a process has, `pprof-collect doctor` tells what keeps profiles from being taken, `pprof-collect cfi` shows what the unwind "
		"tables of files come to.", NULL, NULL, NULL,
	},
	[OPTIONS_AUDIT] = {
		audit_options, parse_audit, NULL, "Follow thread creations on the whole system.",
		NULL, NULL, NULL,
	},
	[OPTIONS_STATUS] = {
		no_options, parse_status, NULL, "List the sessions of the module and their counters.",
		NULL, NULL, NULL,
	},
	[OPTIONS_DOCTOR] = {
		doctor_options, parse_doctor, NULL,
		"Tell what keeps profiles from being taken, or whole, and how to mend it.",
		NULL, NULL, NULL,
	},
	[OPTIONS_LIST] = {
		list_options, parse_list, NULL,
		"List the kinds of profile and the profiles that a process keeps itself, with counts.",
		NULL, NULL, NULL,
	},
	[OPTIONS_CFI] = {
		cfi_options, parse_cfi, "FILE...",
		"Compile the unwind tables of ELF files and show what they come to.",
		NULL, NULL, NULL,
	},
};

/* The program's own options are its own: ours end at its name. */
void options_parse(struct options *c, int argc, char **argv)
{
	int skip;

	*c = (struct options){
		.command = argc > 1 ? find_command(argv[1]) : OPTIONS_PROFILE,
		.run = {
			.profile_types = 1U << PPROF_SOURCE_CPU,
			.hz = 100,
			.block_rate_ns = 1000000,
			.mutex_fraction = 1,
			.growth_rate = 65536,
			.heap_rate = 512 << 10,
			.buffer_pages = 128,
			.max_stacks = 1000000,
			.tables = true,
			.max_frames = PPROF_DEFAULT_FRAMES,
		},
	};
	skip = c->command != OPTIONS_PROFILE;
	argv[skip] = argv[0];
	argp_err_exit_status = 2;
	argp_parse(&commands[c->command], argc - skip, argv + skip, ARGP_IN_ORDER, NULL, c);
}

void options_fini(struct options *c)
{
	free(c->run.pids);
	free(c->files);
}
