// SPDX-License-Identifier: GPL-2.0
#include "cli/options_serve.h"

#include <string.h>

#include "analysis/regex.h"
#include "cli/keywords.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "pprof/profile_fault.h"

enum {
	KEY_COMM = 256,
	KEY_CGROUP,
	KEY_PROFILE,
	KEY_LISTEN,
	KEY_UNIX,
	KEY_HOST,
	KEY_TOKEN_FILE,
	KEY_TLS_CERT,
	KEY_TLS_KEY,
	KEY_INSECURE,
};

#define DEFAULT_LISTEN	"127.0.0.1:6060"

static const struct argp_option serve_options[] = {
	{ NULL, 0, NULL, 0, "Targets:", 1 },
	{ "pid", 'p', "PID[,PID...]", 0,
	  "Serve profiles of these processes: /debug/pprof/ is of the first one, "
	  "/pid/PID/debug/pprof/ of each.", 1 },
	{ "all", 'a', NULL, 0,
	  "Serve profiles of every process: /debug/pprof/ is of all together. This takes "
	  "CAP_PERFMON.", 1 },
	{ "comm", KEY_COMM, "REGEX", 0,
	  "Serve profiles of the processes whose name matches at the time of a request.", 1 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Serve profiles of this cgroup and of those below it, such as /system.slice/nginx.service: "
	  "/debug/pprof/ is of all their processes together, and has profile, threadcreate, thread "
	  "and growth. This takes CAP_PERFMON.", 1 },
	{ NULL, 0, NULL, 0, "Profile types:", 2 },
	{ "profile", KEY_PROFILE, "TYPE[,TYPE...]", 0,
	  "Count the events of these types from the start of the server, for requests without "
	  "seconds=N: threadcreate, block, mutex, growth, heap, allocs. all means all of these but "
	  "heap and allocs. The other types need no such session.", 2 },
	{ NULL, 0, NULL, 0, "Clients:", 3 },
	{ "listen", KEY_LISTEN, "ADDRESS:PORT", 0,
	  "Listen there. The default is 127.0.0.1:6060. An address that other machines reach "
	  "takes TLS, or a token, or --insecure.", 3 },
	{ "unix", KEY_UNIX, "PATH", 0,
	  "Listen on a socket in the file system, which only this user may open.", 3 },
	{ "host", KEY_HOST, "NAME[,NAME...]", 0,
	  "Allow these names in the header Host, beside IP addresses and localhost.", 3 },
	{ "token-file", KEY_TOKEN_FILE, "FILE", 0,
	  "Refuse clients that do not send the first line of this file, as a bearer token or as "
	  "the password of any user.", 3 },
	{ "tls-cert", KEY_TLS_CERT, "FILE", 0,
	  "Use TLS with this certificate and its chain, in PEM form.", 3 },
	{ "tls-key", KEY_TLS_KEY, "FILE", 0, "The key of that certificate, in PEM form.", 3 },
	{ "insecure", KEY_INSECURE, NULL, 0,
	  "Let any client that reaches --listen read the profiles.", 3 },
	{ 0 },
};

static void parse_comm(struct argp_state *state, struct serve_settings *s, const char *arg)
{
	struct profile_fault fault;

	regex_free(s->comm);
	if (regex_new(&s->comm, arg, strlen(arg), &fault))
		option_fail(state, "--comm", arg, fault.text);
}

static unsigned int parse_types(struct argp_state *state, const char *arg)
{
	return option_keywords(state, "--profile", keywords_types, arg,
			       "the profile types that count from the start are threadcreate, block, "
			       "mutex, growth, heap, allocs and all");
}

static void check_targets(struct argp_state *state, const struct options *options)
{
	int nr = (options->run.nr_pids > 0) + options->run.all + !!options->run.cgroup +
		 !!options->serve.comm;

	if (!nr)
		argp_failure(state, 2, 0, "nothing to serve: give --pid PID, --all, --comm REGEX, or "
			     "--cgroup PATH");
	if (nr > 1)
		argp_failure(state, 2, 0, "--pid, --all, --comm and --cgroup exclude each other: give "
			     "one");
}

static void read_address(struct argp_state *state, struct serve_settings *s)
{
	if (s->listen && s->unix_path)
		argp_failure(state, 2, 0, "--listen and --unix exclude each other: give one");
	if (s->unix_path && listen_address_unix(&s->address, s->unix_path))
		option_fail(state, "--unix", s->unix_path, "must have at most 107 bytes");
	if (s->unix_path)
		return;
	s->listen = s->listen ? s->listen : DEFAULT_LISTEN;
	if (listen_address_read(&s->address, s->listen))
		option_fail(state, "--listen", s->listen, "must be an IP address and a port, such as "
			    DEFAULT_LISTEN " or [::1]:6060");
}

static void check_clients(struct argp_state *state, const struct serve_settings *s)
{
	if (!s->tls_cert != !s->tls_key)
		argp_failure(state, 2, 0, "TLS takes a certificate and its key: give both --tls-cert "
			     "and --tls-key");
	if (!listen_address_is_local(&s->address) && !s->tls_cert && !s->token_file &&
	    !s->is_insecure)
		option_fail(state, "--listen", s->listen, "other machines reach this address: give "
			    "--token-file and --tls-cert, or --insecure to let everyone in");
}

static error_t parse_target(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'p':
		option_pids(state, &options->run, arg);
		return 0;
	case 'a':
		options->run.all = true;
		return 0;
	case KEY_CGROUP:
		options->run.cgroup = option_cgroup(state, arg);
		return 0;
	case KEY_PROFILE:
		options->run.profile_types = parse_types(state, arg);
		return 0;
	case KEY_COMM:
		parse_comm(state, &options->serve, arg);
		return 0;
	case ARGP_KEY_ARG:
		option_fail(state, "serve", arg, "takes options only: see serve --help");
		return 0;
	case ARGP_KEY_SUCCESS:
		check_targets(state, options);
		read_address(state, &options->serve);
		check_clients(state, &options->serve);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_serve(int key, char *arg, struct argp_state *state)
{
	struct serve_settings *s = &((struct options *)state->input)->serve;

	switch (key) {
	case KEY_LISTEN:
		s->listen = arg;
		return 0;
	case KEY_UNIX:
		s->unix_path = arg;
		return 0;
	case KEY_HOST:
		s->hosts = arg;
		return 0;
	case KEY_TOKEN_FILE:
		s->token_file = arg;
		return 0;
	case KEY_TLS_CERT:
		s->tls_cert = arg;
		return 0;
	case KEY_TLS_KEY:
		s->tls_key = arg;
		return 0;
	case KEY_INSECURE:
		s->is_insecure = true;
		return 0;
	}
	return parse_target(key, arg, state);
}

const struct argp options_serve_argp = {
	.options = serve_options,
	.parser = parse_serve,
	.doc = "Serve profiles of running programs by HTTP, as Go's net/http/pprof does.",
};
