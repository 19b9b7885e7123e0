/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The contract between pprof.ko and user space: the ioctls of /dev/pprof, the
 * per-CPU rings and their records, and the generic netlink family.
 *
 * A session is one open file. The order of calls is INFO, SETUP, mmap of the
 * rings, ATTACH (once a process; none for PPROF_SETUP_ALL), START (once a
 * source), STOP, close. TABLE_ADD and RANGES tell how to unwind a process,
 * best before START. Everything ends with the last close. poll() gives
 * EPOLLIN while a ring is filled to its watermark, and EPOLLHUP when no target
 * is left.
 *
 * A client is a file opened for writing only: through it a program tells of
 * profiles of its own, which sessions read, and labels its threads. It takes CUSTOM,
 * CUSTOM_LIST, LABEL and LABEL_WORD, a session all others; of the wrong kind of file
 * they are -EBADF. See pprof_client.h.
 *
 * Times are CLOCK_MONOTONIC in ns, sizes are bytes, pids and tids are those of
 * the opener's pid namespace, but for netlink's.
 */
#ifndef _UAPI_PPROF_H
#define _UAPI_PPROF_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define PPROF_ABI_MAJOR		2	/* another major: refuse to work */
#define PPROF_ABI_MINOR		2	/* grows with every addition */

#define PPROF_MAX_FRAMES	256
#define PPROF_DEFAULT_FRAMES	127
#define PPROF_MIN_RING_BYTES	(32U << 10)
#define PPROF_MAX_RING_BYTES	(64U << 20)
#define PPROF_MIN_PERIOD_NS	100000ULL	/* 10,000 Hz */
#define PPROF_MAX_PERIOD_NS	1000000000ULL	/* 1 Hz */
#define PPROF_MAX_BLOCK_RATE_NS	1000000000000ULL
#define PPROF_MAX_MUTEX_FRACTION	(1U << 31)
#define PPROF_MAX_GROWTH_PERIOD	(1U << 30)
#define PPROF_MAX_HEAP_PERIOD	(1U << 30)
#define PPROF_COMM_LEN		16

/* What can be sampled: pprof_start.source, pprof_sample.source, loss counters. */
#define PPROF_SOURCE_CPU		0
#define PPROF_SOURCE_THREADCREATE	1
#define PPROF_SOURCE_WALL		2
#define PPROF_SOURCE_BLOCK		3
#define PPROF_SOURCE_MUTEX		4
#define PPROF_SOURCE_HEAP		5
#define PPROF_SOURCE_GROWTH		6
#define PPROF_SOURCE_THREAD		7	/* by PPROF_IOC_THREADS, not by START */
#define PPROF_SOURCE_CUSTOM		8	/* by PPROF_IOC_CUSTOM_READ, in no ring */
#define PPROF_NR_SOURCES		9

/* Loss counters have two classes more: the records of frees, and of processes' lives. */
#define PPROF_CLASS_FREE		14
#define PPROF_CLASS_LIFE		15
#define PPROF_NR_CLASSES		16

/* Why something produced was not handed over. */
#define PPROF_LOST_FULL		0	/* the reader was too slow for the ring */
#define PPROF_LOST_QUEUE	1	/* too many at once: mappings, waiting threads, objects */
#define PPROF_NR_LOST		2
#define PPROF_MAX_LOST		4
#define PPROF_MAX_ENDS		16	/* room for more of PPROF_END_* */

/*
 * Every argument opens with its size, set by the caller. A larger size than
 * the kernel's is taken while the rest is zero (else -E2BIG), a smaller one is
 * filled up with zeroes. Unknown flags and non-zero padding are -EINVAL.
 */
struct pprof_info {
	__u32 size;
	__u16 abi_major;
	__u16 abi_minor;
	__u32 nr_cpus;		/* rings are 0 .. nr_cpus - 1, some may be absent */
	__u32 pad;
	__u64 sources;		/* bit n: source n can be started */
};

#define PPROF_SETUP_ALL		(1U << 0)	/* every process; needs CAP_PERFMON */
#define PPROF_SETUP_CHILDREN	(1U << 1)	/* children of targets are targets */
#define PPROF_SETUP_TABLES	(1U << 2)	/* unwind by tables, not by frame pointers */
#define PPROF_SETUP_THREAD_ENDS	(1U << 3)	/* PPROF_REC_THREAD_END for each thread */
/*
 * For PPROF_IOC_THREADS alone, of one process as long as it executes what it did when it
 * was attached. No hook is placed: what it does is not told, no source can be started.
 * Not with ALL, CHILDREN or THREAD_ENDS.
 */
#define PPROF_SETUP_SNAPSHOT	(1U << 4)

struct pprof_setup {
	__u32 size;
	__u32 flags;		/* PPROF_SETUP_* */
	__u32 ring_bytes;	/* of a CPU, a power of two; over 512 KiB needs CAP_PERFMON */
	__u32 watermark_bytes;	/* poll() wakes above this; 0: half the ring */
	__u32 max_frames;	/* 0: PPROF_DEFAULT_FRAMES */
	__u32 pad;
};

struct pprof_attach {
	__u32 size;
	__u32 flags;		/* none yet */
	__s32 pid;		/* in: a thread of the process; out: its leader */
	__u32 pad;
	__u64 image;		/* out: what the process executes now */
};

struct pprof_start {
	__u32 size;
	__u32 source;		/* PPROF_SOURCE_* */
	/*
	 * cpu, wall: ns between two ticks. block: ns, of which each gives one sample on
	 * average; 1: every event. mutex: one of so many unlocks. growth, heap: bytes
	 * between two samples; 1: every object. Others: 0.
	 */
	__u64 period;
};

struct pprof_stop {
	__u32 size;
	__u32 source;
};

/* A table of struct pprof_table_head, for RANGES to name. */
struct pprof_table_add {
	__u32 size;
	__u32 table;		/* out: its number, not 0 */
	__u64 data;		/* address of the table, in the caller */
	__u32 bytes;		/* of it */
	__u32 pad;
};

struct pprof_table_drop {
	__u32 size;
	__u32 table;
};

/* Executable memory of a process: [start, end). */
struct pprof_range {
	__u64 start;
	__u64 end;
	__u64 bias;		/* start - offset in the file, modulo 2^64 */
	__u32 table;		/* 0: no table, as for compiled-at-run-time code */
	__u32 pad;
};

/*
 * A function of an allocator, and where its arguments are: in the registers of
 * the System V ABI for x86-64, 3.2.3.
 */
#define PPROF_HEAP_FREE			0	/* (object) */
#define PPROF_HEAP_FAILS		1	/* see below */
#define PPROF_HEAP_REALLOC		2	/* (object, size) gives an object */
#define PPROF_HEAP_MALLOC		3	/* (size) */
#define PPROF_HEAP_CALLOC		4	/* (number, size of each) */
#define PPROF_HEAP_ALIGNED		5	/* (alignment, size) */
#define PPROF_HEAP_POSIX_MEMALIGN	6	/* (where it goes to, alignment, size) gives 0 */
#define PPROF_HEAP_VALLOC		7	/* (size), and may call another of these inside */
#define PPROF_HEAP_OUTER_CALLOC		8	/* as CALLOC, and may do that */
#define PPROF_HEAP_NEW			9	/* (size), and may throw */
#define PPROF_HEAP_NEW_FAILS		10	/* likewise, but calls FAILS before */
#define PPROF_HEAP_NEW_ALIGNED		11	/* as NEW_FAILS, and may call another inside */
#define PPROF_NR_HEAP			12

/*
 * To await a return takes the return address off the stack, where a C++ exception
 * would not find it, and end the program. So NEW is not awaited: its samples have the
 * number 0, and when the object is freed is not told. NEW_FAILS is awaited: FAILS, such
 * as std::set_new_handler(), puts the addresses back. That is told where the same file
 * has it, or a stub that jumps to it: of another file a process may have another
 * version. NEW_FAILS is taken for NEW in a thread with a shadow stack, and every
 * function is that is called on another stack, as by a signal, while one is awaited.
 */

struct pprof_heap_probe {
	__s32 fd;		/* of the file that is mapped, readable */
	__u32 kind;		/* PPROF_HEAP_* */
	/*
	 * Of an instruction in the file, the function's first, or a later one before
	 * any that changes an argument, the stack, or where it goes on.
	 */
	__u64 offset;
};

#define PPROF_MAX_HEAP_PROBES	64

struct pprof_heap {
	__u32 size;
	__u32 nr;
	__u64 probes;		/* address of an array of struct pprof_heap_probe, in the caller */
};

#define PPROF_MAX_RANGES	4096	/* of a process */

struct pprof_ranges {
	__u32 size;
	__s32 pid;
	__u64 image;		/* see struct pprof_event */
	__u64 ranges;		/* address of an array of struct pprof_range, in the caller */
	__u32 nr;
	__u32 pad;
};

struct pprof_threads {
	__u32 size;
	__u32 flags;		/* none yet */
	__u32 next;		/* in: 0, or what came out; out: 0 when all are told */
	__u32 pad;
};

/*
 * Profiles of a program's own: named sets of values (addresses, handles), each
 * with the stack that added it. They belong to the process, whichever of its
 * files they came through, and to what it executes: a child has none, and an exec
 * ends them. A close does not.
 *
 * What all processes of a user hold together is bounded, but for those with
 * CAP_PERFMON: a process too many is -EMFILE of open(), memory too much -ENOSPC.
 *
 * A name is UTF-8 of 1 to 63 bytes, padded by NULs: printable, without spaces,
 * quotation marks, commas and backslashes.
 */
#define PPROF_CUSTOM_NAME_BYTES		64
#define PPROF_MAX_CUSTOM_PROFILES	64	/* of a process */
#define PPROF_MAX_CUSTOM_VALUES		65536	/* of all its profiles */
#define PPROF_MAX_CUSTOM_FRAMES		(32U * PPROF_MAX_CUSTOM_VALUES)	/* of all values */

/* pprof_custom.op */
#define PPROF_CUSTOM_NEW	0	/* a profile: -EEXIST, also for the name of a kind */
#define PPROF_CUSTOM_ADD	1	/* a value: -EEXIST if it is there */
#define PPROF_CUSTOM_REMOVE	2	/* a value, whether it is there or not */
#define PPROF_CUSTOM_COUNT	3	/* tells how many values there are */
#define PPROF_NR_CUSTOM_OPS	4

/* pprof_custom.flags, of ADD; pprof_custom_value.flags */
#define PPROF_CUSTOM_CUT	(1U << 0)	/* the stack had more frames */

struct pprof_custom {
	__u32 size;
	__u32 op;		/* PPROF_CUSTOM_* */
	__u64 value;		/* ADD, REMOVE; else 0, as what follows */
	__u64 frames;		/* ADD: address of an array of return addresses, leaf first */
	__u32 nr_frames;	/* at most PPROF_MAX_FRAMES; 0: the stack is not known */
	__u32 flags;
	__u64 count;		/* out, of COUNT */
	__u8 name[PPROF_CUSTOM_NAME_BYTES];
};

struct pprof_custom_name {
	__u64 count;
	__u8 name[PPROF_CUSTOM_NAME_BYTES];
};

struct pprof_custom_list {
	__u32 size;
	__s32 pid;		/* of a client: 0, itself */
	__u64 names;		/* address of an array of struct pprof_custom_name */
	__u32 room;		/* of it, in names */
	__u32 nr;		/* out: how many there are; those that fit are told */
};

/* What CUSTOM_READ gives, one after the other. */
struct pprof_custom_value {
	__u64 value;
	__u32 nr_frames;
	__u32 flags;
	__u64 frames[];
};

#define PPROF_MIN_CUSTOM_BYTES	4096	/* of a buffer: any one value fits */

struct pprof_custom_read {
	__u32 size;
	__s32 pid;		/* in: a thread of the process; out: its leader */
	__u64 image;		/* out: what the process executes, see struct pprof_event */
	__u64 data;		/* address of a buffer */
	__u32 bytes;		/* in: of it; out: what was written */
	__u32 pad;
	__u64 next;		/* in: 0, or what came out; out: 0 when all are told */
	__u64 until;		/* in: what came out of the first call */
	__u8 name[PPROF_CUSTOM_NAME_BYTES];
};

/*
 * Labels: a thread has a set of them, or none, and so have the samples that it is
 * charged with. Sets have numbers, which are the process's own; which one a thread
 * has stands in a word of memory that the process shares with the module, so that a
 * change takes no call. A number that is none of its sets, as one of its parent's,
 * means no labels. A new thread begins with its creator's set, a child process with
 * nothing; an exec ends them. A close does not: they go with the process.
 *
 * A key is a name as that of a profile, a value any bytes but NUL.
 */
#define PPROF_LABEL_KEY_BYTES	64	/* with a NUL */
#define PPROF_LABEL_VALUE_BYTES	256	/* likewise */
#define PPROF_MAX_LABELS	8	/* of a set */
#define PPROF_MAX_LABEL_BYTES	1024	/* of a set: keys and values, each with a NUL */
#define PPROF_MAX_LABEL_SETS	4095	/* of a process */
#define PPROF_MAX_LABEL_THREADS	4096	/* of a process; others have no labels */
#define PPROF_MAX_USER_LABEL_THREADS	2048	/* of all processes of a user without CAP_PERFMON */

struct pprof_label {
	__u32 size;
	__u32 set;		/* in: what it is added to, 0: nothing; out: the set with it */
	__u8 key[PPROF_LABEL_KEY_BYTES];	/* padded by NULs, as the value */
	__u8 value[PPROF_LABEL_VALUE_BYTES];
};

struct pprof_label_word {
	__u32 size;
	__u32 pad;
	__u64 address;		/* out: of a __u32 that is this thread's; 0 there: no labels */
	__u64 space;		/* out: not 0, and no other process's nor client's */
};

#define PPROF_IOC_MAGIC		0xEB
#define PPROF_IOC_INFO		_IOWR(PPROF_IOC_MAGIC, 0x10, struct pprof_info)
#define PPROF_IOC_SETUP		_IOW(PPROF_IOC_MAGIC, 0x11, struct pprof_setup)
/*
 * Adds a process to the targets: -EACCES, -EPERM (no more than its stacks by frame
 * pointers may be seen: PPROF_SETUP_TABLES takes what ptrace(2) takes to attach), -ESRCH,
 * -EOPNOTSUPP (kernel thread), -EBUSY while a source runs, or for the second one with
 * PPROF_SETUP_SNAPSHOT, -EAGAIN if it executed something just now.
 */
#define PPROF_IOC_ATTACH	_IOWR(PPROF_IOC_MAGIC, 0x12, struct pprof_attach)
/* The same checks, adds nothing: tells which image a process executes now. */
#define PPROF_IOC_IMAGE		_IOWR(PPROF_IOC_MAGIC, 0x13, struct pprof_attach)
/*
 * -EINVAL for what can't be started now, -EBUSY for what runs, -EOPNOTSUPP for what isn't
 * there. Without CAP_PERFMON it waits for the next jiffy after a STOP; -EINTR: killed.
 */
#define PPROF_IOC_START		_IOW(PPROF_IOC_MAGIC, 0x14, struct pprof_start)
/*
 * When it returns, all that came until then is in the rings. wall: -EAGAIN if not all
 * of it fits: read the rings and call it again.
 */
#define PPROF_IOC_STOP		_IOW(PPROF_IOC_MAGIC, 0x15, struct pprof_stop)
/*
 * The next three need PPROF_SETUP_TABLES (else -EINVAL) and work at any time.
 * -EINVAL for a table that is not as pprof_table.h says, -E2BIG for one over
 * PPROF_TABLE_MAX_BYTES, -ENOSPC when the session's tables would exceed
 * PPROF_MAX_TABLE_BYTES (without CAP_PERFMON: PPROF_MAX_USER_TABLE_BYTES).
 */
#define PPROF_IOC_TABLE_ADD	_IOWR(PPROF_IOC_MAGIC, 0x16, struct pprof_table_add)
/* Its number is free; what ranges use of it stays until they change. -ENOENT. */
#define PPROF_IOC_TABLE_DROP	_IOW(PPROF_IOC_MAGIC, 0x17, struct pprof_table_drop)
/*
 * Sets all ranges of a target, in rising order, in place of those it had. A
 * child begins with its parent's, an exec drops them. -EINVAL for ranges that
 * overlap or are out of order, -ENOENT for an unknown table, -ESRCH if the
 * process is no target, has ended or executes another image.
 */
#define PPROF_IOC_RANGES	_IOW(PPROF_IOC_MAGIC, 0x18, struct pprof_ranges)

/*
 * A sample of each thread that the targets have, running or not, in order of
 * their tids: of each thread that is there all the time, one. It ends where a
 * ring is full, or after some time: read the rings and call it again. What
 * could not be sampled, as it never held still, is counted as lost. Threads are
 * looked at one after the other, none is stopped. -EAGAIN: too many came. A caller
 * without CAP_PERFMON sleeps as long as it took, a second at most, and so it does where
 * STOP looks at threads: of wall.
 */
#define PPROF_IOC_THREADS	_IOWR(PPROF_IOC_MAGIC, 0x19, struct pprof_threads)

/*
 * Where the source heap puts its breakpoints, into targets alone, when it starts;
 * in place of what was told before. They are put in the order of their kinds, in
 * which they must be told, and taken out in the opposite one: FREE first. They make
 * private copies of pages of code, so that it needs CAP_PERFMON (-EPERM), as perf's.
 * -EBUSY while the source runs, -EOPNOTSUPP if the kernel has no uprobes, or such as
 * end programs, or does not know whose memory is whose (CONFIG_MEMCG), -EBADF, -EACCES
 * for a file that could not be mapped as code, -EREMOTE for one on FUSE.
 */
#define PPROF_IOC_HEAP		_IOW(PPROF_IOC_MAGIC, 0x1a, struct pprof_heap)

/*
 * A client's: -ESRCH if the process that opened the file is another, or has
 * executed another program since; -ENOENT if it has no such profile, -ENOSPC
 * over the bounds above, -EINVAL for what is no name.
 */
#define PPROF_IOC_CUSTOM	_IOWR(PPROF_IOC_MAGIC, 0x1c, struct pprof_custom)
/*
 * The profiles of a process, in the order of their making: of a session, for whom
 * the same checks hold as for ATTACH, or of the client that asks.
 */
#define PPROF_IOC_CUSTOM_LIST	_IOWR(PPROF_IOC_MAGIC, 0x1d, struct pprof_custom_list)
/*
 * The values of a profile in the order in which they were added: those that are
 * there all the time once, those that go meanwhile once at most, those that come
 * after the first call not at all. The checks of ATTACH; -ENOENT if there is no
 * such profile. Works without SETUP.
 */
#define PPROF_IOC_CUSTOM_READ	_IOWR(PPROF_IOC_MAGIC, 0x1e, struct pprof_custom_read)

/*
 * A client's. Tells the number of the set that is another set and one label more, or
 * in place of the one with that key. Equal sets have one number. -ESRCH as of CUSTOM;
 * -ENOENT if it has no such set, -EINVAL for what is no key or value, -E2BIG for a set
 * over the bounds above, -ENOSPC for one too many, or when its user holds too much.
 * The first call maps the memory for the words, with the errors of mmap().
 */
#define PPROF_IOC_LABEL		_IOWR(PPROF_IOC_MAGIC, 0x1b, struct pprof_label)
/*
 * A client's: where the set of the calling thread stands; a child has it not. -ESRCH
 * likewise, and mmap()'s if this is the first call; -ENOSPC: the process, its user, or
 * all users without CAP_PERFMON have too many threads with labels.
 */
#define PPROF_IOC_LABEL_WORD	_IOWR(PPROF_IOC_MAGIC, 0x1f, struct pprof_label_word)

#define PPROF_MAX_TABLE_BYTES		(512U << 20)
#define PPROF_MAX_USER_TABLE_BYTES	(64U << 20)

/*
 * Rings: one a CPU, two mappings each, at these file offsets.
 *   TAIL: one page, struct pprof_ring_tail, read-write, shared.
 *   DATA: one page, struct pprof_ring_head, then ring_bytes; read-only, shared.
 *
 * head and tail count bytes and never wrap; a record stands at
 * (position & (ring_bytes - 1)) and is never split: a PPROF_REC_PAD fills the
 * end. Barriers, in the code by their letters:
 *
 *   kernel                              user
 *   A  load-acquire tail                C  load-acquire head
 *      write records                       read records
 *   B  store-release head               D  store-release tail
 *
 * B pairs with C: a reader that sees the head sees the records. D pairs with
 * A: the kernel writes over records only after their reader is done. The
 * kernel never trusts the tail: it keeps its own head and size.
 */
#define PPROF_MMAP_TAIL(cpu)	((__u64)(cpu) << 32)
#define PPROF_MMAP_DATA(cpu)	(((__u64)(cpu) << 32) | (1ULL << 31))

struct pprof_ring_tail {
	__u64 tail;
};

/*
 * Counters are in units of their class: a sample's weight (for cpu ticks, for
 * threadcreate threads, for growth periods), records for life and frees. They only grow, and
 * produced == handed over + the sum of lost, at any time.
 */
struct pprof_ring_head {
	__u64 head;
	__u64 ring_bytes;
	__u64 produced[PPROF_NR_CLASSES];
	__u64 lost[PPROF_NR_CLASSES][PPROF_MAX_LOST];
	__u64 ended[PPROF_NR_CLASSES][PPROF_MAX_ENDS];	/* of those handed over, by PPROF_END_* */
	/*
	 * cpu: the time between ticks of this CPU, a power of two times what was
	 * asked for, where sampling took too much of it; a tick then counts as many.
	 */
	__u64 period_ns;
	__u64 wall_period_ns;	/* wall: the same */
	__u64 heap_traps;	/* calls and returns that breakpoints of the source heap stopped */
	/*
	 * wall: each thread has the ticks from begin to end, by the clock of struct
	 * pprof_event. Told when START and STOP return, also STOP with -EAGAIN; 0 until then.
	 */
	__u64 wall_begin_ns;
	__u64 wall_end_ns;
};

enum pprof_record_type {
	PPROF_REC_PAD		= 0,	/* skip it */
	PPROF_REC_SAMPLE	= 1,
	PPROF_REC_FORK		= 2,
	PPROF_REC_EXEC		= 3,
	PPROF_REC_EXIT		= 4,
	PPROF_REC_COMM		= 5,
	PPROF_REC_MMAP		= 6,
	PPROF_REC_DROP		= 7,
	PPROF_REC_THREAD_END	= 8,
	PPROF_REC_FREE		= 10,
};

/* A reader skips types that it doesn't know by their size. */
struct pprof_record {
	__u32 type;
	__u32 size;		/* of the whole record, a multiple of 8 */
};

/*
 * Opens every record but PAD: who was current, and when. An image is what a
 * process executes: it changes at exec, and a reused pid has another, so
 * (pid, image) names one address space for ever.
 */
struct pprof_event {
	struct pprof_record rec;
	__u64 time_ns;
	__u32 pid;
	__u32 tid;
	__u64 image;
};

/* Why a stack ends where it does: pprof_sample.end. */
#define PPROF_END_COMPLETE	0	/* at the thread's or program's start */
#define PPROF_END_NO_USER	1	/* no user registers: exiting, io_uring worker */
#define PPROF_END_FAULT		2	/* the stack could not be read */
#define PPROF_END_BAD_FRAME	3	/* the chain leads nowhere */
#define PPROF_END_DEPTH		4	/* more than max_frames, or than may be walked at once */
#define PPROF_END_COMPAT	5	/* a 32-bit task: not walked */
/* By tables; FAULT and DEPTH as above, BAD_FRAME: a frame pointer that was tried. */
#define PPROF_END_NO_RANGES	6	/* nothing is known of the process yet */
#define PPROF_END_NO_RANGE	7	/* the PC is in none of its ranges */
#define PPROF_END_NO_RULE	8	/* the file's table has no rule for the PC */
#define PPROF_END_BAD_CFA	9	/* the rule leads nowhere */
#define PPROF_END_UNSUPPORTED	10	/* PPROF_CFA_UNSUPPORTED */
#define PPROF_END_LOST_REG	11	/* the rule needs a register that is not known there */
#define PPROF_END_AWAITED	12	/* a uprobe, which awaits the return, hides its address */
#define PPROF_NR_ENDS		13

/*
 * pprof_sample.arg of heap: the object's number, from 1, by which PPROF_REC_FREE tells
 * that it is freed. Of others that is not told: one whose return is not awaited, so
 * that it was sampled as its function began; and one that had no place among the live.
 */
#define PPROF_HEAP_NOT_AWAITED	0ULL
#define PPROF_HEAP_NOT_KEPT	(~0ULL)

/* pprof_sample.arg, where it is no system call's number. */
#define PPROF_NO_SYSCALL	(~0ULL)
#define PPROF_THREAD_RUNNING	(~1ULL)		/* it is on a CPU */
#define PPROF_THREAD_RUNNABLE	(~2ULL)		/* it waits for one */
#define PPROF_THREAD_STOPPED	(~3ULL)		/* by a signal, or a debugger */

/* pprof_sample.flags */
#define PPROF_SAMPLE_GUESS	(1U << 0)	/* a frame was found without a rule */
#define PPROF_SAMPLE_STALE	(1U << 1)	/* the process mapped code after its RANGES */
#define PPROF_SAMPLE_LABELS	(1U << 2)	/* pprof_sample_labels is behind the frames */

/*
 * A user stack, leaf first. frames[0] is the PC of the interrupted or calling
 * instruction; the others are return addresses.
 */
struct pprof_sample {
	struct pprof_event ev;
	/*
	 * cpu, wall, growth: periods that it stands for; heap: likewise of an object
	 * smaller than a period, while larger ones are all told; else 1.
	 */
	__u64 weight;
	/*
	 * threadcreate: the new thread's tid. block: the number of the system call
	 * that it blocked in, PPROF_NO_SYSCALL for a page fault, and where no user registers
	 * may be seen; growth likewise.
	 * thread, wall: the same, or PPROF_THREAD_* if it waits for nothing of its own.
	 * heap: the object's number, for struct pprof_free, or PPROF_HEAP_NOT_*.
	 */
	__u64 arg;
	/*
	 * block, mutex: ns; growth: bytes of the page; heap: of the object; thread: ns
	 * since it left its CPU, 0 if that is not known; else 0.
	 */
	__u64 value;
	__u16 source;		/* PPROF_SOURCE_* */
	__u16 end;		/* PPROF_END_* */
	__u16 nr_frames;
	__u16 flags;		/* PPROF_SAMPLE_* */
	__u8 comm[PPROF_COMM_LEN];	/* the thread's name, NUL-terminated */
	__u64 frames[];
};

/*
 * The labels of its thread. What a set is comes with the first sample of a ring that
 * has it, and may come again: pairs of key and value by rising key, each with a NUL
 * behind, and NULs up to a multiple of 8.
 */
struct pprof_sample_labels {
	__u64 set;		/* not 0; names one set of one process for ever */
	__u32 bytes;		/* of text, without the padding; 0: it was told before */
	__u32 pad;
	__u8 text[];
};

/* A process forked: ev is the parent. Threads are not forks. */
struct pprof_fork {
	struct pprof_event ev;
	__u64 child_image;
	__u32 child_pid;
	__u32 pad;
};

/* A process executes another program: ev is the new image. */
struct pprof_exec {
	struct pprof_event ev;
	__u64 old_image;
	__u8 comm[PPROF_COMM_LEN];
};

/* The last thread of a process ended. */
struct pprof_exit {
	struct pprof_event ev;
};

/*
 * ev.tid ends, but its process need not: told if PPROF_SETUP_THREAD_ENDS asks for
 * it. Of the last thread comes EXIT, and no more of one that executes a program.
 */
struct pprof_thread_end {
	struct pprof_event ev;
};

/* ev.tid has a new name. */
struct pprof_comm {
	struct pprof_event ev;
	__u8 comm[PPROF_COMM_LEN];
};

/*
 * Executable memory was mapped or became executable. May come later than
 * records of a later time_ns. Unmapping is not told: a mapping ends where a
 * later one overlaps it. No file: name is "" or as in /proc/PID/maps: "[vdso]".
 */
struct pprof_mmap {
	struct pprof_event ev;
	__u64 start;
	__u64 end;
	__u64 offset;		/* of start in the file, bytes */
	__u64 ino;
	__u32 dev_major;
	__u32 dev_minor;
	__u8 name[];		/* path as the kernel sees it, NUL-padded */
};

/* No target any more: it executed a program that its user may not look into. */
struct pprof_drop {
	struct pprof_event ev;
};

/*
 * An object that a sample of heap told of is no more. In the rings it may stand
 * before its sample, if that was another CPU's. Objects end with their process, too.
 */
struct pprof_free {
	struct pprof_event ev;
	__u64 object;		/* pprof_sample.arg */
};

/*
 * Generic netlink. All of it needs CAP_NET_ADMIN, and LISTEN CAP_PERFMON too. Pids and
 * tids are those of the initial pid namespace, from which SESSION_GET and LISTEN must come.
 *
 * SESSION_GET dumps the sessions: a message for each ring, with the session's
 * attributes and one PPROF_A_CPU; those of a session follow each other. One
 * without rings yet is one message without PPROF_A_CPU.
 * LISTEN makes announcements flow to the caller's socket, until it closes;
 * PPROF_A_STACKS asks for the creators' stacks. Each announcement is one THREAD
 * message; a gap in PPROF_A_SEQ is the number of those that were missed. There
 * is no multicast group, since anybody could join its number before it is ours.
 * FLUSH is answered, with the PPROF_A_SEQ of the last creation before it, once all
 * announcements up to that one were sent: what a listener then lacks was missed.
 */
#define PPROF_GENL_NAME		"pprof"
#define PPROF_GENL_VERSION	1

enum pprof_genl_cmd {
	PPROF_CMD_UNSPEC,
	PPROF_CMD_SESSION_GET,
	PPROF_CMD_LISTEN,
	PPROF_CMD_THREAD,
	PPROF_CMD_FLUSH,
};

enum pprof_genl_attr {
	PPROF_A_UNSPEC,
	PPROF_A_PAD,		/* aligns 64-bit attributes */
	PPROF_A_SESSION_ID,	/* u32 */
	PPROF_A_FLAGS,		/* u32, PPROF_SETUP_* */
	PPROF_A_PID,		/* u32: the session's owner; the creator */
	PPROF_A_TID,		/* u32: the creator */
	PPROF_A_UID,		/* u32 */
	PPROF_A_COMM,		/* string */
	PPROF_A_TARGETS,	/* u32: processes attached and alive */
	PPROF_A_SOURCES,	/* u64: bit n, source n runs */
	PPROF_A_PERIOD_NS,	/* u64: of the source cpu */
	PPROF_A_RING_BYTES,	/* u32: of a CPU */
	PPROF_A_CPU,		/* nest, a ring: CPU_ID, PENDING, and CLASS several times */
	PPROF_A_CPU_ID,		/* u32 */
	PPROF_A_PENDING,	/* u64: bytes that the reader has not taken */
	PPROF_A_CLASS,		/* nest: CLASS_ID, PRODUCED, LOST, ENDED */
	PPROF_A_CLASS_ID,	/* u32: PPROF_SOURCE_* or PPROF_CLASS_LIFE */
	PPROF_A_PRODUCED,	/* u64 */
	PPROF_A_LOST,		/* u64 array, index PPROF_LOST_* */
	PPROF_A_STACKS,		/* flag */
	PPROF_A_SEQ,		/* u64: number of the announcement */
	PPROF_A_NEW_TID,	/* u32 */
	PPROF_A_TIME_NS,	/* u64 */
	PPROF_A_IMAGE,		/* u64: the creator's, see struct pprof_event */
	PPROF_A_FRAMES,		/* u64 array, leaf first */
	PPROF_A_END,		/* u32: PPROF_END_* of the frames */
	PPROF_A_ENDED,		/* u64 array in CLASS: samples, index PPROF_END_* */
	PPROF_A_TICK_NS,	/* u64 in CPU: see period_ns of struct pprof_ring_head */
	PPROF_A_WALL_PERIOD_NS,	/* u64: of the source wall */
	PPROF_A_WALL_TICK_NS,	/* u64 in CPU: see wall_period_ns of struct pprof_ring_head */
	__PPROF_A_MAX,
};

#define PPROF_A_MAX		(__PPROF_A_MAX - 1)

#endif /* _UAPI_PPROF_H */
