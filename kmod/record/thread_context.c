// SPDX-License-Identifier: GPL-2.0
#include "record/thread_context.h"

#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

#include "arch/thread_pointer.h"
#include "base/compat.h"

/* Offsets in the thread's control block, and in the DTV. The DTV of musl has no head. */
#define TCB_DTV			8
#define DTV_GLIBC_ENTRY		16
#define DTV_MUSL_ENTRY		8

#define MAX_STRING		255	/* of a label: a byte of the copy has the length */

/* A label set, and an entry of its array, as they are in user memory. */
struct set {
	u64 entries;		/* the address of the array */
	u64 nr;			/* the capacity follows */
};

struct entry {
	u64 key_bytes;
	u64 key;		/* the address; 0: there is no label */
	u64 value_bytes;
	u64 value;
};

/* Where a field of a struct in user memory is. */
#define FIELD(address, type, field)	\
	((const u64 __user *)((address) + offsetof(type, field)))

struct unaligned {
	u64 word;
} __packed;

/* The last word of a record's head has its bytes 20 to 27, in the order of the CPU. */
#define LAST_HEAD_WORD		(PPROF_MIN_CONTEXT_BYTES - sizeof(u64))
#define VALID_SHIFT		32
#define SIZE_SHIFT		48

/*
 * @address may have any value. The clamp is for a CPU that reads before the check is done. All
 * functions are inline: no function may be called while user memory is open.
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

/* Is all of @bytes from *address on in user memory? The clamp is as in read_word(). */
static __always_inline bool clamp_address(u64 *address, u64 bytes)
{
	const u64 limit = TASK_SIZE_MAX - bytes;

	if (*address >= limit)
		return false;
	*address = array_index_nospec(*address, limit);
	return true;
}

/* Sets *address to that of the record or label set, which is in user memory to its end. */
static __always_inline bool find_context(const struct pprof_tls_address *tls, u64 thread_pointer,
					 u64 *address)
{
	u64 variable = thread_pointer + tls->offset;

	if (tls->kind != PPROF_TLS_STATIC && !find_in_dtv(tls, thread_pointer, &variable))
		return false;
	return read_word(variable, address) && *address &&
	       clamp_address(address, PPROF_MAX_CONTEXT_BYTES);
}

static __always_inline void put_word(u8 *to, u64 word)
{
	((struct unaligned *)to)->word = word;
}

/* All of @bytes from @address on are in user memory. The last word may begin in the one before. */
static __always_inline bool copy(u8 *to, u64 address, u32 bytes)
{
	u64 word;

	if (bytes < sizeof(word)) {
		for (u32 i = 0; i < bytes; i++)
			unsafe_get_user(to[i], (const u8 __user *)(address + i), fault);
		return true;
	}
	for (u32 i = 0; i < bytes; i += sizeof(word)) {
		u32 at = min_t(u32, i, bytes - sizeof(word));

		unsafe_get_user(word, (const u64 __user *)(address + at), fault);
		put_word(to + at, word);
	}
	return true;
fault:
	return false;
}

/*
 * The last word of the copy may have NULs behind the record. So it is cleared before. The loop of
 * copy() would cost 20 instructions more for the head. Returns: false if the record is not valid.
 */
static __always_inline bool copy_record(struct pprof_sample_context *to, u64 record)
{
	u64 first, second, third, last;
	u32 bytes;

	unsafe_get_user(last, (const u64 __user *)(record + LAST_HEAD_WORD), fault);
	bytes = PPROF_MIN_CONTEXT_BYTES + (last >> SIZE_SHIFT);
	if ((u8)(last >> VALID_SHIFT) != 1 || bytes > PPROF_MAX_CONTEXT_BYTES)
		return false;
	unsafe_get_user(first, (const u64 __user *)record, fault);
	unsafe_get_user(second, (const u64 __user *)(record + 8), fault);
	unsafe_get_user(third, (const u64 __user *)(record + 16), fault);
	to->bytes = bytes;
	put_word(to->data + (bytes - 1) / sizeof(u64) * sizeof(u64), 0);
	put_word(to->data, first);
	put_word(to->data + 8, second);
	put_word(to->data + 16, third);
	put_word(to->data + LAST_HEAD_WORD, last);
	return copy(to->data + PPROF_MIN_CONTEXT_BYTES, record + PPROF_MIN_CONTEXT_BYTES,
		    bytes - PPROF_MIN_CONTEXT_BYTES);
fault:
	return false;
}

/* Returns: how many of @room bytes the label takes; 0 if it is left out. */
static __always_inline u32 copy_label(u8 *to, u32 room, struct entry *entry)
{
	u64 key_bytes = entry->key_bytes, value_bytes = entry->value_bytes;

	if (!entry->key || !key_bytes || key_bytes > MAX_STRING || value_bytes > MAX_STRING ||
	    2 + key_bytes + value_bytes > room ||
	    !clamp_address(&entry->key, MAX_STRING) ||
	    !clamp_address(&entry->value, MAX_STRING) ||
	    !copy(to + 2, entry->key, key_bytes) ||
	    !copy(to + 2 + key_bytes, entry->value, value_bytes))
		return 0;
	to[0] = key_bytes;
	to[1] = value_bytes;
	return 2 + key_bytes + value_bytes;
}

static __always_inline bool read_entry(u64 address, struct entry *to)
{
	unsafe_get_user(to->key_bytes, FIELD(address, struct entry, key_bytes), fault);
	unsafe_get_user(to->key, FIELD(address, struct entry, key), fault);
	unsafe_get_user(to->value_bytes, FIELD(address, struct entry, value_bytes), fault);
	unsafe_get_user(to->value, FIELD(address, struct entry, value), fault);
	return true;
fault:
	return false;
}

/* Copies the labels of the set at @address. Returns: false if there is none. */
static __always_inline bool copy_labels(struct pprof_sample_context *to, u64 address)
{
	struct entry entry;
	u32 bytes = 0;
	struct set set;

	unsafe_get_user(set.entries, FIELD(address, struct set, entries), fault);
	unsafe_get_user(set.nr, FIELD(address, struct set, nr), fault);
	if (!clamp_address(&set.entries, PPROF_MAX_CONTEXT_LABELS * sizeof(entry)))
		return false;
	for (u32 i = 0; i < PPROF_MAX_CONTEXT_LABELS && i < set.nr; i++) {
		if (!read_entry(set.entries + i * sizeof(entry), &entry))
			break;	/* what was copied counts */
		bytes += copy_label(to->data + bytes, PPROF_MAX_CONTEXT_BYTES - bytes, &entry);
	}
	to->bytes = bytes;
	put_word(to->data + bytes, 0);
	return bytes;
fault:
	return false;
}

/*
 * Each format has a function, so that one does not save the registers of the other.
 * Context: page faults are disabled.
 */
static noinline bool read_record(const struct pprof_tls_address *tls, u64 thread_pointer,
				 struct pprof_sample_context *to)
{
	bool is_read;
	u64 address;

	if (!user_read_access_begin(NULL, sizeof(u64)))
		return false;
	is_read = find_context(tls, thread_pointer, &address) && copy_record(to, address);
	user_read_access_end();
	return is_read;
}

static noinline bool read_labels(const struct pprof_tls_address *tls, u64 thread_pointer,
				 struct pprof_sample_context *to)
{
	bool is_read;
	u64 address;

	if (!user_read_access_begin(NULL, sizeof(u64)))
		return false;
	is_read = find_context(tls, thread_pointer, &address) && copy_labels(to, address);
	user_read_access_end();
	return is_read;
}

bool pprof_thread_context_read(const struct pprof_tls_address *tls, struct pprof_sample_context *to)
{
	u64 thread_pointer = pprof_arch_thread_pointer();
	bool is_read;

	to->format = tls->format;
	pagefault_disable();
	if (to->format == PPROF_CONTEXT_LABELS)
		is_read = read_labels(tls, thread_pointer, to);
	else
		is_read = read_record(tls, thread_pointer, to);
	pagefault_enable();
	return is_read;
}
