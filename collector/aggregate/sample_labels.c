// SPDX-License-Identifier: GPL-2.0
#include "aggregate/sample_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "device/wait_class.h"
#include "device/sample_record.h"
#include "device/thread_state.h"
#include "process/thread_context.h"

_Static_assert(PROCESS_CONTEXT_MAX_LABELS <= LABELS_MAX_RESOURCE, "label sets lack room");
_Static_assert(THREAD_CONTEXT_MAX_LABELS <= LABELS_MAX_TRACE, "label sets lack room");

int sample_labels_add(struct label_sets *labels, struct processes *processes,
		      const struct pprof_sample *sample)
{
	const struct labels_owner owner = { sample->ev.pid, sample->ev.exec_id };
	const struct pprof_sample_labels *own = sample_labels(sample);
	int64_t epoch;

	if (!own || !own->bytes)
		return 0;
	/* The labels of a process that is not known would be removed: see labels_keep(). */
	epoch = processes_epoch(processes, owner.pid, owner.exec_id, sample->ev.time_ns);
	return epoch < 0 ? epoch : labels_add_set(labels, &owner, own->set,
						  (const char *)own->text, own->bytes);
}

/*
 * Returns the CPU of the sampled thread. A thread that did not run was on no CPU: then cpu is that
 * of the code that took its sample.
 */
static uint32_t find_cpu(const struct pprof_sample *sample, uint32_t cpu)
{
	bool is_found = sample->source == PPROF_SOURCE_THREAD ||
			sample->source == PPROF_SOURCE_WALL;

	return is_found && sample->arg != PPROF_THREAD_RUNNING ? LABELS_NO_CPU : cpu;
}

/* The process is read only if its labels were requested. */
static void set_resource(struct labels_values *values, const struct label_sets *labels,
			 struct processes *processes, uint32_t epoch)
{
	const struct process_context *context;

	if (!labels_want(labels, LABELS_WANT_RESOURCE))
		return;
	context = processes_context(processes, epoch, false);
	values->resource = context->labels;
	values->resource_bytes = context->label_bytes;
}

/* The labels of the trace are in text, of THREAD_CONTEXT_MAX_BYTES. */
static void set_trace(struct labels_values *values, const struct label_sets *labels,
		      struct processes *processes, const struct pprof_sample *sample,
		      uint32_t epoch, char *text)
{
	const struct pprof_sample_context *context = sample_context(sample);

	if (!context || !labels_want(labels, LABELS_WANT_TRACE))
		return;
	values->trace = text;
	values->trace_bytes =
		thread_context_labels(context, processes_context(processes, epoch, true), text);
}

int64_t sample_labels_intern(struct label_sets *labels, struct processes *processes,
			     const struct pprof_sample *sample, uint32_t cpu, uint32_t epoch)
{
	const struct pprof_sample_labels *own = sample_labels(sample);
	char thread[PPROF_COMM_LEN + 1] = "", trace[THREAD_CONTEXT_MAX_BYTES];
	struct labels_values values = {
		.pid = sample->ev.pid,
		.tid = sample->ev.tid,
		.cpu = find_cpu(sample, cpu),
		.thread = thread,
		.comm = processes_comm(processes, epoch),
		.set = own ? own->set : 0,
	};

	if (sample_labels_add(labels, processes, sample))
		return -ENOMEM;
	if (labels_want(labels, LABELS_OF_CGROUP))
		values.cgroup = processes_cgroup(processes, epoch);
	if (sample->source == PPROF_SOURCE_BLOCK)
		values.class = wait_class_name(sample_wait(sample));
	if (sample->source == PPROF_SOURCE_THREAD)
		values.state = thread_state_label(sample_wait(sample));
	memcpy(thread, sample->comm, PPROF_COMM_LEN);
	set_resource(&values, labels, processes, epoch);
	set_trace(&values, labels, processes, sample, epoch, trace);
	return labels_intern(labels, &values);
}
