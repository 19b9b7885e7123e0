// SPDX-License-Identifier: GPL-2.0
#include "pprof/frame_name.h"

#include <stdio.h>
#include <string.h>

bool frame_name_is_synthetic(const char *name)
{
	return !strncmp(name, "[truncated: ", 12) || !strncmp(name, "lostProfileEvent", 16) ||
	       !strcmp(name, "lostContendedLock");
}

char *frame_name_unknown(const char *module)
{
	char *name;

	if (!*module)
		return strdup("<unknown>");
	if (*module == '[')
		return strdup(module);
	return asprintf(&name, "[%s]", module) < 0 ? NULL : name;
}
