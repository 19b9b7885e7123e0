// SPDX-License-Identifier: GPL-2.0
#include "serve/usage.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/metrics.h"
#include "procfs/children.h"

/* Adds the CPU time of a process and of its children that have ended: proc(5). */
static void add_cpu(struct metrics *m, pid_t pid)
{
	unsigned long long user = 0, system = 0;
	long long user_children = 0, system_children = 0;
	double ticks = sysconf(_SC_CLK_TCK);
	char path[32], text[1024] = "";
	const char *name_end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	name_end = strrchr(text, ')');	/* a name may hold blanks and brackets */
	if (name_end)
		sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld",
		       &user, &system, &user_children, &system_children);
	m->user_seconds += (user + user_children) / ticks;
	m->system_seconds += (system + system_children) / ticks;
}

/* Sets the pages of a process, and those of them that are of files or shared: proc(5), statm. */
static void read_memory(pid_t pid, uint64_t *resident, uint64_t *shared)
{
	unsigned long long pages = 0, of_files = 0;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%*u %llu %llu", &pages, &of_files) != 2)
		pages = 0;
	if (f)
		fclose(f);
	*resident = pages;
	*shared = of_files < pages ? of_files : pages;
}

/* A children_visit() callback. */
static int add_process(void *metrics, pid_t pid)
{
	struct metrics *m = metrics;
	uint64_t resident, shared;

	add_cpu(m, pid);
	read_memory(pid, &resident, &shared);
	m->private_bytes += (resident - shared) * sysconf(_SC_PAGESIZE);
	return 0;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

void serve_usage_measure(struct metrics *m)
{
	struct metrics now = { 0 };
	uint64_t shared;

	children_visit(getpid(), add_process, &now);
	add_process(&now, getpid());
	read_memory(getpid(), &m->resident_bytes, &shared);
	m->resident_bytes *= sysconf(_SC_PAGESIZE);
	m->private_bytes = now.private_bytes;
	m->user_seconds = larger(m->user_seconds, now.user_seconds);
	m->system_seconds = larger(m->system_seconds, now.system_seconds);
}
