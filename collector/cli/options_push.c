// SPDX-License-Identifier: GPL-2.0
#include "cli/options_push.h"

#include <ctype.h>
#include <stdlib.h>

#include "cli/option_values.h"
#include "cli/options.h"

enum {
	KEY_PUSH = 256,
	KEY_AUTH,
	KEY_TENANT,
	KEY_CERT,
	KEY_KEY,
	KEY_CA,
	KEY_REGION,
	KEY_LABEL,
	KEY_SPOOL,
};

static const struct argp_option to_options[] = {
	{ "to", KEY_PUSH, "KIND=URL", 0,
	  "Send the profiles to pyroscope=URL, parca=URL, otlp=URL, http=URL or s3=URL. Several "
	  "are possible.", 0 },
	{ 0 },
};

static const struct argp_option run_options[] = {
	{ "push", KEY_PUSH, "KIND=URL", 0,
	  "Send the profiles to pyroscope=URL, parca=URL, otlp=URL, http=URL or s3=URL, too. Several "
	  "are possible.", 0 },
	{ "push-spool", KEY_SPOOL, "FOLDER", 0,
	  "Keep in this folder what could not be sent, until a later run can. Without it, profiles "
	  "wait in memory, and their files stay.", 0 },
	{ 0 },
};

static const struct argp_option backend_options[] = {
	{ "push-auth", KEY_AUTH, "FILE", 0,
	  "A file with USER:PASSWORD or a bearer token for the backend before this option; for "
	  "s3 with KEY:SECRET or KEY:SECRET:SESSION.", 0 },
	{ "push-tenant", KEY_TENANT, "NAME", 0,
	  "The tenant (X-Scope-OrgID) at the backend before this option.", 0 },
	{ "push-cert", KEY_CERT, "FILE", 0,
	  "The client certificate for the backend before this option, in PEM.", 0 },
	{ "push-key", KEY_KEY, "FILE", 0,
	  "The key of that certificate. The default is that it is in the same file.", 0 },
	{ "push-ca", KEY_CA, "FILE", 0,
	  "Trust these certificates of servers, in PEM, for the backend before this option, "
	  "and not those of the system.", 0 },
	{ "push-region", KEY_REGION, "NAME", 0,
	  "The region of the s3 backend before this option. The default is the one in Amazon's "
	  "name of the host, or us-east-1.", 0 },
	{ "label", KEY_LABEL, "NAME=VALUE", 0,
	  "Send the profiles with this label. Several are possible.", 0 },
	{ 0 },
};

static void add_backend(struct argp_state *state, struct push_settings *s, const char *arg)
{
	struct push_backend *all = reallocarray(s->backends, s->nr + 1, sizeof(*all));
	const char *wrong;

	if (!all)
		argp_failure(state, 1, 0, "cannot read the backends: out of memory: free memory");
	s->backends = all;
	wrong = push_backend_parse(&all[s->nr], arg);
	if (wrong)
		option_fail(state, "backend", arg, wrong);
	s->nr++;
}

/* Returns: the backend that was named last. Ends the program if there is none. */
static struct push_backend *last(struct argp_state *state, const char *option, const char *arg)
{
	struct push_settings *s = &((struct options *)state->input)->push;

	if (!s->nr)
		option_fail(state, option, arg, "is for the backend before it: name that first");
	return &s->backends[s->nr - 1];
}

/* Refuses blanks and control characters: a newline could begin another header. Returns: arg. */
static const char *parse_word(struct argp_state *state, const char *option, const char *arg)
{
	for (const char *c = arg; *c || c == arg; c++)
		if (!isgraph((unsigned char)*c))
			option_fail(state, option, arg, "must be a word of ASCII");
	return arg;
}

static void parse_label(struct argp_state *state, struct push_settings *s, const char *arg)
{
	const char *wrong = push_labels_parse(&s->labels, arg);

	if (wrong)
		option_fail(state, "--label", arg, wrong);
}

static error_t parse_backend(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_PUSH:
		add_backend(state, &options->push, arg);
		return 0;
	case KEY_AUTH:
		last(state, "--push-auth", arg)->auth_file = arg;
		return 0;
	case KEY_TENANT:
		last(state, "--push-tenant", arg)->tenant = parse_word(state, "--push-tenant", arg);
		return 0;
	case KEY_CERT:
		last(state, "--push-cert", arg)->cert_file = arg;
		return 0;
	case KEY_KEY:
		last(state, "--push-key", arg)->key_file = arg;
		return 0;
	case KEY_CA:
		last(state, "--push-ca", arg)->ca_file = arg;
		return 0;
	case KEY_REGION:
		last(state, "--push-region", arg)->region = parse_word(state, "--push-region", arg);
		return 0;
	case KEY_SPOOL:
		options->push.spool = arg;
		return 0;
	case KEY_LABEL:
		parse_label(state, &options->push, arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_push(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case ARGP_KEY_ARG:
		option_path(state, &options->read.files, arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (!options->read.files.nr)
			argp_failure(state, 2, 0, "nothing to send: name a profile");
		if (!options->push.nr)
			argp_failure(state, 2, 0, "there is no backend: give --to KIND=URL");
		return 0;
	}
	return parse_backend(key, arg, state);
}

/* Refuses options without an effect: they would hide a mistake. */
static error_t parse_run(int key, char *arg, struct argp_state *state)
{
	struct push_settings *s = &((struct options *)state->input)->push;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = state->input;
	if (key == ARGP_KEY_SUCCESS && !s->nr && (s->spool || s->labels.nr))
		argp_failure(state, 2, 0, "--push-spool and --label are for profiles that are sent: "
			     "give --push KIND=URL, too");
	return parse_backend(key, arg, state);
}

static const struct argp backend_argp = { .options = backend_options, .parser = parse_backend };

static const struct argp_child push_children[] = { { &backend_argp, 0, NULL, 0 }, { 0 } };

const struct argp options_push_run_argp = {
	.options = run_options, .parser = parse_run, .children = push_children,
};

const struct argp options_push_argp = {
	.options = to_options,
	.parser = parse_push,
	.children = push_children,
	.args_doc = "FILE...",
	.doc = "Send profiles that are in files to Pyroscope, Parca, an OpenTelemetry collector, or "
		"any server that takes files.",
};
