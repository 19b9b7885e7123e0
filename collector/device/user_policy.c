// SPDX-License-Identifier: GPL-2.0
#include "device/user_policy.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest value of kernel.perf_event_paranoid with which users may use perf. */
#define MAX_PARANOID	2

static int read_number(const char *root, const char *name, int *value)
{
	char path[PATH_MAX];
	FILE *file;
	int nr;

	snprintf(path, sizeof(path), "%s%s", root, name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	nr = fscanf(file, "%d", value);
	fclose(file);
	return nr == 1 ? 0 : -1;
}

int user_policy_describe(const char *root, char *text, size_t size)
{
	const char *cause = "the module's parameter users";
	int value, allowed;

	if (read_number(root, "/sys/module/pprof/parameters/users", &value))
		return -1;
	allowed = value;
	if (value < 0) {
		cause = "kernel.perf_event_paranoid";
		if (read_number(root, "/proc/sys/kernel/perf_event_paranoid", &value))
			value = MAX_PARANOID;
		allowed = value <= MAX_PARANOID;
	}
	snprintf(text, size, "%s (%s is %d)", allowed ? "may profile their own processes" :
		 "may not profile", cause, value);
	return 0;
}

bool user_policy_refused(const char *device)
{
	struct stat st;

	if (stat(device, &st))
		return false;
	return (st.st_mode & 0006) == 0006 ||
	       ((st.st_mode & 0060) == 0060 && (st.st_gid == getegid() || group_member(st.st_gid)));
}
