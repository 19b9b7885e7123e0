/* SPDX-License-Identifier: GPL-2.0 */
/* Fills in records as the kernel writes them. Most functions return the size of the record. */
#ifndef TESTS_LIFE_H
#define TESTS_LIFE_H

#include <string.h>

#include "pprof.h"

/* A process, by its pid and exec id. Its records are of its main thread. */
struct process {
	uint32_t pid;
	uint64_t exec_id;
};

static inline uint32_t life_event(struct pprof_event *ev, uint32_t type, uint64_t time_ns,
				  struct process who, uint32_t size)
{
	*ev = (struct pprof_event){
		.rec = { type, size }, .time_ns = time_ns, .pid = who.pid, .tid = who.pid,
		.exec_id = who.exec_id,
	};
	return size;
}

static inline uint32_t life_fork(void *to, uint64_t time_ns, struct process who,
				 struct process child)
{
	struct pprof_fork *record = to;

	record->child_pid = child.pid;
	record->child_exec_id = child.exec_id;
	record->pad = 0;
	return life_event(&record->ev, PPROF_REC_FORK, time_ns, who, sizeof(*record));
}

static inline uint32_t life_exec(void *to, uint64_t time_ns, struct process who,
				 uint64_t old_exec_id, const char *comm)
{
	struct pprof_exec *record = to;

	record->old_exec_id = old_exec_id;
	strncpy((char *)record->comm, comm, sizeof(record->comm));
	return life_event(&record->ev, PPROF_REC_EXEC, time_ns, who, sizeof(*record));
}

static inline uint32_t life_comm(void *to, uint64_t time_ns, struct process who, const char *comm)
{
	struct pprof_comm *record = to;

	strncpy((char *)record->comm, comm, sizeof(record->comm));
	return life_event(&record->ev, PPROF_REC_COMM, time_ns, who, sizeof(*record));
}

/* type is PPROF_REC_EXIT or PPROF_REC_DROP. */
static inline uint32_t life_end(void *to, uint32_t type, uint64_t time_ns, struct process who)
{
	return life_event(to, type, time_ns, who, sizeof(struct pprof_exit));
}

/* The mapping has no device and inode, so the collector opens no file for it. */
static inline uint32_t life_mmap(void *to, uint64_t time_ns, struct process who, uint64_t start,
				 uint64_t end, uint64_t offset, const char *name)
{
	struct pprof_mmap *record = to;
	uint32_t name_bytes = (strlen(name) + 8) / 8 * 8;

	record->start = start;
	record->end = end;
	record->offset = offset;
	record->ino = 0;
	record->dev_major = 0;
	record->dev_minor = 0;
	strncpy((char *)record->name, name, name_bytes);
	return life_event(&record->ev, PPROF_REC_MMAP, time_ns, who,
			  sizeof(*record) + name_bytes);
}

static inline uint32_t life_free(void *to, uint64_t time_ns, struct process who, uint64_t object)
{
	struct pprof_free *record = to;

	record->object = object;
	return life_event(&record->ev, PPROF_REC_FREE, time_ns, who, sizeof(*record));
}

/* Fills in a sample of one tick, with a complete stack. Returns the record. */
static inline struct pprof_sample *life_sample(void *to, uint64_t time_ns, struct process who,
					       const uint64_t *frames, uint32_t nr)
{
	struct pprof_sample *sample = to;

	memset(sample, 0, sizeof(*sample));
	life_event(&sample->ev, PPROF_REC_SAMPLE, time_ns, who,
		   sizeof(*sample) + nr * sizeof(*frames));
	sample->weight = 1;
	sample->nr_frames = nr;
	strcpy((char *)sample->comm, "thread");
	if (nr)
		memcpy(sample->frames, frames, nr * sizeof(*frames));
	return sample;
}

#endif /* TESTS_LIFE_H */
