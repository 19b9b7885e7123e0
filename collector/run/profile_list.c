// SPDX-License-Identifier: GPL-2.0
#include "run/profile_list.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/error_text.h"
#include "device/device.h"
#include "aggregate/profile_types.h"

#define MAX_LINES	(PROFILE_TYPE_NR + PPROF_MAX_CUSTOM_PROFILES)

struct line {
	const char *name;
	uint64_t count;
};

/* Returns 0 if /proc hides the process: proc(5), hidepid. */
static uint64_t count_threads(pid_t pid)
{
	const struct dirent *entry;
	uint64_t nr = 0;
	char path[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static int add_types(struct line *lines, pid_t pid)
{
	uint64_t nr_threads = count_threads(pid);
	int nr = 0;

	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++) {
		const char *name = profile_types_get(profile_type, false)->name;

		if (!name || profile_type == PROFILE_TYPE_CUSTOM)
			continue;
		if (profile_type == PROFILE_TYPE_THREAD && !nr_threads)
			continue;
		lines[nr].name = name;
		lines[nr++].count = profile_type == PROFILE_TYPE_THREAD ? nr_threads : 0;
	}
	return nr;
}

static int by_name(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void print_lines(FILE *out, pid_t pid, const struct pprof_custom_name *names, int nr_names)
{
	struct line lines[MAX_LINES];
	int nr = add_types(lines, pid);

	for (int i = 0; i < nr_names; i++)
		lines[nr++] = (struct line){ (const char *)names[i].name, names[i].count };
	qsort(lines, nr, sizeof(*lines), by_name);
	for (int i = 0; i < nr; i++)
		fprintf(out, "%s %" PRIu64 "\n", lines[i].name, lines[i].count);
}

int profile_list_print(pid_t pid, FILE *out)
{
	struct pprof_custom_name names[PPROF_MAX_CUSTOM_PROFILES];
	struct device *d = device_open();
	int nr;

	if (!d) {
		device_error_print_open();
		return -1;
	}
	nr = device_custom_list(d, pid, names, PPROF_MAX_CUSTOM_PROFILES);
	device_close(d);
	if (nr < 0) {
		device_error_print_custom(pid, nr);
		return -1;
	}
	print_lines(out, pid, names, nr);
	return 0;
}
