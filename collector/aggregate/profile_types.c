// SPDX-License-Identifier: GPL-2.0
#include "aggregate/profile_types.h"

#include "aggregate/thread_lifetimes.h"

/*
 * An event shorter than the rate was sampled with the probability length / rate, so it stands for
 * rate / length events. Go does the same: golang.org/cl/299991.
 */
static void block_values(const struct pprof_sample *sample, uint64_t rate_ns, double *values)
{
	bool is_short = sample->value && sample->value < rate_ns;

	values[0] = is_short ? (double)rate_ns / sample->value : 1;
	values[1] = is_short ? rate_ns : sample->value;
}

static void mutex_values(const struct pprof_sample *sample, uint64_t one_in, double *values)
{
	values[0] = one_in;
	values[1] = (double)sample->value * one_in;
}

static void mutex_lost(uint64_t one_in, double *values)
{
	values[0] = one_in;
}

/* A page of value bytes is sampled once for each period that ends in it. */
static void growth_values(const struct pprof_sample *sample, uint64_t period, double *values)
{
	values[1] = (double)sample->weight * period;
	values[0] = sample->value ? values[1] / sample->value : 0;
}

/* The size of the page is not known, so only the bytes are. */
static void growth_lost(uint64_t period, double *values)
{
	values[1] = period;
}

/*
 * The sample of an object smaller than the period stands for weight * period bytes. It stands for
 * as many objects of its size as make up these bytes. Any other object stands for itself alone.
 */
static void heap_values(const struct pprof_sample *sample, uint64_t period, double *values)
{
	bool is_small = sample->value < period;

	values[1] = is_small ? (double)sample->weight * period : sample->value;
	values[0] = is_small && sample->value ? values[1] / sample->value : 1;
	values[2] = 0;
	values[3] = 0;
}

/* The size of the object is not known: one object, and a period of bytes. */
static void heap_lost(uint64_t period, double *values)
{
	values[0] = 1;
	values[1] = period;
}

/* A thread counts as alive until thread_lifetimes.c reads its end. */
static void thread_values(const struct pprof_sample *sample, uint64_t period, double *values)
{
	(void)sample;
	(void)period;
	values[LIFETIMES_THREADS] = 1;
	values[LIFETIMES_LIVE] = 1;
	values[LIFETIMES_NS] = 0;
}

/* Functions of libc that unlock. Readers hide them, as they hide those of Go's locks. */
#define UNLOCKS	".*lll_lock_wake.*|.*pthread_mutex_unlock.*|.*pthread_rwlock_unlock.*|futex_wake"

/* Functions that allocate for the program. tc_.* would also match most of iproute2's tc. */
#define ALLOCATES	"operator new.*|malloc|calloc|realloc|reallocarray|aligned_alloc|memalign|" \
			"posix_memalign|valloc|pvalloc|je_.*|tc_(new|[mc]alloc|realloc|memalign|valloc|" \
			"pvalloc|posix_memalign).*|tcmalloc::.*|_rjem_.*|__rust_alloc.*|__rust_realloc|" \
			"std::allocator.*|__gnu_cxx::new_allocator.*|std::__new_allocator.*"

#define HEAP(type) {								\
	.sample_types = { { "alloc_objects", "count" }, { "alloc_space", "bytes" },	\
			  { "inuse_objects", "count" }, { "inuse_space", "bytes" } },	\
	.nr_sample_types = 4,							\
	.period_type = { "space", "bytes" },					\
	.default_sample_type = (type),						\
}

#define CONTENTION {								\
	.sample_types = { { "contentions", "count" }, { "delay", "nanoseconds" } },	\
	.nr_sample_types = 2,							\
	.period_type = { "contentions", "count" },				\
}

static const struct profile_type profile_types[PROFILE_TYPE_NR] = {
	[PROFILE_TYPE_CPU] = {
		.source = PPROF_SOURCE_CPU,
		.name = "cpu",
		.unit = "samples",
		.profile = {
			.sample_types = { { "samples", "count" }, { "cpu", "nanoseconds" } },
			.nr_sample_types = 2,
			.period_type = { "cpu", "nanoseconds" },
		},
		.has_time = true,
	},
	[PROFILE_TYPE_THREADCREATE] = {
		.source = PPROF_SOURCE_THREADCREATE,
		.name = "threadcreate",
		.unit = "threads",
		.profile = {
			.sample_types = { { "threadcreate", "count" } },
			.nr_sample_types = 1,
			.period_type = { "threadcreate", "count" },
		},
		.by_cumulative = true,
	},
	[PROFILE_TYPE_WALL] = {
		.source = PPROF_SOURCE_WALL,
		.name = "wall",
		.unit = "samples",
		.profile = {
			.sample_types = { { "samples", "count" }, { "wall", "nanoseconds" } },
			.nr_sample_types = 2,
			.period_type = { "wall", "nanoseconds" },
		},
		.has_time = true,
	},
	[PROFILE_TYPE_BLOCK] = {
		.source = PPROF_SOURCE_BLOCK,
		.name = "block",
		.unit = "events",
		.profile = CONTENTION,
		.form = TEXT_CONTENTION,
		.by_cumulative = true,
		.nr_values = 2,
		.shown_value = 1,
		.values = block_values,
	},
	[PROFILE_TYPE_MUTEX] = {
		.source = PPROF_SOURCE_MUTEX,
		.name = "mutex",
		.unit = "unlocks",
		.profile = CONTENTION,
		.form = TEXT_MUTEX,
		.drop_frames = UNLOCKS,
		.by_cumulative = true,
		.nr_values = 2,
		.shown_value = 1,
		.values = mutex_values,
		.lost = mutex_lost,
	},
	[PROFILE_TYPE_HEAP] = {
		.source = PPROF_SOURCE_HEAP,
		.name = "heap",
		.unit = "samples",
		.profile = HEAP(NULL),
		.form = TEXT_HEAP,
		.drop_frames = ALLOCATES,
		.has_rate = true,
		.nr_values = 4,
		.shown_value = 3,
		.values = heap_values,
		.lost = heap_lost,
	},
	[PROFILE_TYPE_ALLOCS] = {
		.source = PPROF_SOURCE_HEAP,
		.name = "allocs",
		.unit = "samples",
		.profile = HEAP("alloc_space"),
		.form = TEXT_HEAP,
		.drop_frames = ALLOCATES,
		.has_rate = true,
		.nr_values = 4,
		.shown_value = 1,
		.values = heap_values,
		.lost = heap_lost,
	},
	[PROFILE_TYPE_GROWTH] = {
		.source = PPROF_SOURCE_GROWTH,
		.name = "growth",
		.unit = "samples",
		.profile = {
			.sample_types = { { "faults", "count" }, { "space", "bytes" } },
			.nr_sample_types = 2,
			.period_type = { "space", "bytes" },
		},
		.form = TEXT_GROWTH,
		.has_rate = true,
		.nr_values = 2,
		.shown_value = 1,
		.values = growth_values,
		.lost = growth_lost,
	},
	[PROFILE_TYPE_THREAD] = {
		.source = PPROF_SOURCE_THREAD,
		.name = "thread",
		.unit = "threads",
		.profile = {
			.sample_types = { { "thread", "count" } },
			.nr_sample_types = 1,
			.period_type = { "thread", "count" },
		},
		.by_cumulative = true,
	},
	[PROFILE_TYPE_CUSTOM] = {	/* see profile_types_custom() */
		.source = PPROF_SOURCE_CUSTOM,
		.name = "custom",
		.unit = "values",
		.profile = {
			.sample_types = { { "custom", "count" } },
			.nr_sample_types = 1,
			.period_type = { "custom", "count" },
		},
		.by_cumulative = true,
	},
};

/* Go's threadcreate profile has only the first of these values. Readers show it by default. */
static const struct profile_type threads_live = {
	.source = PPROF_SOURCE_THREADCREATE,
	.name = "threadcreate",
	.unit = "threads",
	.profile = {
		.sample_types = {
			[LIFETIMES_THREADS] = { "threadcreate", "count" },
			[LIFETIMES_LIVE] = { "live", "count" },
			[LIFETIMES_NS] = { "lifetime", "nanoseconds" },
		},
		.nr_sample_types = LIFETIMES_NR,
		.period_type = { "threadcreate", "count" },
		.default_sample_type = "threadcreate",
	},
	.by_cumulative = true,
	.nr_values = LIFETIMES_NR,
	.shown_value = LIFETIMES_LIVE,
	.values = thread_values,
};

struct profile_type profile_types_custom(const char *name)
{
	struct profile_type profile_type = profile_types[PROFILE_TYPE_CUSTOM];

	profile_type.name = name;
	profile_type.profile.sample_types[0].type = name;
	profile_type.profile.period_type.type = name;
	return profile_type;
}

const struct profile_type *profile_types_get(uint32_t profile_type, bool live)
{
	return live && profile_type == PROFILE_TYPE_THREADCREATE ? &threads_live
								 : &profile_types[profile_type];
}

const struct profile_type *profile_types_of(uint32_t source, bool live)
{
	uint32_t profile_type = 0;

	while (profile_types[profile_type].source != source)
		profile_type++;
	return profile_types_get(profile_type, live);
}

bool profile_types_need(unsigned int wanted, uint32_t source)
{
	for (uint32_t profile_type = 0; profile_type < PROFILE_TYPE_NR; profile_type++)
		if (profile_types[profile_type].source == source && (wanted & (1U << profile_type)))
			return true;
	return false;
}
