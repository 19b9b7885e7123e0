// SPDX-License-Identifier: GPL-2.0
#include "cli/options_files.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/filter.h"
#include "analysis/regex.h"
#include "cli/file_settings.h"
#include "cli/option_values.h"
#include "pprof/profile_fault.h"

enum {
	KEY_TYPE = 256,
	KEY_UNIT,
	KEY_MEAN,
	KEY_DIVIDE_BY,
	KEY_CUM,
	KEY_FLAT,
	KEY_COMPACT,
	KEY_TRIM_PATH,
	KEY_TRIM,
	KEY_NODE_FRACTION,
	KEY_EDGE_FRACTION,
	KEY_DROP_NEGATIVE,
	KEY_RELATIVE,
	KEY_NO_INLINES,
	KEY_COLUMNS,
	KEY_BASE,
	KEY_DIFF_BASE,
	KEY_NORMALIZE,
	KEY_FOR,
	KEY_TO,
	/* In the order of type_names. */
	KEY_TYPE_NAME,
	KEY_LAST_TYPE_NAME = KEY_TYPE_NAME + 6,
	/* In the order of enum granularity. */
	KEY_FUNCTIONS,
	KEY_FILE_FUNCTIONS,
	KEY_FILES,
	KEY_LINES,
	KEY_ADDRESSES,
	KEY_ALL_FRAMES,
	/* Then enum filter_kind. */
	KEY_FILTER,
};

/* Another spelling of the option before it in a table: the one of go tool pprof. */
#define ALIAS(name)	{ name, 0, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0 }

/* An option without a text. */
#define HIDDEN(name, key)	{ name, key, NULL, OPTION_HIDDEN, NULL, 0 }

/* Sample types that are options of go tool pprof, too. */
static const char *const type_names[] = {
	"inuse_space", "inuse_objects", "alloc_space", "alloc_objects", "contentions", "delay",
	"delay",
};

static const struct argp_option value_options[] = {
	{ "type", KEY_TYPE, "NAME", 0,
	  "Show the values of this sample type, by name or by number from 0 on. The default is the "
	  "profile's.", 0 },
	ALIAS("sample_index"),
	{ "unit", KEY_UNIT, "UNIT", 0,
	  "Print values in this unit, such as ms or MB. The default is one that fits.", 0 },
	{ "mean", KEY_MEAN, NULL, 0,
	  "Divide each value by that of the first sample type, often a count.", 0 },
	{ "divide-by", KEY_DIVIDE_BY, "N", 0,
	  "Divide all values by N, such as a number of processors or of jobs.", 0 },
	ALIAS("divide_by"),
	HIDDEN("inuse_space", KEY_TYPE_NAME),
	HIDDEN("inuse_objects", KEY_TYPE_NAME + 1),
	HIDDEN("alloc_space", KEY_TYPE_NAME + 2),
	HIDDEN("alloc_objects", KEY_TYPE_NAME + 3),
	HIDDEN("contentions", KEY_TYPE_NAME + 4),
	HIDDEN("total_delay", KEY_TYPE_NAME + 5),
	HIDDEN("mean_delay", KEY_LAST_TYPE_NAME),
	{ 0 },
};

static const struct argp_option graph_options[] = {
	{ "cum", KEY_CUM, NULL, 0,
	  "Sort by cumulative values: those of a function and all that it called.", 0 },
	{ "drop-negative", KEY_DROP_NEGATIVE, NULL, 0,
	  "Leave out functions whose value is negative, in a difference.", 0 },
	ALIAS("drop_negative"),
	{ "relative-percentages", KEY_RELATIVE, NULL, 0,
	  "Let 100 % be the samples that the filters leave, and not all.", 0 },
	ALIAS("relative_percentages"),
	{ "compact-labels", KEY_COMPACT, NULL, 0,
	  "Leave out the first lines: the program, the type and the times of the profile.", 0 },
	ALIAS("compact_labels"),
	{ "trim-path", KEY_TRIM_PATH, "FOLDERS", 0,
	  "Leave out these folders, with ':' between them, where names of source files begin with "
	  "them.", 0 },
	ALIAS("trim_path"),
	HIDDEN("flat", KEY_FLAT),
	{ 0 },
};

static const struct argp_option node_options[] = {
	{ "nodecount", 'n', "N", 0, "Show at most N functions; 0 means all of them.", 0 },
	{ "nodefraction", KEY_NODE_FRACTION, "F", 0,
	  "Leave out functions whose cumulative value is below this part of the total. The "
	  "default is 0.005.", 0 },
	{ "trim", KEY_TRIM, "BOOL", 0,
	  "With false, show all functions and calls, whatever the limits are.", 0 },
	{ 0 },
};

static const struct argp_option edge_options[] = {
	{ "edgefraction", KEY_EDGE_FRACTION, "F", 0,
	  "Leave out calls whose value is below this part of the total. The default is 0.001.",
	  0 },
	{ 0 },
};

static const struct argp_option frame_options[] = {
	{ "functions", KEY_FUNCTIONS, NULL, 0,
	  "Show functions by their names. This is the default.", 0 },
	{ "filefunctions", KEY_FILE_FUNCTIONS, NULL, 0,
	  "Tell functions of one name in two source files apart.", 0 },
	{ "files", KEY_FILES, NULL, 0, "Show source files.", 0 },
	{ "lines", KEY_LINES, NULL, 0, "Show the lines of source files.", 0 },
	{ "addresses", KEY_ADDRESSES, NULL, 0, "Show addresses.", 0 },
	{ "noinlines", KEY_NO_INLINES, NULL, 0,
	  "Count inlined functions as parts of those that contain them.", 0 },
	{ "showcolumns", KEY_COLUMNS, NULL, 0, "Tell the columns of a line apart.", 0 },
	{ 0 },
};

static const struct argp_option filter_options[] = {
	{ "focus", KEY_FILTER + FILTER_FOCUS, "REGEX", 0,
	  "Keep the samples that have a function, source file or mapped file that matches.", 0 },
	{ "ignore", KEY_FILTER + FILTER_IGNORE, "REGEX", 0,
	  "Drop the samples that have a function, source file or mapped file that matches.", 0 },
	{ "hide", KEY_FILTER + FILTER_HIDE, "REGEX", 0,
	  "Leave frames out that match; their callers and callees stay.", 0 },
	{ "show", KEY_FILTER + FILTER_SHOW, "REGEX", 0,
	  "Leave out all frames but those that match.", 0 },
	{ "show-from", KEY_FILTER + FILTER_SHOW_FROM, "REGEX", 0,
	  "Begin each stack with its outermost frame that matches; drop samples without one.", 0 },
	ALIAS("show_from"),
	{ "prune-from", KEY_FILTER + FILTER_PRUNE_FROM, "REGEX", 0,
	  "End each stack with its innermost frame that matches.", 0 },
	ALIAS("prune_from"),
	{ "tagfocus", KEY_FILTER + FILTER_TAGFOCUS, "[KEY=]VALUE", 0,
	  "Keep the samples with such a label. VALUE is a list of regular expressions, with "
	  "commas between them, or a range of numbers: 1:5, 64kb:, :10ms or 7.", 0 },
	{ "tagignore", KEY_FILTER + FILTER_TAGIGNORE, "[KEY=]VALUE", 0,
	  "Drop the samples with such a label.", 0 },
	{ "tagshow", KEY_FILTER + FILTER_TAGSHOW, "REGEX", 0,
	  "Leave out all labels but those whose keys match.", 0 },
	{ "taghide", KEY_FILTER + FILTER_TAGHIDE, "REGEX", 0,
	  "Leave out labels whose keys match.", 0 },
	{ "tagroot", KEY_FILTER + FILTER_TAGROOT, "KEY[,KEY...]", 0,
	  "Begin each stack with frames for the values of these labels.", 0 },
	{ "tagleaf", KEY_FILTER + FILTER_TAGLEAF, "KEY[,KEY...]", 0,
	  "End each stack with frames for the values of these labels.", 0 },
	{ "all-frames", KEY_ALL_FRAMES, NULL, 0,
	  "Show also the frames that the profile itself says to drop.", 0 },
	ALIAS("all_frames"),
	{ 0 },
};

static const struct argp_option input_options[] = {
	{ "diff-base", KEY_DIFF_BASE, "FILE", 0,
	  "Subtract this profile of another run. Percentages are those of its total.", 0 },
	ALIAS("diff_base"),
	{ "base", KEY_BASE, "FILE", 0,
	  "Subtract this earlier profile of the same run, whose values only grow.", 0 },
	{ "normalize", KEY_NORMALIZE, NULL, 0,
	  "Scale the profile first, so that its total is that of the base.", 0 },
	{ 0 },
};

static const struct argp_option output_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write to FILE, and replace that file; - is the standard output, and the default.", 0 },
	{ 0 },
};

static const struct argp_option flame_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the graph to this file: an SVG if its name ends in .svg, else a page.", 0 },
	{ "type", KEY_TYPE, "NAME", 0,
	  "Show this sample type first. The default is the profile's.", 0 },
	ALIAS("sample_index"),
	{ 0 },
};

static const struct argp_option convert_options[] = {
	{ "to", KEY_TO, "FORMAT", 0,
	  "The format: folded, speedscope, text, pprof, firefox or otlp.", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write to FILE, and replace that file; - is the standard output, and the default.", 0 },
	{ "type", KEY_TYPE, "NAME", 0,
	  "Write the values of this sample type, or show it first if the format has all of them. "
	  "The default is the profile's.", 0 },
	ALIAS("sample_index"),
	{ 0 },
};

static const struct argp_option diff_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write to FILE, and replace that file; - is the standard output, and the default.", 0 },
	{ "normalize", KEY_NORMALIZE, NULL, 0,
	  "Scale the new profile first, so that its total is that of the base.", 0 },
	{ 0 },
};

static const struct argp_option check_options[] = {
	{ "for", KEY_FOR, "READER", 0,
	  "Check also what this reader refuses or leaves out: parca, pyroscope or speedscope.", 0 },
	{ 0 },
};

static enum reader parse_reader(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[READER_PARCA] = "parca", [READER_PYROSCOPE] = "pyroscope",
		[READER_SPEEDSCOPE] = "speedscope",
	};

	for (enum reader r = READER_PARCA; r <= READER_SPEEDSCOPE; r++)
		if (!strcmp(arg, names[r]))
			return r;
	option_fail(state, "--for", arg, "must be parca, pyroscope or speedscope");
	return READER_NONE;
}

/* The names of formats/format.c. */
static const char *parse_format(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		"folded", "speedscope", "text", "pprof", "firefox", "otlp",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(arg, names[i]))
			return names[i];
	option_fail(state, "--to", arg, "must be folded, speedscope, text, pprof, firefox or otlp");
	return NULL;
}

static double parse_fraction(struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	double fraction = strtod(arg, &end);

	if (end == arg || *end || !isfinite(fraction) || fraction < 0 || fraction > 1)
		option_fail(state, option, arg, "must be a number from 0 to 1");
	return fraction;
}

/* Returns: a number above 0. */
static double parse_divisor(struct argp_state *state, const char *arg)
{
	char *end;
	double divisor = strtod(arg, &end);

	if (end == arg || *end || !isfinite(divisor) || divisor <= 0 || !isfinite(1 / divisor))
		option_fail(state, "--divide-by", arg, "must be a number above 0");
	return divisor;
}

static bool parse_bool(struct argp_state *state, const char *option, const char *arg)
{
	if (strcmp(arg, "true") && strcmp(arg, "false"))
		option_fail(state, option, arg, "must be true or false");
	return !strcmp(arg, "true");
}

static void parse_base(struct argp_state *state, struct options *options, char *file,
		       enum merge_sign sign)
{
	if (options->is_diff)
		option_fail(state, "base", file, "diff has a base: leave it out");
	if (options->read.bases.nr && options->read.base_sign != sign)
		option_fail(state, "base", file, "give either --base or --diff-base");
	options->read.base_sign = sign;
	option_path(state, &options->read.bases, file);
}

/* Options of the graph of functions. */
static error_t parse_graph_option(int key, char *arg, struct argp_state *state)
{
	struct file_settings *s = &((struct options *)state->input)->read;

	switch (key) {
	case 'n':
		s->graph.max_nodes = option_number(state, "--nodecount", arg, 0, UINT32_MAX);
		return 0;
	case KEY_CUM:
	case KEY_FLAT:
		s->graph.is_by_cum = key == KEY_CUM;
		return 0;
	case KEY_COMPACT:
		s->graph.is_compact = true;
		return 0;
	case KEY_TRIM_PATH:
		s->graph.trim_path = arg;
		return 0;
	case KEY_TRIM:
		s->is_whole = !parse_bool(state, "--trim", arg);
		return 0;
	case KEY_NODE_FRACTION:
		s->graph.node_fraction = parse_fraction(state, "--nodefraction", arg);
		return 0;
	case KEY_EDGE_FRACTION:
		s->graph.edge_fraction = parse_fraction(state, "--edgefraction", arg);
		return 0;
	case KEY_DROP_NEGATIVE:
		s->graph.drops_negative = true;
		return 0;
	case KEY_RELATIVE:
		s->is_relative = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_frame_option(int key, char *arg, struct argp_state *state)
{
	struct file_settings *s = &((struct options *)state->input)->read;

	(void)arg;
	switch (key) {
	case KEY_FUNCTIONS ... KEY_ADDRESSES:
		s->frames.level = GRANULARITY_FUNCTIONS + (key - KEY_FUNCTIONS);
		return 0;
	case KEY_NO_INLINES:
		s->frames.omits_inlined = true;
		return 0;
	case KEY_COLUMNS:
		s->frames.has_columns = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_filter_option(int key, char *arg, struct argp_state *state)
{
	struct file_settings *s = &((struct options *)state->input)->read;

	if (key == KEY_ALL_FRAMES)
		s->filters.all_frames = true;
	else if (key >= KEY_FILTER && key < KEY_FILTER + FILTER_NR_KINDS)
		s->filters.expressions[key - KEY_FILTER] = arg;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* The other options. */
static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'o':
		options->read.output = arg;
		return 0;
	case KEY_TYPE:
		options->read.type = arg;
		return 0;
	case KEY_UNIT:
		options->read.unit = arg;
		return 0;
	case KEY_MEAN:
		options->read.is_mean = true;
		return 0;
	case KEY_DIVIDE_BY:
		options->read.divisor = parse_divisor(state, arg);
		return 0;
	case KEY_TYPE_NAME ... KEY_LAST_TYPE_NAME:
		options->read.type = type_names[key - KEY_TYPE_NAME];
		options->read.is_mean |= key == KEY_LAST_TYPE_NAME;
		return 0;
	case KEY_BASE:
		parse_base(state, options, arg, MERGE_BASE);
		return 0;
	case KEY_DIFF_BASE:
		parse_base(state, options, arg, MERGE_DIFF_BASE);
		return 0;
	case KEY_NORMALIZE:
		options->read.normalize = true;
		return 0;
	case KEY_FOR:
		options->read.reader = parse_reader(state, arg);
		return 0;
	case KEY_TO:
		options->read.format = parse_format(state, arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool is_report(enum options_command command)
{
	return command == OPTIONS_FLAME || (command >= OPTIONS_TOP && command <= OPTIONS_TAGS);
}

/* The arguments after the name of a report are parsed as those of that command. */
static void parse_report(struct argp_state *state, struct options *options, const char *name)
{
	int first = state->next - 1;

	options->command = options_find_command(name);
	if (!is_report(options->command))
		option_fail(state, "diff", name,
			    "takes two profiles, then top, flame or another report");
	state->argv[first] = state->argv[0];
	state->next = state->argc;
	argp_parse(options_files_argp(options->command), state->argc - first, state->argv + first,
		   OPTIONS_FILES_FLAGS, NULL, options);
}

static void parse_peek(struct argp_state *state, struct options *options, const char *arg)
{
	struct profile_fault fault;

	if (regex_new(&options->read.peek, arg, strlen(arg), &fault))
		option_fail(state, "peek", arg, fault.text);
}

static void parse_argument(struct argp_state *state, struct options *options, char *arg)
{
	if (options->command == OPTIONS_PEEK && !options->read.peek)
		parse_peek(state, options, arg);
	else if (!options->is_diff || !options->read.bases.nr || !options->read.files.nr)
		option_path(state, options->is_diff && !options->read.bases.nr ?
			    &options->read.bases : &options->read.files, arg);
	else if (options->command == OPTIONS_DIFF)
		parse_report(state, options, arg);
	else
		option_fail(state, "diff", arg, "takes two profiles: leave it out");
}

/* The limits of nodes and edges are those of go tool pprof. */
static void set_defaults(struct argp_state *state, struct options *options)
{
	const struct argp_child *children = options_files_argp(options->command)->children;

	if (options->command != OPTIONS_PEEK)
		options->read.graph = (struct graph_settings)GRAPH_TOP_SETTINGS;
	if (options->command == OPTIONS_TREE)
		options->read.graph.max_nodes = GRAPH_TREE_MAX_NODES;
	for (size_t i = 0; children && children[i].argp; i++)
		state->child_inputs[i] = options;
}

static bool writes_text(enum options_command command)
{
	return command >= OPTIONS_CHECK;
}

static void compile_filters(struct argp_state *state, struct options *options)
{
	struct profile_fault fault;

	options->read.filters.unit = options->read.unit;
	if (filter_new(&options->read.filter, &options->read.filters, &fault))
		argp_failure(state, 2, 0, "--%s", fault.text);
}

static void drop_limits(struct graph_settings *graph)
{
	graph->max_nodes = 0;
	graph->node_fraction = 0;
	graph->edge_fraction = 0;
}

static void check_all(struct argp_state *state, struct options *options)
{
	if (options->command == OPTIONS_PEEK && !options->read.peek)
		argp_failure(state, 2, 0, "nothing to search: give an expression");
	if (!options->read.files.nr)
		argp_failure(state, 2, 0, options->is_diff ?
			     "nothing to compare: name two profiles" :
			     "nothing to read: name a profile");
	if (options->command == OPTIONS_CONVERT && !options->read.format)
		argp_failure(state, 2, 0, "there is no format: give --to FORMAT");
	if (options->read.normalize && !options->read.bases.nr)
		argp_failure(state, 2, 0, "--normalize needs a base: give --diff-base FILE");
	if (!options->read.output && !writes_text(options->command) && isatty(STDOUT_FILENO))
		argp_failure(state, 2, 0, "a terminal cannot show it: give --output FILE");
	if (options->read.is_whole)
		drop_limits(&options->read.graph);
	if (!options->read.filter)
		compile_filters(state, options);
}

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_INIT:
		set_defaults(state, state->input);
		return 0;
	case ARGP_KEY_ARG:
		parse_argument(state, state->input, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_all(state, state->input);
		return 0;
	}
	return parse_option(key, arg, state);
}

static const struct argp value_argp = { .options = value_options, .parser = parse_option };
static const struct argp graph_argp = { .options = graph_options, .parser = parse_graph_option };
static const struct argp node_argp = { .options = node_options, .parser = parse_graph_option };
static const struct argp edge_argp = { .options = edge_options, .parser = parse_graph_option };
static const struct argp frame_argp = { .options = frame_options, .parser = parse_frame_option };
static const struct argp filter_argp = {
	.options = filter_options, .parser = parse_filter_option,
};

static const struct argp input_argp = { .options = input_options, .parser = parse_option };

#define VALUES	{ &value_argp, 0, "Values:", 1 }
#define GRAPH	{ &graph_argp, 0, "Functions:", 2 }
#define NODES	{ &node_argp, 0, "Limits:", 3 }
#define EDGES	{ &edge_argp, 0, "Limits of calls:", 4 }
#define FRAMES	{ &frame_argp, 0, "Frames:", 5 }
#define FILTERS	{ &filter_argp, 0, "Filters:", 6 }
#define INPUT	{ &input_argp, 0, "Comparison:", 7 }

static const struct argp_child top_children[] = {
	VALUES, GRAPH, NODES, FRAMES, FILTERS, INPUT, { 0 },
};

static const struct argp_child tree_children[] = {
	VALUES, GRAPH, NODES, EDGES, FRAMES, FILTERS, INPUT, { 0 },
};

static const struct argp_child peek_children[] = {
	VALUES, GRAPH, FRAMES, FILTERS, INPUT, { 0 },
};

static const struct argp_child traces_children[] = { VALUES, FRAMES, FILTERS, INPUT, { 0 } };
static const struct argp_child tags_children[] = { VALUES, FILTERS, INPUT, { 0 } };
static const struct argp_child filter_children[] = { FILTERS, INPUT, { 0 } };

#define COMMAND(name, table, own_children, args, text) \
	static const struct argp name ## _command_argp = {	\
		.options = table,			\
		.parser = parse_command,		\
		.children = own_children,		\
		.args_doc = args,			\
		.doc = text,				\
	}

COMMAND(flame, flame_options, filter_children, "FILE...",
	"Draw profiles as a flame graph: a page for a browser, or an SVG.");
COMMAND(merge, output_options, NULL, "FILE...", "Add profiles up, and write the sum as a profile.");
COMMAND(diff, diff_options, NULL, "BASE NEW [REPORT [OPTION...]]",
	"Subtract a profile from another one, and write the difference as a profile. Or show it by "
	"a report with its options: top, tree, peek, traces, tags, raw or flame.");
COMMAND(filter, output_options, filter_children, "FILE...",
	"Write the part of a profile that the filters leave.");
COMMAND(convert, convert_options, filter_children, "FILE...",
	"Write profiles in another format.");
COMMAND(check, check_options, NULL, "FILE...", "Check whether profiles are valid.");
COMMAND(top, output_options, top_children, "FILE...",
	"Print the functions with the largest values.");
COMMAND(tree, output_options, tree_children, "FILE...",
	"Print functions, each with its callers and callees.");
COMMAND(peek, output_options, peek_children, "REGEX FILE...",
	"Print the functions whose names match, each with its callers and callees.");
COMMAND(traces, output_options, traces_children, "FILE...",
	"Print each stack with its value and its labels.");
COMMAND(tags, output_options, tags_children, "FILE...",
	"Print the labels, and the values of the samples that have them.");
COMMAND(comments, output_options, NULL, "FILE...", "Print the comments of profiles.");
COMMAND(raw, output_options, filter_children, "FILE...", "Print all tables of a profile.");

const struct argp *options_files_argp(enum options_command command)
{
	static const struct argp *const argps[] = {
		[OPTIONS_FLAME] = &flame_command_argp, [OPTIONS_MERGE] = &merge_command_argp,
		[OPTIONS_DIFF] = &diff_command_argp, [OPTIONS_FILTER] = &filter_command_argp,
		[OPTIONS_CONVERT] = &convert_command_argp, [OPTIONS_CHECK] = &check_command_argp,
		[OPTIONS_TOP] = &top_command_argp, [OPTIONS_TREE] = &tree_command_argp,
		[OPTIONS_PEEK] = &peek_command_argp, [OPTIONS_TRACES] = &traces_command_argp,
		[OPTIONS_TAGS] = &tags_command_argp, [OPTIONS_COMMENTS] = &comments_command_argp,
		[OPTIONS_RAW] = &raw_command_argp,
	};

	return argps[command];
}
