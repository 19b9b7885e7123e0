// SPDX-License-Identifier: GPL-2.0
#include "formats/frame_patterns.h"

#include <errno.h>
#include <string.h>

#include "pprof/model.h"

#define ALLOCATORS							\
	"c?free|[cm]alloc|realloc|p?valloc|"				\
	"(do_)?memalign|(__)?posix_memalign|__libc_malloc|"		\
	"tcmalloc::.*|"							\
	"tc_(new|newarray)(_nothrow)?|tc_(delete|deletearray)|"		\
	"tc_(c?free|[cm]alloc|realloc|p?valloc|(posix_)?memalign)|"	\
	"malloc_zone_([cmv]alloc|realloc|memalign|free)|"		\
	"runtime\\..*|"							\
	"(::)?do_malloc(_no_errno|_pages)?|"				\
	"BaseArena::.*|DoSampledAllocation|"				\
	"MallocedMemBlock::MallocedMemBlock|"				\
	"__builtin_(vec_)?(new|delete)|operator new(\\[\\])?|"		\
	"(__gnu_cxx::new_allocator|__malloc_alloc_template|simple_alloc)::allocate|" \
	"_M_allocate|allocate|cpp_alloc"

/* Go's own functions that programs call: they are kept among the callers. */
#define GO_CALLERS	"runtime\\.(panic|reflectcall|call[0-9]*)"

#define LOCKS								\
	"(base::)?RecordLockProfileData.*|"				\
	"(base::)?Submit(Mutex|SpinLock)ProfileData.*|"			\
	"((base::)?Mutex::)?(AwaitCommon|Unlock|UnlockSlow|ReaderUnlock).*|" \
	"((base::)?MutexLock::)?~MutexLock.*|"				\
	"(SpinLock::)?(Unlock|SlowUnlock).*|"				\
	"(SpinLockHolder::)?~SpinLockHolder.*"

#define PROFILERS							\
	"ProfileData::(Add|prof_handler)|CpuProfiler::prof_handler|"	\
	"__pthread_sighandler|__restore"

static bool has_type(const struct model *m, const char *name)
{
	for (size_t i = 0; i < m->sample_types.nr; i++)
		if (!strcmp(model_string(m, m->sample_types.items[i].type), name))
			return true;
	return false;
}

int frame_patterns_set(struct model *m)
{
	bool is_heap = has_type(m, "space") || has_type(m, "inuse_space");
	const char *drop = is_heap ? ALLOCATORS : has_type(m, "delay") ? LOCKS : PROFILERS;
	int64_t drop_id = model_add_string(m, drop, strlen(drop));
	int64_t keep_id = is_heap ? model_add_string(m, GO_CALLERS, strlen(GO_CALLERS)) : 0;

	if (drop_id < 0 || keep_id < 0)
		return -ENOMEM;
	m->drop_frames = drop_id;
	m->keep_frames = keep_id;
	return 0;
}
