// SPDX-License-Identifier: GPL-2.0
#include "cli/options_profile.h"

#include <string.h>

#include "aggregate/label_sets.h"
#include "aggregate/profile_types.h"
#include "cli/keywords.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "cli/options_push.h"
#include "pprof.h"
#include "pprof/frame_filter.h"

enum {
	KEY_HZ = 256,
	KEY_LIVE,
	KEY_BLOCK_RATE,
	KEY_MUTEX_FRACTION,
	KEY_GROWTH_RATE,
	KEY_HEAP_RATE,
	KEY_PROFILE,
	KEY_CHILDREN,
	KEY_CGROUP,
	KEY_LABELS,
	KEY_BUFFER_PAGES,
	KEY_MAX_STACKS,
	KEY_KERNEL,
	KEY_UNWIND,
	KEY_MAX_FRAMES,
	KEY_DEBUG,
	KEY_DROP_FRAMES,
	KEY_KEEP_FRAMES,
	KEY_FLAME,
	KEY_TOP,
	KEY_EVERY,
	KEY_DIR,
	KEY_KEEP,
	KEY_BY,
};

static const struct argp_option profile_options[] = {
	{ NULL, 0, NULL, 0, "Targets:", 1 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Profile these processes, with all threads that they have or create.", 1 },
	{ "all", 'a', NULL, 0,
	  "Profile every process. This takes CAP_PERFMON, and does not work for heap and "
	  "allocs.", 1 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Profile the processes of this cgroup and of those below it, such as "
	  "/system.slice/nginx.service, as they come and leave. This takes CAP_PERFMON and "
	  "cgroup2, and works for cpu, threadcreate, thread and growth.", 1 },
	{ "children", KEY_CHILDREN, NULL, 0,
	  "Profile the children of the processes, too.", 1 },
	{ NULL, 0, NULL, 0, "Time:", 2 },
	{ "seconds", 's', "N", 0,
	  "End the profile after N seconds. The default is to end when no profiled process is "
	  "left, at an interrupt, or when the terminal is closed.", 2 },
	{ NULL, 0, NULL, 0, "Profile types and rates:", 3 },
	{ "profile", KEY_PROFILE, "TYPE[,TYPE...]", 0,
	  "Take profiles of these types, each into a file of its own: cpu (the default), "
	  "wall, threadcreate, thread, block, mutex, growth, heap, allocs. all means all of "
	  "these but heap and allocs, which cost more. The name of a custom profile that "
	  "the process keeps is a type, too (`pprof-collect list --pid PID`).", 3 },
	{ "hz", KEY_HZ, "N", 0,
	  "cpu: take N samples for each second of CPU time. wall: take N samples for each "
	  "second of each thread. 1 to 10000; the default is 100.", 3 },
	{ "block-rate", KEY_BLOCK_RATE, "NS", 0,
	  "block: sample waits that are shorter than NS nanoseconds in proportion to their "
	  "length. 1 samples every wait; the default is 1000000.", 3 },
	{ "mutex-fraction", KEY_MUTEX_FRACTION, "N", 0,
	  "mutex: sample one of N contended unlocks. The default is 1.", 3 },
	{ "growth-rate", KEY_GROWTH_RATE, "BYTES", 0,
	  "growth: take one sample for BYTES of memory that is touched for the first time. "
	  "The default is 65536.", 3 },
	{ "heap-rate", KEY_HEAP_RATE, "BYTES", 0,
	  "heap, allocs: take one sample for BYTES that are allocated. 1 samples every "
	  "object; the default is 524288.", 3 },
	{ "live", KEY_LIVE, NULL, 0,
	  "threadcreate: add the number of threads that are alive at the end, and how long "
	  "the ended ones lived. It does not work with --debug 1 or 2.", 3 },
	{ NULL, 0, NULL, 0, "Output:", 4 },
	{ "output", 'o', "FILE", 0,
	  "Write the profile to FILE, and replace that file; - is the standard output. The "
	  "default is pprof.COMM.PID.TYPE.pb.gz in this directory, or pprof.all.TYPE.pb.gz with --all. "
	  "An existing file is kept then, and the name becomes ....001.pb.gz.", 4 },
	{ "labels", KEY_LABELS, "LABEL[,LABEL...]", 0,
	  "Label the samples: pid, tid, thread (its name), cpu, comm (the name of the process), "
	  "cgroup (its path), and what that path names: container (its id), pod (the UID), or "
	  "unit (of systemd). resource: service.name and others, which the process publishes "
	  "for OpenTelemetry. trace: trace_id, span_id and attributes of the thread, from the same "
	  "source, or its labels of the Custom Label ABI.", 4 },
	{ "debug", KEY_DEBUG, "N", 0,
	  "Write text, as Go's parameter debug does, to a file that ends with .txt. 1 is a "
	  "table of stacks. 2 is the same, but shows each thread of the type thread on its "
	  "own. 0 is the usual format.", 4 },
	{ "drop-frames", KEY_DROP_FRAMES, "REGEX", 0,
	  "Let readers hide functions whose whole name matches, and the functions that "
	  "these called.", 4 },
	{ "keep-frames", KEY_KEEP_FRAMES, "REGEX", 0,
	  "Do not let --drop-frames hide functions whose whole name matches.", 4 },
	{ "flame", KEY_FLAME, "FILE", 0,
	  "Write also a flame graph: an SVG if the name ends in .svg, else a page for a browser.",
	  4 },
	{ "top", KEY_TOP, "N", 0,
	  "Print N functions at the end, as pprof-collect top does; 0 means all of them. The "
	  "default is 10.", 4 },
	{ "quiet", 'q', NULL, 0,
	  "Print warnings and errors only.", 4 },
	{ NULL, 0, NULL, 0, "Stacks and buffers:", 5 },
	{ "kernel", KEY_KERNEL, NULL, 0,
	  "Add the functions of the kernel to the stacks of cpu, wall, threadcreate, block and "
	  "growth. This takes CAP_PERFMON, and CAP_SYSLOG for the names (kernel.kptr_restrict).",
	  5 },
	{ "unwind", KEY_UNWIND, "HOW", 0,
	  "table: find callers by the unwind information that every program contains. This is "
	  "the default, and takes the right to attach to the process as a debugger. fp: find "
	  "callers by frame pointers, which most programs lack.", 5 },
	{ "max-frames", KEY_MAX_FRAMES, "N", 0,
	  "Truncate stacks after N frames. 1 to 256; the default is 127. Functions of the "
	  "kernel are counted apart: a stack has up to N of them, and never over 64.", 5 },
	{ "max-stacks", KEY_MAX_STACKS, "N", 0,
	  "Keep at most N different stacks. Samples of further stacks are counted without a "
	  "stack. The default is 1000000.", 5 },
	{ "buffer-pages", KEY_BUFFER_PAGES, "N", 0,
	  "The size of the buffer of each CPU, in pages of 4 KiB: a power of two from 8 to "
	  "16384. More than 128, the default, takes CAP_PERFMON.", 5 },
	{ NULL, 0, NULL, 0, "Continuous profiles:", 6 },
	{ "every", KEY_EVERY, "TIME", 0,
	  "Write a profile for each window of this length, until the run ends: 10s, 1m, 1h. "
	  "A window begins where the one before it has ended. It takes --dir.", 6 },
	{ "dir", KEY_DIR, "FOLDER", 0,
	  "Write the windows into this folder. The name of a file begins with the start of its "
	  "window, in UTC: 20261128T120000Z.nginx.1234.cpu.pb.gz.", 6 },
	{ "keep", KEY_KEEP, "LIMIT", 0,
	  "Remove the oldest windows in the folder that are over this limit: a number of windows, "
	  "an age such as 24h, or the size of all files, such as 10GB. The default is to remove "
	  "none.", 6 },
	{ "by", KEY_BY, "WHAT", 0,
	  "Divide each window into files: process writes one for each process, comm one for each "
	  "name of a process, cgroup one for each cgroup. The samples get these labels. At most "
	  "256 files of a type are written; the groups with the fewest samples share one more, "
	  "other.", 6 },
	{ 0 },
};

/* The types whose samples can have frames of the kernel. */
#define HAVE_KERNEL_FRAMES							\
	(1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_WALL | 1U << PROFILE_TYPE_THREADCREATE | \
	 1U << PROFILE_TYPE_BLOCK | 1U << PROFILE_TYPE_GROWTH)

static const struct keyword label_keywords[] = {
	{ "pid", LABELS_WANT_PID },	   { "tid", LABELS_WANT_TID },
	{ "thread", LABELS_WANT_THREAD }, { "cpu", LABELS_WANT_CPU },
	{ "comm", LABELS_WANT_COMM },	   { "cgroup", LABELS_WANT_CGROUP },
	{ "container", LABELS_WANT_CONTAINER }, { "pod", LABELS_WANT_POD },
	{ "unit", LABELS_WANT_UNIT }, { "resource", LABELS_WANT_RESOURCE },
	{ "trace", LABELS_WANT_TRACE },	   { 0 },
};

/* A single word that is no profile type may be the name of a custom profile. */
static void parse_types(struct argp_state *state, struct options *options, const char *arg)
{
	options->run.custom = NULL;
	if (*arg && !strchr(arg, ',') && !keywords_bit(keywords_types, arg, strlen(arg))) {
		options->run.custom = arg;
		options->run.profile_types = 1U << PROFILE_TYPE_CUSTOM;
		return;
	}
	options->run.profile_types = option_keywords(state, "--profile", keywords_types, arg,
						     "the profile types are cpu, wall, threadcreate, thread, "
						     "block, mutex, growth, heap, allocs and all");
}

static bool parse_unwind(struct argp_state *state, const char *arg)
{
	bool is_table = !strcmp(arg, "table");

	if (!is_table && strcmp(arg, "fp"))
		option_fail(state, "--unwind", arg, "must be table or fp");
	return is_table;
}

static uint32_t parse_pages(struct argp_state *state, const char *arg)
{
	unsigned long pages = option_number(state, "--buffer-pages", arg, 8, 16384);

	if (pages & (pages - 1))
		option_fail(state, "--buffer-pages", arg,
			    "must be a power of two, such as 128 or 256");
	return pages;
}

static const char *parse_pattern(struct argp_state *state, const char *option, const char *arg)
{
	const char *wrong = frame_filter_check(arg);

	if (wrong)
		option_fail(state, option, arg, wrong);
	return arg;
}

static void check_custom(struct argp_state *state, const struct options *options)
{
	if (options->run.nr_pids != 1 || options->run.children)
		option_fail(state, "--profile", options->run.custom,
			    "is no profile type (see --help), and a custom profile takes one --pid "
			    "PID and no --children");
	if (options->run.labels & (LABELS_WANT_TID | LABELS_WANT_THREAD | LABELS_WANT_CPU |
				   LABELS_WANT_TRACE))
		option_fail(state, "--profile", options->run.custom,
			    "a custom profile is of a process, not of threads: leave out the "
			    "labels tid, thread, cpu and trace");
}

static void check_text(struct argp_state *state, const struct options *options)
{
	if (options->run.drop_frames || options->run.keep_frames)
		argp_failure(state, 2, 0, "text shows all frames, so --drop-frames and "
			     "--keep-frames have no effect: leave them out, or --debug");
	if (options->run.live)
		argp_failure(state, 2, 0, "text has one count a stack and no place for the values "
			     "of --live: leave --live out, or --debug");
}

/*
 * The file of a window has the counts of that window alone. Settings for other values or other
 * files are refused.
 */
static void check_windows(struct argp_state *state, const struct options *options)
{
	const struct settings *s = &options->run;

	if (!s->dir)
		argp_failure(state, 2, 0, "--every has no folder for its files: give --dir FOLDER");
	if (s->output || s->flame || options->has_top)
		argp_failure(state, 2, 0, "--output, --flame and --top are for one profile, and "
			     "--every writes many: leave them out");
	if (s->debug)
		argp_failure(state, 2, 0, "--every writes the usual format: leave --debug out, or "
			     "convert the files later");
	if (s->live)
		argp_failure(state, 2, 0, "--live counts threads from the start of the run, not of a "
			     "window: leave --live or --every out");
	if (s->custom)
		argp_failure(state, 2, 0, "a custom profile is kept by its program, and has no "
			     "windows: leave --every out, and run the command repeatedly");
}

static void check_no_windows(struct argp_state *state, const struct settings *s)
{
	if (s->dir || s->keep_windows || s->keep_bytes || s->keep_seconds || s->by)
		argp_failure(state, 2, 0, "--dir, --keep and --by are for windows: give --every TIME, "
			     "too");
}

static void check_cgroup(struct argp_state *state, const struct options *options)
{
	if (!options->run.custom && (options->run.profile_types & ~PROFILE_TYPES_OF_CGROUP))
		argp_failure(state, 2, 0, "--cgroup takes cpu, threadcreate, thread and growth: other "
			     "types cannot follow processes that come and leave: use --pid for "
			     "them");
	if (options->run.children)
		argp_failure(state, 2, 0, "--cgroup has the children of its processes, unless they "
			     "leave it: leave --children out");
	if (options->run.live)
		argp_failure(state, 2, 0, "--live does not know the threads of processes that leave "
			     "a cgroup: leave it out, or name processes with --pid");
}

static void check_push(struct argp_state *state, const struct settings *s)
{
	if (s->debug)
		argp_failure(state, 2, 0, "no backend takes text: leave --debug out, or --push");
	if (s->output && !strcmp(s->output, "-"))
		argp_failure(state, 2, 0, "--push sends the file of a profile, and standard output is "
			     "no file: leave '--output -' out");
}

static void check_trace(struct argp_state *state, const struct options *options)
{
	if ((options->run.labels & LABELS_WANT_TRACE) && !options->run.tables)
		argp_failure(state, 2, 0, "the label trace needs the right to read memory, which "
			     "--unwind fp does not ask for: leave one out");
}

static void check_profile(struct argp_state *state, const struct options *options)
{
	int nr_targets = (options->run.nr_pids > 0) + options->run.all +
			 !!options->run.cgroup + !!options->run.program;

	if (!nr_targets)
		argp_failure(state, 2, 0, "nothing to profile: give --pid PID, --all, --cgroup PATH, "
			     "or -- COMMAND");
	if (nr_targets > 1)
		argp_failure(state, 2, 0, "--pid, --all, --cgroup and -- COMMAND exclude each other: "
			     "give one");
	if (options->run.cgroup)
		check_cgroup(state, options);
	check_trace(state, options);
	if (options->run.custom)
		check_custom(state, options);
	if (options->run.output && options->run.profile_types & (options->run.profile_types - 1))
		argp_failure(state, 2, 0, "--output names one file, but each profile type needs "
			     "its own: leave --output out, or give one type");
	if (options->run.flame && options->run.profile_types & (options->run.profile_types - 1))
		argp_failure(state, 2, 0, "--flame names one file, but each profile type needs "
			     "its own: give one type, or use pprof-collect flame later");
	if (options->has_top && options->run.quiet)
		argp_failure(state, 2, 0, "--top prints what --quiet forbids: leave one out");
	if (options->run.all &&
	    options->run.profile_types & (1U << PROFILE_TYPE_HEAP | 1U << PROFILE_TYPE_ALLOCS))
		argp_failure(state, 2, 0, "heap and allocs slow each call of an allocator, so --all "
			     "is too much: name processes with --pid, or leave them out");
	if (options->run.live && !(options->run.profile_types & 1U << PROFILE_TYPE_THREADCREATE))
		argp_failure(state, 2, 0, "--live adds to the threadcreate profile, which is not "
			     "taken: give --profile threadcreate, or leave --live out");
	if (options->run.kernel && !(options->run.profile_types & HAVE_KERNEL_FRAMES))
		argp_failure(state, 2, 0, "--kernel adds to cpu, wall, threadcreate, block and growth, "
			     "none of which is taken: add one to --profile, or leave --kernel out");
	if (settings_at_once(&options->run) && options->run.program)
		argp_failure(state, 2, 0, "a snapshot of threads shows nothing of a program that just "
			     "starts: give --seconds N, to take it after N seconds");
	if (options->run.debug)
		check_text(state, options);
	if (options->run.every_ns)
		check_windows(state, options);
	else
		check_no_windows(state, &options->run);
	if (options->push.nr)
		check_push(state, &options->run);
}

/* Options for the rates of samples, and --live. */
static error_t parse_rate(int key, const char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_LIVE:
		options->run.live = true;
		return 0;
	case KEY_HZ:
		options->run.hz = option_number(state, "--hz", arg, 1, 10000);
		return 0;
	case KEY_BLOCK_RATE:
		options->run.block_rate_ns = option_number(state, "--block-rate", arg, 1,
							   PPROF_MAX_BLOCK_RATE_NS);
		return 0;
	case KEY_MUTEX_FRACTION:
		options->run.mutex_fraction = option_number(state, "--mutex-fraction", arg, 1,
							    PPROF_MAX_MUTEX_FRACTION);
		return 0;
	case KEY_GROWTH_RATE:
		options->run.growth_rate = option_number(state, "--growth-rate", arg, 1,
							 PPROF_MAX_GROWTH_PERIOD);
		return 0;
	case KEY_HEAP_RATE:
		options->run.heap_rate = option_number(state, "--heap-rate", arg, 1,
						       PPROF_MAX_HEAP_PERIOD);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static enum settings_by parse_by(struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "process"))
		return SETTINGS_BY_PROCESS;
	if (!strcmp(arg, "cgroup"))
		return SETTINGS_BY_CGROUP;
	if (strcmp(arg, "comm"))
		option_fail(state, "--by", arg, "must be process, comm or cgroup");
	return SETTINGS_BY_COMM;
}

/* Options of a continuous profile. */
static error_t parse_windows(int key, const char *arg, struct argp_state *state)
{
	struct settings *s = &((struct options *)state->input)->run;

	switch (key) {
	case KEY_EVERY:
		s->every_ns = option_period(state, "--every", arg);
		return 0;
	case KEY_DIR:
		s->dir = arg;
		return 0;
	case KEY_KEEP:
		option_keep(state, s, arg);
		return 0;
	case KEY_BY:
		s->by = parse_by(state, arg);
		return 0;
	}
	return parse_rate(key, arg, state);
}

/* Options for the content, the form and the file of the output. */
static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->run.output = arg;
		return 0;
	case KEY_DEBUG:
		options->run.debug = option_number(state, "--debug", arg, 0, 2);
		return 0;
	case KEY_DROP_FRAMES:
		options->run.drop_frames = parse_pattern(state, "--drop-frames", arg);
		return 0;
	case KEY_FLAME:
		options->run.flame = arg;
		return 0;
	case KEY_TOP:
		options->run.nr_functions = option_number(state, "--top", arg, 0, UINT32_MAX);
		options->has_top = true;
		return 0;
	case KEY_KEEP_FRAMES:
		options->run.keep_frames = parse_pattern(state, "--keep-frames", arg);
		return 0;
	}
	return parse_windows(key, arg, state);
}

/*
 * A program needs "--" before it. A word without "--" is refused: it may be a subcommand that is
 * misspelled, or that stands after options.
 */
static void check_program(struct argp_state *state)
{
	const char *name = state->argv[state->next];

	if (!strcmp(state->argv[state->next - 1], "--"))
		return;
	if (options_find_command(name) != OPTIONS_PROFILE)
		option_fail(state, "command", name,
			    "a subcommand comes before all options: move it, or give '--' before a "
			    "program of that name");
	option_fail(state, "command", name,
		    "is neither a subcommand nor after '--': give '--' before a program, or see "
		    "--help");
}

static error_t parse_profile(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case 'p':
		option_pids(state, &options->run, arg);
		return 0;
	case 'a':
		options->run.all = true;
		return 0;
	case 's':
		options->run.duration_ns = option_seconds(state, arg);
		return 0;
	case 'q':
		options->run.quiet = true;
		return 0;
	case KEY_CGROUP:
		options->run.cgroup = option_cgroup(state, arg);
		return 0;
	case KEY_CHILDREN:
		options->run.children = true;
		return 0;
	case KEY_PROFILE:
		parse_types(state, options, arg);
		return 0;
	case KEY_LABELS:
		options->run.labels = option_keywords(state, "--labels", label_keywords, arg,
						      "the labels are pid, tid, thread, cpu, comm, cgroup, "
						      "container, pod, unit, resource and trace");
		return 0;
	case KEY_BUFFER_PAGES:
		options->run.buffer_pages = parse_pages(state, arg);
		return 0;
	case KEY_MAX_STACKS:
		options->run.max_stacks = option_number(state, "--max-stacks", arg, 1, 1UL << 31);
		return 0;
	case KEY_KERNEL:
		options->run.kernel = true;
		return 0;
	case KEY_UNWIND:
		options->run.tables = parse_unwind(state, arg);
		return 0;
	case KEY_MAX_FRAMES:
		options->run.max_frames = option_number(state, "--max-frames", arg, 1,
							PPROF_MAX_FRAMES);
		return 0;
	case ARGP_KEY_ARGS:
		check_program(state);
		options->run.program = state->argv + state->next;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_profile(state, options);
		return 0;
	}
	return parse_output(key, arg, state);
}

static const struct argp_child profile_children[] = {
	{ &options_push_run_argp, 0, "Sending:", 7 }, { 0 },
};

const struct argp options_profile_argp = {
	.options = profile_options,
	.parser = parse_profile,
	.children = profile_children,
	.args_doc = "-- COMMAND [ARG...]\naudit [OPTION...]\nstatus\n"
		"list --pid PID\nserve [OPTION...]\ndoctor [OPTION...]\ncfi [OPTION...] FILE...\n"
		"top|tree|traces|tags|comments|raw [OPTION...] PROFILE...\n"
		"peek [OPTION...] REGEX PROFILE...\nflame --output FILE PROFILE...\n"
		"merge|filter|convert [OPTION...] PROFILE...\npush --to KIND=URL PROFILE...\n"
		"diff [OPTION...] BASE PROFILE [REPORT]\ncheck [OPTION...] PROFILE...",
	.doc = "Profile processes through the kernel module pprof, into files for go tool pprof.\v"
		"`pprof-collect audit` prints thread creations of the whole system, "
		"`pprof-collect status` lists the sessions of the module, `pprof-collect list` "
		"lists the profiles of a process, `pprof-collect serve` serves profiles by HTTP, "
		"`pprof-collect doctor` finds what prevents profiles, `pprof-collect cfi` shows "
		"the sizes of unwind tables of files, `pprof-collect push` sends profiles to a backend, "
		"`pprof-collect top` and the other commands show, add, filter and convert profiles: "
		"each has a --help of its own.",
};
