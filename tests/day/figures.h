/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures of a collector and of the kernel, which must not grow. An hour has the largest value of
 * each, or that of its end.
 */
#ifndef TESTS_DAY_FIGURES_H
#define TESTS_DAY_FIGURES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "../programs/pss.h"

enum {
	CPU_MS,		/* CPU time of the hour, with the processes that write windows */
	PSS_KIB,	/* of the collector between two windows */
	PEAK_KIB,	/* of it and the process that writes a window */
	DESCRIPTORS,
	USED_KIB,	/* memory of the machine that is not available */
	SLAB_KIB,	/* unreclaimable */
	PERCPU_KIB,
	VMALLOC_KIB,
	MODULE_KIB,	/* the part of the module in the one before */
	NR_FIGURES,
};

static const struct {
	const char *name;
	long slack;	/* may grow by this, and by 2 % */
} figure_kinds[NR_FIGURES] = {
	[CPU_MS] = { "CPU ms", 2000 }, [PSS_KIB] = { "PSS", 256 }, [PEAK_KIB] = { "peak", 512 },
	[DESCRIPTORS] = { "fds", 16 }, [USED_KIB] = { "used", 4096 },
	[SLAB_KIB] = { "slab", 1024 }, [PERCPU_KIB] = { "percpu", 256 },
	[VMALLOC_KIB] = { "vmalloc", 1024 }, [MODULE_KIB] = { "module", 256 },
};

struct figures {
	long values[NR_FIGURES];
};

static inline void figure_raise(struct figures *f, int figure, long value)
{
	if (value > f->values[figure])
		f->values[figure] = value;
}

/* Since Linux 6.2 the folder has their number as its size. */
static inline long nr_descriptors(pid_t pid)
{
	struct stat st;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return stat(path, &st) ? 0 : st.st_size;
}

/* Returns the CPU time of a process and of its children that have ended. */
static inline long cpu_ms(pid_t pid)
{
	long ticks[4] = { 0 };
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
			   "%ld %ld %ld %ld", ticks, ticks + 1, ticks + 2, ticks + 3) != 4)
		ticks[0] = 0;
	if (file)
		fclose(file);
	return (ticks[0] + ticks[1] + ticks[2] + ticks[3]) * 10;
}

/* Returns the sum of what the module has allocated by vmalloc(). */
static inline long module_kib(void)
{
	FILE *file = fopen("/proc/vmallocinfo", "r");
	char line[512];
	long bytes = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, "[pprof]"))
			bytes += atol(line + strcspn(line, " "));
	if (file)
		fclose(file);
	return bytes / 1024;
}

static inline void figures_of_kernel(struct figures *f)
{
	static const char meminfo[] = "/proc/meminfo";

	f->values[USED_KIB] = number_in(meminfo, "MemTotal:") - number_in(meminfo, "MemAvailable:");
	f->values[SLAB_KIB] = number_in(meminfo, "SUnreclaim:");
	f->values[PERCPU_KIB] = number_in(meminfo, "Percpu:");
	f->values[VMALLOC_KIB] = number_in(meminfo, "VmallocUsed:");
	f->values[MODULE_KIB] = module_kib();
}

#endif /* TESTS_DAY_FIGURES_H */
