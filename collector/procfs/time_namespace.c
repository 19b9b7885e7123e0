// SPDX-License-Identifier: GPL-2.0
#include "procfs/time_namespace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <sys/stat.h>

#define NS_PER_SECOND	INT64_C(1000000000)

int64_t time_namespace_read(FILE *f)
{
	char line[128];
	int64_t seconds, ns;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) == 2)
			return seconds * NS_PER_SECOND + ns;
	return 0;
}

/*
 * timens_offsets belongs to the namespace of future children. After unshare(CLONE_NEWTIME) that
 * is not the namespace of this process: see time_namespaces(7).
 */
static bool is_own_namespace(void)
{
	struct stat own, children;

	return !stat("/proc/self/ns/time", &own) &&
	       !stat("/proc/self/ns/time_for_children", &children) &&
	       own.st_ino == children.st_ino;
}

int64_t time_namespace_offset_ns(void)
{
	FILE *f = is_own_namespace() ? fopen("/proc/self/timens_offsets", "re") : NULL;
	int64_t offset_ns;

	if (!f)
		return 0;
	offset_ns = time_namespace_read(f);
	fclose(f);
	return offset_ns;
}
