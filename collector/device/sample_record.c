// SPDX-License-Identifier: GPL-2.0
#include "device/sample_record.h"

#include <stddef.h>

#include "device/wait_class.h"
#include "device/thread_state.h"

bool sample_is_sane(const struct pprof_sample *sample)
{
	uint32_t size = sample->ev.rec.size;

	return size >= sizeof(*sample) && sample->source < PPROF_NR_SOURCES &&
	       sample->nr_kernel <= PPROF_MAX_KERNEL_FRAMES &&
	       sample->nr_kernel <= sample->nr_frames &&
	       sample->nr_frames - sample->nr_kernel + sample->nr_shared <= PPROF_MAX_FRAMES &&
	       size >= sizeof(*sample) + sample->nr_frames * sizeof(uint64_t);
}

bool sample_is_filtered_by_time(const struct pprof_sample *sample)
{
	return sample->source != PPROF_SOURCE_WALL && sample->source != PPROF_SOURCE_THREAD &&
	       sample->source != PPROF_SOURCE_CUSTOM;
}

bool sample_leaf_is_return(const struct pprof_sample *sample)
{
	if (sample->source == PPROF_SOURCE_BLOCK || sample->source == PPROF_SOURCE_GROWTH)
		return sample->arg != PPROF_NO_SYSCALL;
	if (sample->source == PPROF_SOURCE_THREAD || sample->source == PPROF_SOURCE_WALL)
		return thread_state_in_syscall(sample->arg);
	if (sample->source == PPROF_SOURCE_HEAP)
		return sample->arg != PPROF_HEAP_NO_URETPROBE;
	return sample->source == PPROF_SOURCE_THREADCREATE ||
	       sample->source == PPROF_SOURCE_MUTEX || sample->source == PPROF_SOURCE_CUSTOM;
}

uint64_t sample_wait(const struct pprof_sample *sample)
{
	bool is_unknown = sample->end_reason == PPROF_END_COMPAT ||
			  sample->end_reason == PPROF_END_NO_USER;

	if (is_unknown && sample->arg == PPROF_NO_SYSCALL)
		return WAIT_CLASS_UNKNOWN;
	return sample->arg;
}

bool sample_is_tracked(const struct pprof_sample *sample)
{
	return sample->arg != PPROF_HEAP_NO_URETPROBE && sample->arg != PPROF_HEAP_UNTRACKED;
}

const struct pprof_sample_labels *sample_labels(const struct pprof_sample *sample)
{
	size_t at = sizeof(*sample) + sample->nr_frames * sizeof(uint64_t);
	size_t bytes = sample->ev.rec.size - at;
	const struct pprof_sample_labels *own;

	if (!(sample->flags & PPROF_SAMPLE_LABELS) || bytes < sizeof(*own))
		return NULL;
	own = (const struct pprof_sample_labels *)((const char *)sample + at);
	return own->bytes <= bytes - sizeof(*own) ? own : NULL;
}

/* Returns the bytes up to the end of the labels, or SIZE_MAX if these are damaged. */
static size_t context_at(const struct pprof_sample *sample)
{
	size_t at = sizeof(*sample) + sample->nr_frames * sizeof(uint64_t);
	const struct pprof_sample_labels *own = sample_labels(sample);

	if (!(sample->flags & PPROF_SAMPLE_LABELS))
		return at;
	return own ? at + sizeof(*own) + (own->bytes + 7UL) / 8 * 8 : SIZE_MAX;
}

const struct pprof_sample_context *sample_context(const struct pprof_sample *sample)
{
	const struct pprof_sample_context *context;
	size_t at = context_at(sample), bytes;

	if (!(sample->flags & PPROF_SAMPLE_CONTEXT) || at > sample->ev.rec.size)
		return NULL;
	bytes = sample->ev.rec.size - at;
	context = (const struct pprof_sample_context *)((const char *)sample + at);
	if (bytes < sizeof(*context) || context->bytes > bytes - sizeof(*context) ||
	    (context->format == PPROF_CONTEXT_OTEL && context->bytes < PPROF_MIN_CONTEXT_BYTES))
		return NULL;
	return context;
}
