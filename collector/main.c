// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/capabilities.h"
#include "base/stop_signals.h"
#include "cli/audit_symbolizer.h"
#include "cli/check_arguments.h"
#include "cli/cmd_audit.h"
#include "cli/cmd_cfi.h"
#include "cli/cmd_check.h"
#include "cli/cmd_convert.h"
#include "cli/cmd_doctor.h"
#include "cli/cmd_flame.h"
#include "cli/cmd_merge.h"
#include "cli/cmd_push.h"
#include "cli/cmd_report.h"
#include "cli/cmd_serve.h"
#include "cli/cmd_status.h"
#include "cli/command_line.h"
#include "cli/options_files.h"
#include "process/command.h"
#include "run/privileges.h"
#include "run/profile_list.h"
#include "run/run.h"
#include "symbol/elf_symbolizer.h"

/* Each mapped file stays open until its symbols are looked up. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns: 0, or a negative errno after it printed the cause. */
static int run_audit(const struct options *options, int stop_fd)
{
	struct audit_config audit = {
		.stacks = options->stacks,
		.json = options->json,
		.pid = options->run.nr_pids ? options->run.pids[0] : 0,
		.comm = options->comm,
		.duration_ns = options->run.duration_ns,
	};
	const struct privileges_seal seal = {
		.asks_servers = options->stacks && elf_symbolizer_has_servers(),
	};
	struct audit_symbolizer *audit_symbolizer = options->stacks ? audit_symbolizer_new() : NULL;
	int err = privileges_seal(&seal);

	if (audit_symbolizer) {	/* without it the audit prints bare addresses */
		audit.name_stack = audit_symbolizer_name;
		audit.name_ctx = audit_symbolizer;
		audit.name_fd = audit_symbolizer_fd(audit_symbolizer);
		audit.name_prepare = audit_symbolizer_prepare;
	}
	if (!err)
		err = cmd_audit_run(&audit, stdout, stop_fd);
	audit_symbolizer_free(audit_symbolizer);
	return err;
}

/*
 * Returns the capabilities that only some commands need. doctor keeps NET_ADMIN, since it prints
 * which rights audit and status will have.
 */
static uint64_t needed_capabilities(const struct options *options)
{
	switch (options->command) {
	case OPTIONS_AUDIT:
	case OPTIONS_STATUS:
	case OPTIONS_DOCTOR:
		return CAPABILITIES_BIT(CAP_NET_ADMIN);
	case OPTIONS_PROFILE:
		return options->run.kernel ? CAPABILITIES_BIT(CAP_SYSLOG) : 0;
	default:
		return 0;
	}
}

/*
 * Call this before the first thread starts, and before a file of another user is opened.
 * Returns: 0, or a negative errno after it printed the cause.
 */
static int drop_privileges(const struct options *options)
{
	int err = privileges_drop(needed_capabilities(options));

	if (err)
		warnx("cannot give up capabilities: %s: allow this service or container capset() and "
		      "prctl()", strerror(-err));
	return err;
}

/* Returns: 0, or -1 after it printed the cause. */
static int profile(const struct options *options, const struct command_start *start, int stop_fd)
{
	struct command *program = NULL;

	if (options->run.program) {
		program = command_new(options->run.program, start);
		if (!program) {
			warnx("cannot start a process: %s: end other processes, or raise 'ulimit -u'",
			      strerror(errno));
			return -1;
		}
	}
	if (!drop_privileges(options))
		return run_profile(&options->run, &options->push, stop_fd, program);
	command_free(program);
	return -1;
}

/* A signal may kill it: it has nothing to clean up. */
static int run_cfi(const struct options *options)
{
	if (privileges_seal(&(struct privileges_seal){ 0 }))
		return -1;
	return cmd_cfi_run(options->elf_files.items, options->elf_files.nr, options->check, stdout);
}

/*
 * Runs a command that reads profiles. A signal may kill it: then no file has the output's name.
 * Returns: 0, or a negative errno after it printed the cause.
 */
static int run_files(const struct options *options)
{
	switch (options->command) {
	case OPTIONS_FLAME:
		return cmd_flame_run(&options->read);
	case OPTIONS_CHECK:
		return cmd_check_run(&options->read, stdout);
	case OPTIONS_MERGE:
	case OPTIONS_DIFF:
		return cmd_merge_run(&options->read);
	case OPTIONS_CONVERT:
		return cmd_convert_run(&options->read);
	case OPTIONS_FILTER:
		return cmd_merge_run_filter(&options->read);
	default:
		return cmd_report_run(REPORT_TOP + (options->command - OPTIONS_TOP),
				      &options->read);
	}
}

/* Returns: 0, or not 0 after it printed the cause. */
static int run_command(const struct options *options)
{
	struct command_start start;
	int stop_fd;

	command_start_now(&start);
	if (options->command != OPTIONS_PROFILE && drop_privileges(options))
		return -1;
	if (options->command == OPTIONS_CFI)
		return run_cfi(options);
	if (options->command == OPTIONS_PUSH)
		return cmd_push_run(&options->push, &options->read.files);
	if (options_files_argp(options->command))
		return run_files(options);
	stop_fd = stop_open();
	if (stop_fd < 0) {
		warnx("cannot watch for signals: %s: raise 'ulimit -n'", strerror(errno));
		return -1;
	}
	raise_file_limit();
	switch (options->command) {
	case OPTIONS_AUDIT:
		return run_audit(options, stop_fd);
	case OPTIONS_STATUS:
		return cmd_status_run(stdout);
	case OPTIONS_DOCTOR:
		return cmd_doctor_run(options->run.nr_pids ? options->run.pids[0] : 0, stdout);
	case OPTIONS_LIST:
		return profile_list_print(options->run.pids[0], stdout);
	case OPTIONS_SERVE:
		return cmd_serve_run(&options->run, &options->serve, stop_fd);
	case OPTIONS_PROFILE:
	default:
		break;
	}
	return profile(options, &start, stop_fd);
}

int main(int argc, char **argv)
{
	struct options c;
	int err;

	command_line_parse(&c, argc, argv);
	err = check_arguments(&c);
	if (!err)
		err = run_command(&c);
	options_fini(&c);
	if (fflush(stdout)) {
		warnx("cannot write to standard output: %s: check its disk or pipe",
		      strerror(errno));
		err = -1;
	}
	return err ? 1 : 0;
}
