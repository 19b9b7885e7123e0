// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/cmd_audit.h"
#include "cli/cmd_cfi.h"
#include "cli/command_line.h"
#include "cli/cmd_doctor.h"
#include "cli/cmd_list.h"
#include "cli/audit_symbolizer.h"
#include "cli/privileges.h"
#include "process/command.h"
#include "cli/cmd_profile.h"
#include "cli/cmd_status.h"
#include "base/stop_signals.h"

/* Each mapped file is held open until its names are looked up. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int run_audit(const struct options *c, int stop_fd)
{
	struct audit_config audit = {
		.stacks = c->stacks,
		.json = c->json,
		.pid = c->run.nr_pids ? c->run.pids[0] : 0,
		.comm = c->comm,
		.duration_ns = c->run.duration_ns,
	};

	struct audit_symbolizer *audit_symbolizer = c->stacks ? audit_symbolizer_new() : NULL;
	int err;

	if (audit_symbolizer) {	/* else cmd_audit_run() fails too, and tells why */
		audit.name_stack = audit_symbolizer_name;
		audit.name_ctx = audit_symbolizer;
		audit.name_fd = audit_symbolizer_fd(audit_symbolizer);
		audit.name_prepare = audit_symbolizer_prepare;
	}
	err = cmd_audit_run(&audit, stdout, stop_fd);
	audit_symbolizer_free(audit_symbolizer);
	return err;
}

/* What doctor tells of are the rights that audit and status will have. */
static bool needs_net_admin(const struct options *c)
{
	return c->command == OPTIONS_AUDIT || c->command == OPTIONS_STATUS ||
	       c->command == OPTIONS_DOCTOR;
}

/* Before there is a thread, and before a file of somebody's is opened. */
static int drop_privileges(const struct options *c)
{
	int err = privileges_drop(needs_net_admin(c));

	if (err)
		warnx("cannot give up capabilities: %s: let this service or container call capset() "
		      "and prctl()", strerror(-err));
	return err;
}

static int profile(const struct options *c, const struct command_start *start, int stop_fd)
{
	struct command *program = NULL;

	if (c->run.program) {
		program = command_new(c->run.program, start);
		if (!program) {
			warnx("cannot start a process: %s: end others, or raise their limit ('ulimit "
			      "-u')", strerror(errno));
			return -1;
		}
	}
	if (!drop_privileges(c))
		return cmd_profile_run(&c->run, stop_fd, program);
	command_free(program);
	return -1;
}

static int run_command(const struct options *c)
{
	struct command_start start;
	int stop_fd;

	command_start_now(&start);
	if (c->command != OPTIONS_PROFILE && drop_privileges(c))
		return -1;
	if (c->command == OPTIONS_CFI)	/* has nothing to end well: a signal kills it */
		return cmd_cfi_run(c->files, c->nr_files, c->check, stdout);
	stop_fd = stop_open();
	if (stop_fd < 0) {
		warn("cannot watch for signals");
		return -1;
	}
	raise_file_limit();
	switch (c->command) {
	case OPTIONS_AUDIT:
		return run_audit(c, stop_fd);
	case OPTIONS_STATUS:
		return cmd_status_run(stdout);
	case OPTIONS_DOCTOR:
		return cmd_doctor_run(c->run.nr_pids ? c->run.pids[0] : 0, stdout);
	case OPTIONS_LIST:
		return cmd_list_run(c->run.pids[0], stdout);
	case OPTIONS_PROFILE:
	case OPTIONS_CFI:
		break;
	}
	return profile(c, &start, stop_fd);
}

int main(int argc, char **argv)
{
	struct options c;
	int err;

	command_line_parse(&c, argc, argv);
	err = run_command(&c);
	options_fini(&c);
	if (fflush(stdout)) {
		warn("cannot write to standard output");
		err = -1;
	}
	return err ? 1 : 0;
}
