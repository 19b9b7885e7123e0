// SPDX-License-Identifier: GPL-2.0
#include "run/run.h"

#include <stdbool.h>

#include "push/push_settings.h"
#include "run/profile_loop.h"
#include "run/profile_prepare.h"
#include "run/profile_push.h"
#include "run/profile_results.h"
#include "run/profile_run.h"
#include "run/profile_windows.h"

/* The pusher is forked before the session is opened: it must not have the device. */
static int start_push(struct profile_run *r, const struct push_settings *push)
{
	if (!push->nr)
		return 0;
	r->push = profile_push_start(push, r->settings, profile_run_pid(r));
	return r->push ? 0 : -1;
}

int run_profile(const struct settings *settings, const struct push_settings *push, int stop_fd,
		struct command *program)
{
	struct profile_run r;
	bool is_prepared;
	int err;

	profile_run_init(&r, settings, stop_fd, program);
	err = start_push(&r, push);
	if (!err)
		err = profile_prepare(&r);
	is_prepared = !err;
	if (!err)
		err = profile_loop(&r);
	if (!err)
		err = settings->every_ns ? profile_windows_results(&r) : profile_results(&r);
	profile_run_fini(&r);
	/* The session has ended: a slow backend does not keep it open. */
	return profile_push_end(r.push, &r.stop, !is_prepared) ? -1 : err;
}
