// SPDX-License-Identifier: GPL-2.0
#include "procfs/resource_usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Keys of /proc/PID/status, and the names that are printed for them. MaxRSS is Go's name; Go
 * prints it last.
 */
static const char *const status_lines[][2] = {
	{ "VmPeak:", "VmPeak" }, { "VmSize:", "VmSize" }, { "VmRSS:", "VmRSS" },
	{ "RssAnon:", "RssAnon" }, { "RssFile:", "RssFile" }, { "VmData:", "VmData" },
	{ "VmStk:", "VmStk" }, { "VmSwap:", "VmSwap" }, { "Threads:", "Threads" },
	{ "VmHWM:", "MaxRSS" },
};

#define NR_LINES	(sizeof(status_lines) / sizeof(*status_lines))

static FILE *open_proc(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

/*
 * The name of the process stands in parentheses and may contain any bytes, also parentheses. So
 * the numbers start after the last ")".
 */
static void print_stat(FILE *out, pid_t pid)
{
	uint64_t minor, major, user, system;
	char line[1024] = "", *end;
	FILE *f = open_proc(pid, "stat");
	double hz = sysconf(_SC_CLK_TCK);

	if (!f)
		return;
	line[fread(line, 1, sizeof(line) - 1, f)] = 0;
	fclose(f);
	end = strrchr(line, ')');
	if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64
			   " %*u %" SCNu64 " %" SCNu64, &minor, &major, &user, &system) != 4)
		return;
	fprintf(out, "# MinorFaults = %" PRIu64 "\n# MajorFaults = %" PRIu64 "\n", minor, major);
	fprintf(out, "# UserTime = %.2f\n# SystemTime = %.2f\n", user / hz, system / hz);
}

/* The name in this file cannot look like a line: the kernel escapes newlines in it. */
static void read_status(FILE *f, uint64_t *values)
{
	char line[256], unit[4];
	uint64_t value;

	while (fgets(line, sizeof(line), f)) {
		for (size_t i = 0; i < NR_LINES; i++) {
			size_t len = strlen(status_lines[i][0]);

			unit[0] = 0;
			if (!strncmp(line, status_lines[i][0], len) &&
			    sscanf(line + len, "%" SCNu64 " %3s", &value, unit) > 0)
				values[i] = strcmp(unit, "kB") ? value : value * 1024;
		}
	}
}

static void print_status(FILE *out, pid_t pid)
{
	uint64_t values[NR_LINES] = { 0 };
	FILE *f = open_proc(pid, "status");

	if (!f)
		return;
	read_status(f, values);
	fclose(f);
	for (size_t i = 0; i < NR_LINES; i++)
		if (values[i])
			fprintf(out, "# %s = %" PRIu64 "\n", status_lines[i][1], values[i]);
}

void resource_usage_print(FILE *out, pid_t pid)
{
	print_stat(out, pid);
	print_status(out, pid);
}
