// SPDX-License-Identifier: GPL-2.0
#include "aggregate/stack_locator.h"

#include <errno.h>

#include "aggregate/raw_stack.h"
#include "device/end_reason.h"

/*
 * With a pid, the first program that is found counts as the main one until the program of pid is
 * found. Without a pid it stays the main one. An epoch whose program is not known changes nothing:
 * its process may have ended early.
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

/*
 * The leaf is taken as it is. It is an instruction that an interrupt stopped, or a return address
 * that does not follow the last instruction of its function. An address of 0 stands for frames that
 * are missing: see struct pprof_sample.
 */
static int64_t locate_kernel(struct stack_locator *l, uint64_t address, bool is_return)
{
	if (!address)
		return locations_synthetic(l->locations, STACK_LOCATOR_CUT_NAME);
	return locations_intern_kernel(l->locations, address - is_return);
}

/* Returns how many frames at the leaf are of the tracepoint itself, and not of sampled code. */
static uint32_t nr_foreign(const struct stack_locator *l, const struct tuple *raw)
{
	uint32_t nr = 0;

	while (nr < raw_stack_nr_kernel(raw) &&
	       locations_is_tracepoint(l->locations, raw->frames[nr]))
		nr++;
	return nr;
}

static int64_t locate_frame(struct stack_locator *l, const struct maps *maps,
			    const struct tuple *raw, uint32_t i)
{
	uint32_t nr_kernel = raw_stack_nr_kernel(raw);

	if (i < nr_kernel)
		return locate_kernel(l, raw->frames[i], i > 0);
	return locate(l, maps, raw->frames[i], i > nr_kernel || raw_stack_leaf_is_return(raw->tag));
}

int stack_locator_find(struct stack_locator *l, uint32_t source, const struct tuple *raw,
		       uint64_t *ids)
{
	const struct maps *maps = processes_maps(l->processes, raw_stack_epoch(raw->tag));
	uint32_t end = raw_stack_end_reason(raw->tag), nr = 0;
	bool has_user = raw_stack_nr_frames(raw) > raw_stack_nr_kernel(raw);
	int64_t id;

	for (uint32_t i = nr_foreign(l, raw); i < raw_stack_nr_frames(raw); i++) {
		id = locate_frame(l, maps, raw, i);
		if (id < 0)
			return id;
		ids[nr++] = id;
	}
	if (end == PPROF_END_COMPLETE && has_user)
		return nr;
	id = locations_synthetic(l->locations, has_user ? end_reason_root(end) :
							  end_reason_explain(source, end));
	if (id < 0)
		return id;
	ids[nr] = id;
	return nr + 1;
}
