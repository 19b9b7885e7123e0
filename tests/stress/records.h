/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the rings of a session, and checks each record and all bytes of the ring. A ring has one
 * reader at a time, although any process may have the session: the lock is in the page of the tail,
 * in bytes that the module does not use.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include "race.h"

#define RING_SIZES	2	/* RING_BYTES, and twice as many */
#define LOCK_AT		64
#define KNOWN_FLAGS	(PPROF_SAMPLE_GUESS | PPROF_SAMPLE_STALE | PPROF_SAMPLE_LABELS | \
			 PPROF_SAMPLE_CONTEXT)

static unsigned int session_cpus;

static inline uint64_t padded(uint64_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

/*
 * Adds the size of the labels, which follow the first *bytes of the sample. Returns: are they
 * valid?
 */
static inline int add_labels(const struct pprof_sample *sample, uint64_t *bytes)
{
	const struct pprof_sample_labels *labels = (void *)((char *)sample + *bytes);

	if (!(sample->flags & PPROF_SAMPLE_LABELS))
		return 1;
	if (sample->ev.rec.size < *bytes + sizeof(*labels))
		return 0;
	*bytes += sizeof(*labels) + padded(labels->bytes);
	return labels->set && !labels->pad;
}

/* The same for the thread context. */
static inline int add_context(const struct pprof_sample *sample, uint64_t *bytes)
{
	const struct pprof_sample_context *context = (void *)((char *)sample + *bytes);

	if (!(sample->flags & PPROF_SAMPLE_CONTEXT))
		return 1;
	if (sample->ev.rec.size < *bytes + sizeof(*context))
		return 0;
	*bytes += sizeof(*context) + padded(context->bytes);
	return context->bytes >= (context->format ? 3 : PPROF_MIN_CONTEXT_BYTES) &&
	       context->bytes <= PPROF_MAX_CONTEXT_BYTES && context->format < PPROF_NR_CONTEXTS;
}

static inline int sample_is_valid(const struct pprof_sample *sample)
{
	uint64_t bytes = sizeof(*sample) + 8ULL * sample->nr_frames;

	if (sample->source >= PPROF_NR_SOURCES || sample->end_reason >= PPROF_NR_END_REASONS ||
	    sample->nr_kernel > PPROF_MAX_KERNEL_FRAMES ||
	    sample->nr_kernel > sample->nr_frames ||
	    sample->nr_frames - sample->nr_kernel > PPROF_MAX_FRAMES ||
	    (sample->flags & ~KNOWN_FLAGS) ||
	    !sample->weight || sample->comm[PPROF_COMM_LEN - 1])
		return 0;
	return add_labels(sample, &bytes) && add_context(sample, &bytes) &&
	       sample->ev.rec.size == bytes;
}

/* The record is in the ring, and its size is a multiple of 8. */
static inline int record_is_valid(const struct pprof_record *record)
{
	switch (record->type) {
	case PPROF_REC_PAD:
		return 1;
	case PPROF_REC_SAMPLE:
		return record->size >= sizeof(struct pprof_sample) &&
		       sample_is_valid((const struct pprof_sample *)record);
	case PPROF_REC_FORK:
		return record->size == sizeof(struct pprof_fork);
	case PPROF_REC_EXEC:
		return record->size == sizeof(struct pprof_exec);
	case PPROF_REC_COMM:
		return record->size == sizeof(struct pprof_comm);
	case PPROF_REC_MMAP:
		return record->size > sizeof(struct pprof_mmap) &&
		       !((const char *)record)[record->size - 1];
	case PPROF_REC_EXIT:
	case PPROF_REC_DROP:
	case PPROF_REC_THREAD_END:
	case PPROF_REC_ENTER:
		return record->size == sizeof(struct pprof_event);
	case PPROF_REC_FREE:
		return record->size == sizeof(struct pprof_free);
	default:
		return 0;
	}
}

/* Returns the size of the record at this position, or 0 if it is bad. */
static inline uint64_t check_record(const char *ring, uint64_t ring_bytes, uint64_t tail,
				    uint64_t head)
{
	uint64_t at = tail & (ring_bytes - 1);
	const struct pprof_record *record = (const void *)(ring + at);

	if (record->size >= sizeof(*record) && !(record->size % 8) && record->size <= head - tail &&
	    at + record->size <= ring_bytes && record_is_valid(record))
		return record->size;
	add(BAD_RECORDS, 1);
	printf("a bad record: type %u, %u bytes, at %#llx, head %#llx\n", record->type,
	       record->size, (unsigned long long)tail, (unsigned long long)head);
	fflush(stdout);
	return 0;
}

static inline void drain(struct pprof_ring_tail *tail, const struct pprof_ring_head *head,
			 const char *ring)
{
	uint64_t ring_bytes = head->ring_bytes, nr = 0, at = tail->tail, bytes;
	uint64_t end = __atomic_load_n(&head->head, __ATOMIC_ACQUIRE);	/* C */

	while (at != end) {
		bytes = check_record(ring, ring_bytes, at, end);
		nr++;
		at = bytes ? at + bytes : end;
	}
	look_for_marks(ring, ring_bytes, "a ring");
	add(RECORDS, nr);
	__atomic_store_n(&tail->tail, end, __ATOMIC_RELEASE);	/* D */
}

static inline void drain_locked(char *tail, const char *head)
{
	int *lock = (int *)(tail + LOCK_AT), free = 0;

	if (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	drain((void *)tail, (const void *)head, head + PAGE_BYTES);
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static inline void unmap(void *at, size_t bytes)
{
	if (at != MAP_FAILED)
		called(MUNMAP, munmap(at, bytes));
}

/*
 * Reads a ring of a CPU. The size of the rings is a guess. Other threads may close the session
 * meanwhile, so this has a descriptor of its own.
 */
static inline void read_ring(int session)
{
	size_t bytes = PAGE_BYTES + (RING_BYTES << below(RING_SIZES));
	int fd = fcntl(session, F_DUPFD_CLOEXEC, 0);
	uint64_t cpu = below(session_cpus);
	char *head, *tail;

	if (fd < 0)
		return;
	head = called_mmap(bytes, PROT_READ, fd, PPROF_MMAP_DATA(cpu));
	tail = head == MAP_FAILED ? head : called_mmap(PAGE_BYTES, PROT_READ | PROT_WRITE, fd,
						       PPROF_MMAP_TAIL(cpu));
	if (tail != MAP_FAILED)
		drain_locked(tail, head);
	unmap(head, bytes);
	unmap(tail, PAGE_BYTES);
	called(CLOSE, close(fd));
}

#endif
