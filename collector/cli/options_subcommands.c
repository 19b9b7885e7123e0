// SPDX-License-Identifier: GPL-2.0
#include "cli/options_subcommands.h"

#include "cli/option_values.h"
#include "cli/options.h"

enum {
	KEY_STACKS = 256,
	KEY_JSON,
	KEY_COMM,
	KEY_CHECK,
};

static const struct argp_option audit_options[] = {
	{ "pid", 'p', "PID", 0, "Print only threads that this process creates.", 0 },
	{ "comm", KEY_COMM, "NAME", 0, "Print only threads whose creator has this name.", 0 },
	{ "stacks", KEY_STACKS, NULL, 0,
	  "Print the stack of the creator, too. It is found by frame pointers.", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print one JSON object a line.", 0 },
	{ "seconds", 's', "N", 0,
	  "End after N seconds. The default is to end at an interrupt.", 0 },
	{ 0 },
};

static error_t parse_audit(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		option_pid(state, &options->run, arg);
		return 0;
	case 's':
		options->run.duration_ns = option_seconds(state, arg);
		return 0;
	case KEY_COMM:
		options->comm = arg;
		return 0;
	case KEY_STACKS:
		options->stacks = true;
		return 0;
	case KEY_JSON:
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		option_fail(state, "audit", arg, "takes options only: see audit --help");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp options_audit_argp = {
	.options = audit_options,
	.parser = parse_audit,
	.doc = "Print thread creations of the whole system as they happen.",
};

static const struct argp_option no_options[] = { { 0 } };

static error_t parse_status(int key, char *arg, struct argp_state *state)
{
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	option_fail(state, "status", arg, "takes no arguments: leave it out");
	return 0;
}

const struct argp options_status_argp = {
	.options = no_options,
	.parser = parse_status,
	.doc = "List the sessions of the module and their counters.",
};

static const struct argp_option list_options[] = {
	{ "pid", 'p', "PID", 0, "List the profiles of this process.", 0 },
	{ 0 },
};

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		option_pid(state, &options->run, arg);
		return 0;
	case ARGP_KEY_ARG:
		option_fail(state, "list", arg, "takes only --pid PID: leave it out");
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!options->run.nr_pids)
			argp_failure(state, 2, 0, "cannot list profiles without a process: give --pid PID");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp options_list_argp = {
	.options = list_options,
	.parser = parse_list,
	.doc = "List the profile types and the profiles that a process keeps itself, with counts.",
};

static const struct argp_option doctor_options[] = {
	{ "pid", 'p', "PID", 0, "Check also what a profile of this process would lack.", 0 },
	{ 0 },
};

static error_t parse_doctor(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		option_pid(state, &options->run, arg);
		return 0;
	case ARGP_KEY_ARG:
		option_fail(state, "doctor", arg, "takes only --pid PID: leave it out");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp options_doctor_argp = {
	.options = doctor_options,
	.parser = parse_doctor,
	.doc = "Find what prevents profiles or makes them incomplete, and print a remedy for each.",
};

static const struct argp_option cfi_options[] = {
	{ "check", KEY_CHECK, NULL, 0, "Compare each row with the one that libdw computes.", 0 },
	{ 0 },
};

static error_t parse_cfi(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_CHECK:
		options->check = true;
		return 0;
	case ARGP_KEY_ARG:
		option_path(state, &options->elf_files, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_failure(state, 2, 0, "nothing to compile: name at least one ELF file");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp options_cfi_argp = {
	.options = cfi_options,
	.parser = parse_cfi,
	.args_doc = "FILE...",
	.doc = "Compile the unwind tables of ELF files and print their sizes.",
};
