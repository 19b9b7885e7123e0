// SPDX-License-Identifier: GPL-2.0
#include "device/thread_state.h"

#include <inttypes.h>

#include "device/wait_class.h"
#include "pprof.h"

#define NS_PER_MINUTE	UINT64_C(60000000000)

/* Returns NULL for a thread that waits. */
static const char *name_of_state(uint64_t arg)
{
	switch (arg) {
	case PPROF_THREAD_RUNNING:
		return "running";
	case PPROF_THREAD_RUNNABLE:
		return "runnable";
	case PPROF_THREAD_STOPPED:
		return "stopped";
	}
	return NULL;
}

const char *thread_state_label(uint64_t arg)
{
	const char *state = name_of_state(arg);

	return state ? state : wait_class_name(arg);
}

bool thread_state_in_syscall(uint64_t arg)
{
	return arg != PPROF_NO_SYSCALL && !name_of_state(arg);
}

void thread_state_print(FILE *out, uint64_t arg, uint64_t ns)
{
	const char *state = name_of_state(arg);

	if (!state)
		state = arg == WAIT_CLASS_UNKNOWN ? "waiting" : wait_class_syscall(arg);
	if (state)
		fputs(state, out);
	else
		fprintf(out, "system call %" PRIu64, arg);
	if (ns >= NS_PER_MINUTE)
		fprintf(out, ", %" PRIu64 " minutes", ns / NS_PER_MINUTE);
}
