// SPDX-License-Identifier: GPL-2.0
#include "record/thread_context.h"

#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "arch/thread_pointer.h"
#include "base/compat.h"

/* Offsets in the thread's control block, and in the DTV. The DTV of musl has no head. */
#define TCB_DTV			8
#define DTV_GLIBC_ENTRY		16
#define DTV_MUSL_ENTRY		8

/* The last word of a record's head has its bytes 20 to 27, in the order of the CPU. */
#define LAST_HEAD_WORD		(PPROF_MIN_CONTEXT_BYTES - sizeof(u64))
#define VALID_SHIFT		32
#define SIZE_SHIFT		48

/*
 * @address may have any value. The clamp is for a CPU that reads before the check is done. The
 * functions up to find_and_read_size() are inline: no function may be called while user memory is
 * open.
 * Context: page faults are disabled, and user memory is open.
 */
static __always_inline bool read_word(u64 address, u64 *to)
{
	const u64 limit = TASK_SIZE_MAX - sizeof(*to) + 1;

	if (address >= limit)
		return false;
	address = array_index_nospec(address, limit);
	unsafe_get_user(*to, (const u64 __user *)address, fault);
	return true;
fault:
	return false;
}

/* A thread gets its block of a module when it first uses it. glibc marks the others by -1. */
static __always_inline bool find_in_dtv(const struct pprof_tls_address *tls, u64 thread_pointer,
					u64 *address)
{
	bool is_glibc = tls->kind == PPROF_TLS_DTV_GLIBC;
	u64 entry = is_glibc ? DTV_GLIBC_ENTRY : DTV_MUSL_ENTRY, dtv, nr, block;

	if (!read_word(thread_pointer + TCB_DTV, &dtv) ||
	    !read_word(is_glibc ? dtv - entry : dtv, &nr) || tls->module > nr ||
	    !read_word(dtv + tls->module * entry, &block) || !block || block == ~0ULL)
		return false;
	*address = block + tls->offset;
	return true;
}

/*
 * Sets *record to the address of the record. Its limit is such that the longest record is in user
 * memory. The clamp is as in read_word().
 */
static __always_inline bool find_record(const struct pprof_tls_address *tls, u64 thread_pointer,
					u64 *record)
{
	const u64 limit = TASK_SIZE_MAX - PPROF_MAX_CONTEXT_BYTES;
	u64 address = thread_pointer + tls->offset;

	if (tls->kind != PPROF_TLS_STATIC && !find_in_dtv(tls, thread_pointer, &address))
		return false;
	if (!read_word(address, record) || !*record || *record >= limit)
		return false;
	*record = array_index_nospec(*record, limit);
	return true;
}

/* Returns: the size of the record, or 0 if it is not valid. */
static __always_inline u32 read_size(u64 record)
{
	u64 word, bytes;

	if (!read_word(record + LAST_HEAD_WORD, &word) || (u8)(word >> VALID_SHIFT) != 1)
		return 0;
	bytes = PPROF_MIN_CONTEXT_BYTES + (word >> SIZE_SHIFT);
	return bytes <= PPROF_MAX_CONTEXT_BYTES ? bytes : 0;
}

static __always_inline u32 find_and_read_size(const struct pprof_tls_address *tls,
					      u64 thread_pointer, u64 *record)
{
	return find_record(tls, thread_pointer, record) ? read_size(*record) : 0;
}

/*
 * __copy_from_user_inatomic() is rejected: on some kernels its check of the object that is written
 * takes a lock. The caller has disabled page faults.
 */
static bool copy(struct pprof_sample_context *to, u64 record, u32 bytes)
{
	*(u64 *)(to->data + (bytes - 1) / sizeof(u64) * sizeof(u64)) = 0;
	to->bytes = bytes;
	to->pad = 0;
	return !raw_copy_from_user(to->data, (const void __user *)record, bytes);
}

bool pprof_thread_context_read(const struct pprof_tls_address *tls, struct pprof_sample_context *to)
{
	u64 thread_pointer = pprof_arch_thread_pointer(), record;
	bool is_read = false;
	u32 bytes = 0;

	pagefault_disable();
	if (user_read_access_begin(NULL, sizeof(u64))) {
		bytes = find_and_read_size(tls, thread_pointer, &record);
		user_read_access_end();
	}
	if (bytes)
		is_read = copy(to, record, bytes);
	pagefault_enable();
	return is_read;
}
