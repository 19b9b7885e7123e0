// SPDX-License-Identifier: GPL-2.0
#include "serve/module_state.h"

#include <err.h>
#include <unistd.h>

/* /dev/pprof is no sign: a container may keep the node of a device after the module was removed. */
bool module_state_is_loaded(void)
{
	return !access("/sys/module/pprof", F_OK);
}

void module_state_watch(void)
{
	static bool is_missed;
	bool is_loaded = module_state_is_loaded();

	if (is_loaded == !is_missed)
		return;
	is_missed = !is_loaded;
	if (is_missed)
		warnx("the module pprof is not loaded, so requests for profiles fail: run 'modprobe pprof'");
	else
		warnx("the module pprof is loaded: profiles are taken again");
}
