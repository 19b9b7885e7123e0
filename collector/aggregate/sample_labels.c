// SPDX-License-Identifier: GPL-2.0
#include "aggregate/sample_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "device/wait_class.h"
#include "device/sample_record.h"
#include "device/thread_state.h"

int samplelabels_tell(struct labels *labels, const struct pprof_sample *sample)
{
	const struct pprof_sample_labels *own = sample_labels(sample);

	return own && own->bytes ?
		labels_tell(labels, own->set, (const char *)own->text, own->bytes) : 0;
}

/* Who waits is on no CPU: whoever looked at it was on this one. */
static uint32_t find_cpu(const struct pprof_sample *sample, uint32_t cpu)
{
	bool is_found = sample->source == PPROF_SOURCE_THREAD ||
			sample->source == PPROF_SOURCE_WALL;

	return is_found && sample->arg != PPROF_THREAD_RUNNING ? LABELS_NO_CPU : cpu;
}

int64_t samplelabels_intern(struct labels *labels, const struct procs *procs,
			    const struct pprof_sample *sample, uint32_t cpu, uint32_t space)
{
	const struct pprof_sample_labels *own = sample_labels(sample);
	char thread[PPROF_COMM_LEN + 1] = "";
	struct labels_values values = {
		.pid = sample->ev.pid,
		.tid = sample->ev.tid,
		.cpu = find_cpu(sample, cpu),
		.thread = thread,
		.comm = procs_comm(procs, space),
		.set = own ? own->set : 0,
	};

	if (samplelabels_tell(labels, sample))
		return -ENOMEM;
	if (sample->source == PPROF_SOURCE_BLOCK)
		values.class = blockclass_name(sample_wait(sample));
	if (sample->source == PPROF_SOURCE_THREAD)
		values.state = threadstate_label(sample_wait(sample));
	memcpy(thread, sample->comm, PPROF_COMM_LEN);
	return labels_intern(labels, &values);
}
