// SPDX-License-Identifier: GPL-2.0
#include "aggregate/stack_locator.h"

#include <errno.h>

#include "aggregate/raw_stack.h"
#include "device/end_reason.h"

/*
 * With a pid, the program of another process serves until that of pid is found. Without a pid, the
 * first program that is found is final. It need not be that of the first epoch, which may have
 * ended too soon.
 */
int stack_locator_find_exe(struct stack_locator *l, uint32_t epoch)
{
	const struct maps *maps = processes_maps(l->processes, epoch);
	uint32_t exe = processes_exe(l->processes, epoch);
	bool is_main = !l->pid || processes_pid(l->processes, epoch) == l->pid;

	if (exe == MAPPED_FILES_NONE || l->exe_found || (l->exe_mapping >= 0 && !is_main))
		return 0;
	for (size_t i = 0; i < maps_nr(maps); i++) {
		if (maps_at(maps, i)->file != exe)
			continue;
		l->exe_mapping = locations_mapping(l->locations, maps_at(maps, i));
		l->exe_found = is_main;
		return l->exe_mapping == -ENOMEM ? -ENOMEM : 0;
	}
	return 0;
}

/*
 * A return address is that of the instruction after the call, which may belong to another line
 * or function. The byte before it belongs to the call.
 */
static int64_t locate(struct stack_locator *l, const struct maps *maps, uint64_t address,
		      bool is_return)
{
	return locations_intern(l->locations, maps, address - is_return);
}

int stack_locator_find(struct stack_locator *l, uint32_t source, const struct tuple *raw,
		       uint64_t *ids)
{
	const struct maps *maps = processes_maps(l->processes, raw_stack_epoch(raw->tag));
	uint32_t end = raw_stack_end_reason(raw->tag), nr = raw->nr_frames;
	int64_t id;

	for (uint32_t i = 0; i < nr; i++) {
		id = locate(l, maps, raw->frames[i], i || raw_stack_leaf_is_return(raw->tag));
		if (id < 0)
			return id;
		ids[i] = id;
	}
	if (end == PPROF_END_COMPLETE && nr)
		return nr;
	id = locations_synthetic(l->locations,
				 nr ? end_reason_root(end) : end_reason_explain(source, end));
	if (id < 0)
		return id;
	ids[nr] = id;
	return nr + 1;
}
