// SPDX-License-Identifier: GPL-2.0
#include "cli/options_files.h"

#include <string.h>
#include <unistd.h>

#include "cli/file_settings.h"
#include "cli/option_values.h"

enum {
	KEY_TYPE = 256,
	KEY_NORMALIZE,
	KEY_FOR,
};

static const struct argp_option flame_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the graph to this file: an SVG if its name ends in .svg, else a page.", 0 },
	{ "type", KEY_TYPE, "NAME", 0,
	  "Show this sample type first. The default is the profile's.", 0 },
	{ 0 },
};

static const struct argp_option merge_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the sum to this file, and replace it. The default is the standard output.", 0 },
	{ 0 },
};

static const struct argp_option diff_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write the difference to this file, and replace it. The default is the standard output.",
	  0 },
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

/* What follows the name of a report is parsed as if that were the command. */
static void parse_report(struct argp_state *state, struct options *c, const char *name)
{
	int first = state->next - 1;

	c->command = options_find_command(name);
	if (c->command != OPTIONS_FLAME)
		option_fail(state, "diff", name, "takes two profiles, then flame or --output FILE");
	state->argv[first] = state->argv[0];
	state->next = state->argc;
	argp_parse(options_files_argp(c->command), state->argc - first, state->argv + first,
		   OPTIONS_FILES_FLAGS, NULL, c);
}

static void parse_file(struct argp_state *state, struct options *c, char *file)
{
	if (!c->is_diff || !c->read.bases.nr || !c->read.files.nr)
		option_path(state, c->is_diff && !c->read.bases.nr ? &c->read.bases :
								     &c->read.files, file);
	else if (c->command == OPTIONS_DIFF)
		parse_report(state, c, file);
	else
		option_fail(state, "diff", file, "takes two profiles: leave it out");
}

static bool writes_text(enum options_command command)
{
	return command == OPTIONS_CHECK;
}

static void check_all(struct argp_state *state, const struct options *c)
{
	if (!c->read.files.nr)
		argp_failure(state, 2, 0, c->is_diff ? "nothing to compare: name two profiles" :
						       "nothing to read: name a profile");
	if (!c->read.output && !writes_text(c->command) && isatty(STDOUT_FILENO))
		argp_failure(state, 2, 0, "a terminal cannot show it: give --output FILE");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *c = state->input;

	switch (key) {
	case 'o':
		c->read.output = arg;
		return 0;
	case KEY_TYPE:
		c->read.type = arg;
		return 0;
	case KEY_NORMALIZE:
		c->read.normalize = true;
		return 0;
	case KEY_FOR:
		c->read.reader = parse_reader(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		parse_file(state, c, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check_all(state, c);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp flame_argp = {
	.options = flame_options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Draw profiles as a flame graph: a page for a browser, or an SVG.",
};

static const struct argp merge_argp = {
	.options = merge_options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Add profiles up, and write the sum as a profile.",
};

static const struct argp diff_argp = {
	.options = diff_options,
	.parser = parse_option,
	.args_doc = "BASE NEW [flame [OPTION...]]",
	.doc = "Subtract a profile from another one, and write the difference as a profile or as a "
	       "flame graph.",
};

static const struct argp check_argp = {
	.options = check_options,
	.parser = parse_option,
	.args_doc = "FILE...",
	.doc = "Check whether profiles are valid.",
};

const struct argp *options_files_argp(enum options_command command)
{
	switch (command) {
	case OPTIONS_FLAME:
		return &flame_argp;
	case OPTIONS_MERGE:
		return &merge_argp;
	case OPTIONS_DIFF:
		return &diff_argp;
	case OPTIONS_CHECK:
		return &check_argp;
	default:
		return NULL;
	}
}
