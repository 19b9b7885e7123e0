// SPDX-License-Identifier: GPL-2.0
#include "serve/usage.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/metrics.h"

/* Returns the CPU time of a process and of its children that have ended, in s: proc(5). */
static double cpu_seconds(pid_t pid)
{
	unsigned long long user = 0, system = 0;
	long long user_children = 0, system_children = 0;
	char path[32], text[1024] = "";
	const char *name_end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	name_end = strrchr(text, ')');	/* a name may hold blanks and brackets */
	if (name_end)
		sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld",
		       &user, &system, &user_children, &system_children);
	return (double)(user + system + user_children + system_children) / sysconf(_SC_CLK_TCK);
}

static uint64_t resident_bytes(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%*u %llu", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

void serve_usage_measure(struct metrics *m, pid_t runner)
{
	m->cpu_seconds = cpu_seconds(getpid()) + cpu_seconds(runner);
	m->resident_bytes = resident_bytes();
}
