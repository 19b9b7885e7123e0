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
#include "cli/options.h"
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

static int run_audit(const struct config *c, int stop_fd)
{
	struct audit_config audit = {
		.stacks = c->stacks,
		.json = c->json,
		.pid = c->run.nr_pids ? c->run.pids[0] : 0,
		.comm = c->comm,
		.duration_ns = c->run.duration_ns,
	};

	struct namer *namer = c->stacks ? namer_new() : NULL;
	int err;

	if (namer) {	/* else audit_run() fails too, and tells why */
		audit.name_stack = namer_name;
		audit.name_ctx = namer;
		audit.name_fd = namer_fd(namer);
		audit.name_prepare = namer_prepare;
	}
	err = audit_run(&audit, stdout, stop_fd);
	namer_free(namer);
	return err;
}

/* What doctor tells of are the rights that audit and status will have. */
static bool needs_net_admin(const struct config *c)
{
	return c->command == CONFIG_AUDIT || c->command == CONFIG_STATUS ||
	       c->command == CONFIG_DOCTOR;
}

/* Before there is a thread, and before a file of somebody's is opened. */
static int drop_privileges(const struct config *c)
{
	int err = privileges_drop(needs_net_admin(c));

	if (err)
		warnx("cannot give up capabilities: %s: let this service or container call capset() "
		      "and prctl()", strerror(-err));
	return err;
}

static int profile(const struct config *c, const struct program_start *start, int stop_fd)
{
	struct program *program = NULL;

	if (c->run.program) {
		program = program_new(c->run.program, start);
		if (!program) {
			warnx("cannot start a process: %s: end others, or raise their limit ('ulimit "
			      "-u')", strerror(errno));
			return -1;
		}
	}
	if (!drop_privileges(c))
		return run_profile(&c->run, stop_fd, program);
	program_free(program);
	return -1;
}

static int run_command(const struct config *c)
{
	struct program_start start;
	int stop_fd;

	program_note_start(&start);
	if (c->command != CONFIG_PROFILE && drop_privileges(c))
		return -1;
	if (c->command == CONFIG_CFI)	/* has nothing to end well: a signal kills it */
		return cfishow_run(c->files, c->nr_files, c->check, stdout);
	stop_fd = stop_open();
	if (stop_fd < 0) {
		warn("cannot watch for signals");
		return -1;
	}
	raise_file_limit();
	switch (c->command) {
	case CONFIG_AUDIT:
		return run_audit(c, stop_fd);
	case CONFIG_STATUS:
		return status_run(stdout);
	case CONFIG_DOCTOR:
		return doctor_run(c->run.nr_pids ? c->run.pids[0] : 0, stdout);
	case CONFIG_LIST:
		return list_run(c->run.pids[0], stdout);
	case CONFIG_PROFILE:
	case CONFIG_CFI:
		break;
	}
	return profile(c, &start, stop_fd);
}

int main(int argc, char **argv)
{
	struct config c;
	int err;

	config_parse(&c, argc, argv);
	err = run_command(&c);
	config_fini(&c);
	if (fflush(stdout)) {
		warn("cannot write to standard output");
		err = -1;
	}
	return err ? 1 : 0;
}
