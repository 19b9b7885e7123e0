/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of races.c share: the owners of processes and their marks, random numbers of a
 * thread, and the counters of all processes.
 *
 * Each victim has marks of its owner in its stack and registers, in its names, in the path of a
 * mapped file, in its labels and in a custom profile. A session of one user must never show the
 * mark of another one.
 */
#ifndef RACE_H
#define RACE_H

#include <sys/mman.h>

#include "../e2e/programs/device.h"
#include "random.h"

enum owner { ROOT, GUEST, NOBODY, NR_OWNERS };

static const struct {
	const char *mark;	/* in names and texts */
	uid_t uid;
} owners[] = { { "mark-r", 0 }, { "mark-g", 65533 }, { "mark-n", 65534 } };

#define MARK_BYTES	6	/* of the text, without the NUL */

/* In words. No address and no time of a VM is in these ranges of 4 GiB. */
#define MARK(owner)	((0x3ec0ULL + (owner)) << 32)
#define NR_VICTIMS	6
#define MAX_ERRNO	134	/* the next one is not used on x86-64 */
#define FIRST_IOCTL	_IOC_NR(PPROF_IOC_INFO)
#define LAST_IOCTL	_IOC_NR(PPROF_IOC_TABLE_BIND)

/* The kinds of calls. The first ones are the ioctls, by their numbers from FIRST_IOCTL on. */
enum kind {
	ANY_IOCTL = LAST_IOCTL - FIRST_IOCTL + 1, OPEN, CLOSE, MMAP, MUNMAP, POLL, EPOLL, SEND,
	RECEIVE, NETLINK, NR_KINDS,
};

#define KIND_OF(cmd)	(_IOC_NR(cmd) - FIRST_IOCTL)

static const char *const kind_names[NR_KINDS] = {
	[KIND_OF(PPROF_IOC_INFO)] = "INFO", [KIND_OF(PPROF_IOC_SETUP)] = "SETUP",
	[KIND_OF(PPROF_IOC_ATTACH)] = "ATTACH", [KIND_OF(PPROF_IOC_EXEC_ID)] = "EXEC_ID",
	[KIND_OF(PPROF_IOC_START)] = "START", [KIND_OF(PPROF_IOC_STOP)] = "STOP",
	[KIND_OF(PPROF_IOC_TABLE_ADD)] = "TABLE_ADD",
	[KIND_OF(PPROF_IOC_TABLE_DROP)] = "TABLE_DROP", [KIND_OF(PPROF_IOC_RANGES)] = "RANGES",
	[KIND_OF(PPROF_IOC_THREADS)] = "THREADS", [KIND_OF(PPROF_IOC_HEAP)] = "HEAP",
	[KIND_OF(PPROF_IOC_LABEL)] = "LABEL", [KIND_OF(PPROF_IOC_CUSTOM)] = "CUSTOM",
	[KIND_OF(PPROF_IOC_CUSTOM_LIST)] = "CUSTOM_LIST",
	[KIND_OF(PPROF_IOC_CUSTOM_READ)] = "CUSTOM_READ",
	[KIND_OF(PPROF_IOC_LABEL_SLOT)] = "LABEL_SLOT",
	[KIND_OF(PPROF_IOC_TABLE_BIND)] = "TABLE_BIND", [ANY_IOCTL] = "any ioctl",
	[OPEN] = "open", [CLOSE] = "close", [MMAP] = "mmap", [MUNMAP] = "munmap", [POLL] = "poll",
	[EPOLL] = "epoll", [SEND] = "sendmsg", [RECEIVE] = "recvmsg",
	[NETLINK] = "netlink",
};

enum counter {
	CALLS, SESSIONS, RECORDS, OWN_WORDS, OWN_TEXTS, FOREIGN_MARKS, BAD_RECORDS, DELAYS, UNMAPS,
	PASSED, TAKEN, CYCLES, MOVES, EXECS, KILLS, HOTPLUGS, UNLOADS, REFUSED_UNLOADS,
	NR_COUNTERS,
};

static const char *const counter_names[] = {
	"calls", "sessions", "records", "words with the own mark", "texts with the own mark",
	"marks of others", "bad records", "delayed faults", "unmapped arguments",
	"descriptors passed", "taken", "left in a cycle", "moves to cgroups", "execs",
	"killed callers", "CPUs offline", "unloads", "refused unloads",
};

/* Memory of all processes but those that called exec. */
static struct {
	unsigned long counters[NR_COUNTERS];
	unsigned long results[NR_KINDS][MAX_ERRNO];	/* by errno; 0: success */
	unsigned long goal;			/* callers end when there are so many calls */
	struct {
		pid_t pid;
		enum owner owner;
	} victims[NR_VICTIMS];
} *shared;

static enum owner me;			/* of this process */
static __thread uint64_t random_state;

static inline uint64_t below(uint64_t limit)
{
	return random_below(&random_state, limit);
}

static inline int one_in(unsigned int n)
{
	return random_one_in(&random_state, n);
}

/* Returns an odd number: see random_odd(). */
static inline uint64_t odd(void)
{
	return random_odd(&random_state);
}

static inline void add(enum counter counter, unsigned long nr)
{
	__atomic_fetch_add(&shared->counters[counter], nr, __ATOMIC_RELAXED);
}

static inline unsigned long sum_of(enum counter counter)
{
	return __atomic_load_n(&shared->counters[counter], __ATOMIC_RELAXED);
}

/* Counts a call of the device that returned ret. Returns ret, and keeps errno. */
static inline long called(enum kind kind, long ret)
{
	int err = ret < 0 ? errno : 0;

	add(CALLS, 1);
	if (err < MAX_ERRNO)
		__atomic_fetch_add(&shared->results[kind][err], 1, __ATOMIC_RELAXED);
	return ret;
}

static inline void *called_mmap(size_t bytes, int rights, int fd, uint64_t offset)
{
	void *at = mmap(NULL, bytes, rights, MAP_SHARED, fd, offset);

	called(MMAP, at == MAP_FAILED ? -1 : 0);
	return at;
}

/* Returns the owner of a mark, or NR_OWNERS. */
static inline enum owner owner_of_word(uint64_t word)
{
	uint64_t owner = (word >> 32) - (MARK(0) >> 32);

	return owner < NR_OWNERS ? owner : NR_OWNERS;
}

static inline enum owner owner_of_text(const char *text)
{
	for (int owner = 0; owner < NR_OWNERS; owner++)
		if (!memcmp(text, owners[owner].mark, MARK_BYTES))
			return owner;
	return NR_OWNERS;
}

static inline void count_mark(enum owner owner, enum counter own, const char *where)
{
	if (owner == me) {
		add(own, 1);
	} else if (owner < NR_OWNERS) {
		add(FOREIGN_MARKS, 1);
		printf("%s in %s of %s\n", owners[owner].mark, where, owners[me].mark);
		fflush(stdout);
	}
}

/*
 * Looks for marks in memory that the module filled for a caller. Sessions of ROOT and GUEST are
 * shared, and may show anything.
 */
static inline void look_for_marks(const char *at, size_t bytes, const char *where)
{
	const char *end = at + bytes, *text = at;

	if (me != NOBODY)
		return;
	for (const char *word = at; end - word >= 8; word += 8)
		count_mark(owner_of_word(*(const uint64_t *)word), OWN_WORDS, where);
	while ((text = memmem(text, end - text, "mark-", MARK_BYTES - 1)) &&
	       end - text >= MARK_BYTES) {
		count_mark(owner_of_text(text), OWN_TEXTS, where);
		text += MARK_BYTES;
	}
}

/* Returns a victim, a process of this program, or any number. NOBODY mostly picks its own. */
static inline int some_pid(void)
{
	unsigned int i = below(NR_VICTIMS);

	if (one_in(8))
		return one_in(2) ? getpid() : one_in(2) ? getppid() : (int)odd();
	for (int tries = 0; tries < 3 && shared->victims[i].owner != me && !one_in(4); tries++)
		i = below(NR_VICTIMS);
	return __atomic_load_n(&shared->victims[i].pid, __ATOMIC_RELAXED);
}

#endif
