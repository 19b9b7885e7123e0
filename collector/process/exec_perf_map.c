// SPDX-License-Identifier: GPL-2.0
#include "process/exec_perf_map.h"

#include <stdbool.h>
#include <time.h>

#include "base/clock.h"
#include "process/address_space.h"
#include "process/exec_image.h"
#include "process/mapped_files.h"
#include "procfs/maps.h"

/*
 * The longest time between two searches of exec_perf_map_poll(). The time doubles from
 * EXEC_PERF_MAP_RETRY_NS: most programs with code without a file never write a perf map.
 */
#define MAX_WAIT_NS	(64 * EXEC_PERF_MAP_RETRY_NS)

uint32_t exec_perf_map_find(struct exec_image *exec, struct mapped_files *files,
			    struct device *dev)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint32_t file;
	bool is_new;

	if (exec->perfmap != MAPPED_FILES_NONE || now - exec->perfmap_ns < EXEC_PERF_MAP_RETRY_NS)
		return exec->perfmap;
	is_new = exec->perfmap_ns > 1;
	exec->perfmap_ns = now;
	file = mapped_files_intern_perfmap(files, exec->pid, exec->inherited, is_new);
	if (file == MAPPED_FILES_NONE || !exec_image_runs(exec, dev))
		return MAPPED_FILES_NONE;
	for (struct address_space *epoch = exec->newest; epoch; epoch = epoch->before) {
		maps_replace_file(epoch->maps, MAPPED_FILES_NONE, file);
		maps_replace_file(epoch->maps, exec->inherited, file);
	}
	exec->perfmap = file;
	return file;
}

void exec_perf_map_poll(struct exec_image *exec, struct mapped_files *files, struct device *dev,
			uint64_t now)
{
	uint64_t wait_ns = exec->perfmap_wait_ns;

	if (exec->perfmap != MAPPED_FILES_NONE || exec->dead || now - exec->perfmap_ns < wait_ns)
		return;
	if (wait_ns < MAX_WAIT_NS)
		exec->perfmap_wait_ns = wait_ns ? 2 * wait_ns : EXEC_PERF_MAP_RETRY_NS;
	exec_perf_map_find(exec, files, dev);
}
