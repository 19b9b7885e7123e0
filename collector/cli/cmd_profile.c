// SPDX-License-Identifier: GPL-2.0
#include "cli/cmd_profile.h"

#include "cli/profile_loop.h"
#include "cli/profile_prepare.h"
#include "cli/profile_results.h"
#include "cli/profile_run.h"
#include "cli/profile_windows.h"

int cmd_profile_run(const struct settings *settings, int stop_fd, struct command *program)
{
	struct profile_run r;
	int err;

	profile_run_init(&r, settings, stop_fd, program);
	err = profile_prepare(&r);
	if (!err)
		err = profile_loop(&r);
	if (!err)
		err = settings->every_ns ? profile_windows_results(&r) : profile_results(&r);
	profile_run_fini(&r);
	return err;
}
