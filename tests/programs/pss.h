/* SPDX-License-Identifier: GPL-2.0 */
/* The PSS of processes, in KiB. A page that n processes map counts as an nth for each of them. */
#ifndef TESTS_PROGRAMS_PSS_H
#define TESTS_PROGRAMS_PSS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Returns the number after a name at the start of a line, or 0. */
static inline long number_in(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[256];
	long value = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)))
			continue;
		value = atol(line + strlen(name));
		break;
	}
	if (file)
		fclose(file);
	return value;
}

static inline long pss_kib(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	return number_in(path, "Pss:");
}

/* Also of its children: deeper trees do not occur. */
static inline long pss_of_all_kib(pid_t pid)
{
	long sum = pss_kib(pid);
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	file = fopen(path, "r");
	while (file && fscanf(file, "%d", &child) == 1)
		sum += pss_kib(child);
	if (file)
		fclose(file);
	return sum;
}

#endif
