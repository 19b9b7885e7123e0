// SPDX-License-Identifier: GPL-2.0
#include "cli/command_line.h"

#include "cli/options_files.h"
#include "cli/options_profile.h"
#include "cli/options_push.h"
#include "cli/options_serve.h"
#include "cli/options_subcommands.h"

const char *argp_program_version = "pprof-collect " VERSION;

static const struct argp *const argps[] = {
	[OPTIONS_PROFILE] = &options_profile_argp, [OPTIONS_AUDIT] = &options_audit_argp,
	[OPTIONS_STATUS] = &options_status_argp,   [OPTIONS_DOCTOR] = &options_doctor_argp,
	[OPTIONS_CFI] = &options_cfi_argp,	   [OPTIONS_LIST] = &options_list_argp,
	[OPTIONS_PUSH] = &options_push_argp,
	[OPTIONS_SERVE] = &options_serve_argp,
};

/* ARGP_IN_ORDER: parsing ends at the program's name, so its options stay its own. */
void command_line_parse(struct options *options, int argc, char **argv)
{
	const struct argp *files;
	int skip;

	options_init(options, argc > 1 ? options_find_command(argv[1]) : OPTIONS_PROFILE);
	skip = options->command != OPTIONS_PROFILE;
	argv[skip] = argv[0];
	argp_err_exit_status = 2;
	files = options_files_argp(options->command);
	argp_parse(files ? files : argps[options->command], argc - skip, argv + skip,
		   files ? OPTIONS_FILES_FLAGS : ARGP_IN_ORDER, NULL, options);
}
