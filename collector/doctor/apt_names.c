// SPDX-License-Identifier: GPL-2.0
#include "doctor/apt_names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* popen() passes prefix to a shell: only characters of package names are allowed. */
static bool is_safe(const char *prefix)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz0123456789.+-";

	return *prefix != '-' && !prefix[strspn(prefix, safe)];
}

static void read_names(FILE *names, apt_names_fn fn, void *ctx)
{
	char line[512];

	while (fgets(line, sizeof(line), names)) {
		line[strcspn(line, "\n")] = 0;
		fn(ctx, line);
	}
}

int apt_names_each(const char *prefix, apt_names_fn fn, void *ctx)
{
	char command[512];
	FILE *names;

	if (!is_safe(prefix) ||
	    snprintf(command, sizeof(command), "exec apt-cache pkgnames %s 2>/dev/null", prefix) >=
		    (int)sizeof(command))
		return -1;
	names = popen(command, "re");
	if (!names)
		return -1;
	read_names(names, fn, ctx);
	return pclose(names) ? -1 : 0;
}
