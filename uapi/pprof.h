/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The contract between pprof.ko and user space: the ioctls of /dev/pprof, the per-CPU rings and
 * their records, and the generic netlink family.
 *
 * A session is a file that was opened for reading. The calls come in this order:
 * - INFO, to check the version.
 * - SETUP, then mmap() of the rings.
 * - ATTACH, once for each process. A session with PPROF_SETUP_ALL or PPROF_SETUP_CGROUP attaches
 *   none.
 * - TABLE_ADD and RANGES, which upload how to unwind a process. They are best called before START.
 * - START, once for each source, and STOP.
 * - close(). The session ends when its last descriptor and its last mapping are gone.
 *
 * poll() of a session reports:
 * - EPOLLIN while a ring is filled to its watermark, or holds a record that is urgent.
 * - EPOLLHUP when a target was attached and none is left. PPROF_SETUP_ALL never reports it.
 *   PPROF_SETUP_CGROUP reports it when the cgroup was removed.
 *
 * A client is a file that was opened for writing only. Through it a program reports profiles of its
 * own, which sessions read, and labels its threads. See pprof_client.h. A client takes CUSTOM,
 * CUSTOM_LIST, LABEL and LABEL_SLOT. A session takes every ioctl but CUSTOM, LABEL and LABEL_SLOT.
 * An ioctl on the wrong kind of file is -EBADF, and so is mmap() of a client. poll() of a client
 * reports EPOLLERR.
 *
 * An exec id identifies one run of a program: the fields named exec_id, old_exec_id and
 * child_exec_id. It changes at every exec. A process that reuses a pid has another exec id. So a
 * pid and an exec id together name one address space for ever.
 *
 * Units: times are CLOCK_MONOTONIC in ns, sizes are bytes. Pids and tids are numbers of the pid
 * namespace in which the file was opened. Netlink uses the initial pid namespace.
 *
 * Threads. Several threads may use one descriptor at the same time.
 * - SETUP, ATTACH, HEAP, START, STOP, THREADS and RANGES take a mutex of the session. They wait for
 *   each other.
 * - CUSTOM_READ waits for another CUSTOM_READ of the session.
 * - INFO, EXEC_ID, TABLE_ADD, TABLE_DROP, TABLE_BIND, CUSTOM_LIST, mmap() and poll() wait for none
 *   of these.
 * - A ring must have one reader at a time. The kernel takes the tail as it finds it.
 *
 * A descriptor after fork(), dup() or SCM_RIGHTS refers to the same session or client.
 * - Session: any process may use it. The kernel checks the rights of the calling thread at each
 *   call. It does not check the rights of the process that opened the file. So an open session is a
 *   right to the stacks of its targets, and with PPROF_SETUP_TABLES to their memory.
 * - Session: a child of fork() does not inherit the mappings of the rings, but can map them again.
 * - Session: close() ends it at once if the process that opened it drops the last reference. If
 *   another process drops it, a work item ends the session later.
 * - Client: only the process that opened the file may use it, until its next exec. Every ioctl of
 *   another process is -ESRCH.
 *
 * Errors of open():
 * - -EMFILE: too many sessions, or too many clients of the user.
 * - -ENOMEM.
 * - -EPERM: kernel lockdown, for a session only.
 * - -EACCES: users without CAP_PERFMON may not profile, for a session only. The module's parameter
 *   "users" or kernel.perf_event_paranoid says so.
 * - -ESRCH: the caller has no memory of its own, for a client only.
 *
 * Errors of every ioctl, which the lists below do not repeat:
 * - -EFAULT: memory of the caller cannot be read or written.
 * - -EINVAL: a bad size, an unknown flag, or padding that is not zero.
 * - -E2BIG: the caller's struct is larger than the kernel's, and the rest is not zero.
 * - -EBADF: the wrong kind of file. -ENOTTY: no such ioctl.
 * - -EINTR: the calling thread is being killed while it waits.
 */
#ifndef _UAPI_PPROF_H
#define _UAPI_PPROF_H

#include <linux/types.h>
#include <linux/ioctl.h>

/*
 * The version of this interface. INFO and `modinfo -F abi pprof` report it. The version of the
 * module is another number (`modinfo -F version pprof`). A reader must refuse another major
 * version. The minor one grows with every addition, which older modules lack.
 */
#define PPROF_ABI_MAJOR		3
#define PPROF_ABI_MINOR		5

#define PPROF_MAX_FRAMES	256
#define PPROF_DEFAULT_FRAMES	127
#define PPROF_MAX_KERNEL_FRAMES	64
#define PPROF_SHARED_STACKS	8	/* see PPROF_SETUP_SHARED */
#define PPROF_MIN_RING_BYTES	(32U << 10)
#define PPROF_MAX_RING_BYTES	(64U << 20)
#define PPROF_MIN_PERIOD_NS	100000ULL	/* 10,000 Hz */
#define PPROF_MAX_PERIOD_NS	1000000000ULL	/* 1 Hz */
#define PPROF_MAX_BLOCK_RATE_NS	1000000000000ULL
#define PPROF_MAX_MUTEX_FRACTION	(1U << 31)
#define PPROF_MAX_GROWTH_PERIOD	(1U << 30)
#define PPROF_MAX_HEAP_PERIOD	(1U << 30)
#define PPROF_COMM_LEN		16

/*
 * Sources: pprof_start.source, pprof_sample.source, and the index of the loss counters.
 *
 *               period of START        weight           arg                   value
 * CPU           ns between ticks       periods          0                     0
 * THREADCREATE  0                      1                tid of new thread     0
 * WALL          ns between ticks       periods          system call or state  0
 * BLOCK         ns for one sample      1                system call           ns until it ran again
 * MUTEX         one of N unlocks: N    1                0                     ns of all waiters
 * HEAP          bytes for one sample   periods, or 1    object's number       bytes of the object
 * GROWTH        bytes for one sample   periods          system call           bytes of the page
 * THREAD        not by START           1                system call or state  ns off the CPU
 * CUSTOM        not by START           no samples
 *
 * Bounds of the period, both included:
 * - CPU, WALL: PPROF_MIN_PERIOD_NS to PPROF_MAX_PERIOD_NS.
 * - BLOCK: 1 to PPROF_MAX_BLOCK_RATE_NS.
 * - MUTEX: 1 to PPROF_MAX_MUTEX_FRACTION.
 * - HEAP: 1 to PPROF_MAX_HEAP_PERIOD. GROWTH: 1 to PPROF_MAX_GROWTH_PERIOD.
 * - THREADCREATE: 0.
 *
 * The columns mean:
 * - CPU, WALL: the weight is the number of periods that the sample stands for.
 * - BLOCK: a wait shorter than the period is sampled with the probability wait / period. A longer
 *   wait is always sampled. 1 samples every wait.
 * - MUTEX: an unlock is sampled with the probability 1 / period. 1 samples every unlock that
 *   threads waited for.
 * - HEAP, GROWTH: one sample for each period of bytes, on average. The weight is the number of
 *   periods. 1 samples every allocation.
 * - HEAP: an object of at least a period is always sampled, with the weight 1.
 * - System call: its number, or PPROF_NO_SYSCALL. State: PPROF_THREAD_*.
 * - Object's number: see PPROF_HEAP_NO_URETPROBE.
 * - THREAD: the value is the time since the thread left its CPU, 0 if it is not known.
 */
#define PPROF_SOURCE_CPU		0
#define PPROF_SOURCE_THREADCREATE	1
#define PPROF_SOURCE_WALL		2
#define PPROF_SOURCE_BLOCK		3
#define PPROF_SOURCE_MUTEX		4
#define PPROF_SOURCE_HEAP		5
#define PPROF_SOURCE_GROWTH		6
#define PPROF_SOURCE_THREAD		7	/* by PPROF_IOC_THREADS */
#define PPROF_SOURCE_CUSTOM		8	/* by PPROF_IOC_CUSTOM_READ */
#define PPROF_NR_SOURCES		9

/*
 * Classes of the loss counters. Classes 0 to 8 are the sources. 9 to 13 are not used. FREE counts
 * PPROF_REC_FREE. EVENT counts process events: fork, exec, exit, comm, mmap, drop, thread end and
 * enter.
 */
#define PPROF_CLASS_FREE		14
#define PPROF_CLASS_EVENT		15
#define PPROF_NR_CLASSES		16

/* Why a record was lost: the second index of pprof_ring_head.lost. 2 and 3 are not used. */
#define PPROF_LOST_FULL		0	/* the reader was too slow for the ring */
/* A table or queue of fixed size was full, or the event was over before its sample was taken. */
#define PPROF_LOST_QUEUE	1
#define PPROF_NR_LOST		2
#define PPROF_MAX_LOST		4
#define PPROF_MAX_END_REASONS	16 /* room for more PPROF_END_* */

/*
 * Every argument of an ioctl begins with its size, which the caller sets. The size is 4 bytes to
 * one page. If the caller's struct is larger than the kernel's, the rest must be zero. If it is
 * smaller, the kernel fills up with zeroes, and writes back no more than the caller's size.
 */
struct pprof_info {
	__u32 size;
	__u16 abi_major;
	__u16 abi_minor;
	__u32 nr_cpus;		/* rings are 0 .. nr_cpus - 1; mmap() of an absent one is -ENXIO */
	__u32 pad;
	/*
	 * Bit n: the module has source n. PPROF_IOC_HEAP may still find that the kernel cannot run
	 * HEAP.
	 */
	__u64 sources;
};

#define PPROF_SETUP_ALL		(1U << 0)	/* every process; needs CAP_PERFMON */
#define PPROF_SETUP_CHILDREN	(1U << 1)	/* children of targets become targets */
#define PPROF_SETUP_TABLES	(1U << 2)	/* unwind by tables, not by frame pointers */
#define PPROF_SETUP_THREAD_ENDS	(1U << 3)	/* PPROF_REC_THREAD_END for each thread */
/*
 * For PPROF_IOC_THREADS alone. The session has one target. After an exec of the target no thread is
 * sampled any more. No tracepoint is hooked, so the rings get no process events, and no source can
 * be started. Not together with ALL, CHILDREN or THREAD_ENDS.
 */
#define PPROF_SETUP_SNAPSHOT	(1U << 4)
/*
 * Since ABI 3.2. Samples of CPU, THREADCREATE, WALL, BLOCK and GROWTH have the frames of the
 * kernel. Needs CAP_PERFMON. Not together with SNAPSHOT.
 */
#define PPROF_SETUP_KERNEL	(1U << 5)
/*
 * Since ABI 3.2: every process of a cgroup of cgroup2 and of the cgroups below it, if it has a pid
 * in the pid namespace in which the file was opened. A process that comes into the cgroup becomes a
 * target. One that leaves it is none any more. Needs CAP_PERFMON. Not together with ALL, CHILDREN
 * or SNAPSHOT.
 */
#define PPROF_SETUP_CGROUP	(1U << 6)
/*
 * Since ABI 3.2: samples have the thread context of their thread, where RANGES says how to find it:
 * see struct pprof_sample_context. Only with TABLES.
 */
#define PPROF_SETUP_CONTEXT	(1U << 7)
/*
 * Since ABI 3.4: samples leave out outer frames of the user stack that an earlier sample has. See
 * nr_shared of struct pprof_sample. Only with TABLES.
 */
#define PPROF_SETUP_SHARED	(1U << 8)

struct pprof_setup {
	__u32 size;
	__u32 flags;		/* PPROF_SETUP_* */
	/*
	 * Per CPU: a power of two from PPROF_MIN_RING_BYTES to PPROF_MAX_RING_BYTES. More than 512
	 * KiB need CAP_PERFMON.
	 */
	__u32 ring_bytes;
	__u32 watermark_bytes;	/* poll() wakes at this fill level or above; 0: half the ring */
	/*
	 * Of a user stack: at most PPROF_MAX_FRAMES; 0: PPROF_DEFAULT_FRAMES. Kernel frames come
	 * in addition: as many at most, and at most PPROF_MAX_KERNEL_FRAMES.
	 */
	__u32 max_frames;
	__s32 cgroup;		/* with CGROUP: an open folder of cgroup2; else 0 */
};

struct pprof_attach {
	__u32 size;
	__u32 flags;		/* none are defined */
	__s32 pid;		/* in: any thread of the process; out: its thread group leader */
	__u32 pad;
	__u64 exec_id;		/* out: the exec id of the process */
};

struct pprof_start {
	__u32 size;
	__u32 source;		/* PPROF_SOURCE_* */
	/* its unit and bounds: see the table at PPROF_SOURCE_CPU */
	__u64 period;
};

struct pprof_stop {
	__u32 size;
	__u32 source;
};

/* Uploads an unwind table, in the format of pprof_table.h. RANGES refers to it by its number. */
struct pprof_table_add {
	__u32 size;
	__u32 table;		/* out: its number, not 0 */
	__u64 data;		/* address of the table, in the caller's memory */
	__u32 bytes;		/* size of the table */
	__u32 pad;
};

struct pprof_table_drop {
	__u32 size;
	__u32 table;
};

/* Since ABI 3.3: binds a table to a file. */
struct pprof_table_bind {
	__u32 size;
	__u32 table;		/* its number; 0: the file has no table */
	__s32 fd;		/* of the file; open for reading. -1: the vDSO of 64-bit programs */
	/* st_ctim of fstat(), called before the table was made from the file. vDSO: 0 */
	__u32 ctime_nsec;
	__s64 ctime_sec;
};

/* A piece of executable memory of a process: [start, end). */
struct pprof_range {
	__u64 start;
	__u64 end;
	__u64 bias;		/* start - offset in the file, modulo 2^64 */
	__u32 table;		/* 0: no table, as for code that was compiled at run time */
	__u32 pad;
};

/*
 * The functions of an allocator that source HEAP probes, with their arguments. Arguments are in the
 * registers of the System V ABI for x86-64, section 3.2.3.
 */
#define PPROF_HEAP_FREE			0	/* (object) */
/* The allocator calls it before it throws: see below */
#define PPROF_HEAP_NEW_HANDLER		1
#define PPROF_HEAP_REALLOC		2	/* (object, size), returns an object */
#define PPROF_HEAP_MALLOC		3	/* (size) */
#define PPROF_HEAP_CALLOC		4	/* (number, size of each) */
#define PPROF_HEAP_ALIGNED		5	/* (alignment, size) */
/* (where to store the object, alignment, size), returns 0 on success */
#define PPROF_HEAP_POSIX_MEMALIGN	6
#define PPROF_HEAP_VALLOC		7	/* (size); may call another of these functions */
#define PPROF_HEAP_OUTER_CALLOC		8	/* as CALLOC; may call another of these functions */
#define PPROF_HEAP_NEW			9	/* (size); may throw */
#define PPROF_HEAP_NEW_HANDLED		10 /* (size); may throw, but calls NEW_HANDLER before */
/* As NEW_HANDLED; may call another of these functions */
#define PPROF_HEAP_NEW_ALIGNED		11
#define PPROF_NR_HEAP			12

/*
 * A uretprobe replaces the return address on the stack. A C++ exception does not find the caller
 * there, and ends the program.
 *
 * So NEW has no uretprobe. Its samples have the object number 0, and no PPROF_REC_FREE follows.
 *
 * NEW_HANDLED and NEW_ALIGNED have one. Before they throw they call NEW_HANDLER, which is
 * std::get_new_handler() or std::set_new_handler(). The probe of NEW_HANDLER puts the return
 * addresses back. NEW_HANDLER must be in the same file as NEW_HANDLED: the function itself, or a
 * stub that jumps to it. Calls of NEW_HANDLED and NEW_ALIGNED are not sampled while their file has
 * no probe of NEW_HANDLER in place.
 *
 * In a thread with a shadow stack two kinds of calls have no uretprobe:
 * - NEW_HANDLED and NEW_ALIGNED.
 * - Any function on another stack, as that of a signal handler, while a call on the interrupted
 *   stack has a uretprobe.
 *
 * Without a uretprobe, only MALLOC, CALLOC, NEW and NEW_HANDLED are sampled.
 */

struct pprof_heap_probe {
	__s32 fd;		/* of the file that the target maps; open for reading */
	__u32 function;		/* PPROF_HEAP_* */
	/*
	 * The file offset of an instruction: the first one of the function, or a later one. No
	 * instruction before it may change an argument or the stack pointer, or jump.
	 */
	__u64 offset;
};

#define PPROF_MAX_HEAP_PROBES	64

struct pprof_heap {
	__u32 size;
	__u32 nr;
	/* Address of an array of struct pprof_heap_probe, in the caller's memory */
	__u64 probes;
};

#define PPROF_MAX_RANGES	4096	/* of a process */

/*
 * pprof_tls_address.kind: how a variable of a thread is found from its thread pointer (fs base).
 * "ELF Handling For Thread-Local Storage" by Drepper has the DTV. A libc may choose its layout:
 * - GLIBC: an entry has 16 bytes, and the one before the first has the number of entries.
 * - MUSL: an entry has 8 bytes, and the first one is the number of entries.
 */
#define PPROF_TLS_NONE		0	/* there is none */
#define PPROF_TLS_STATIC	1	/* at the thread pointer plus offset, which is negative */
#define PPROF_TLS_DTV_GLIBC	2	/* in the block of the module, at the offset */
#define PPROF_TLS_DTV_MUSL	3
#define PPROF_NR_TLS		4

#define PPROF_MAX_TLS_MODULE	65535U
#define PPROF_MAX_TLS_OFFSET	(1 << 30)

/*
 * pprof_tls_address.format and pprof_sample_context.format: the form of a thread context. It also
 * says which variable has the address of the context.
 * - OTEL: otel_thread_ctx_v1 of OpenTelemetry Enhancement Proposal 4947.
 * - LABELS, since ABI 3.5: custom_labels_current_set of Polar Signals' Custom Label ABI, version 1.
 */
#define PPROF_CONTEXT_OTEL	0
#define PPROF_CONTEXT_LABELS	1
#define PPROF_NR_CONTEXTS	2

struct pprof_tls_address {
	__u32 kind;		/* PPROF_TLS_* */
	__u16 module;		/* DTV: 1 to PPROF_MAX_TLS_MODULE; else 0 */
	__u16 format;		/* PPROF_CONTEXT_*; NONE: 0 */
	/*
	 * A multiple of 8. STATIC: from -PPROF_MAX_TLS_OFFSET to -8. DTV: from 0 to below
	 * PPROF_MAX_TLS_OFFSET. NONE: 0.
	 */
	__s64 offset;
};

struct pprof_ranges {
	__u32 size;
	__s32 pid;		/* any thread of the process */
	__u64 exec_id;		/* exec id that the ranges belong to */
	/* Address of an array of struct pprof_range, in the caller's memory */
	__u64 ranges;
	__u32 nr;
	__u32 pad;
	/*
	 * Since ABI 3.2: where the threads have the address of their thread context. Only with
	 * PPROF_SETUP_CONTEXT; else NONE.
	 */
	struct pprof_tls_address context;
};

struct pprof_threads {
	__u32 size;
	__u32 flags;		/* none are defined */
	/* In: 0 first, then the value that came out; out: 0 when all threads are done */
	__u32 next;
	__u32 pad;
};

/*
 * Custom profiles: named sets of values (addresses, handles), each with the stack that added it.
 * They belong to one process and one exec id. Any client file of that process reaches them. A child
 * has none. An exec or the end of the process frees them. A close() does not.
 *
 * The memory of all processes of a user is bounded. One client too many is -EMFILE of open(), too
 * much memory is -ENOSPC. Processes with CAP_PERFMON have no such bound.
 *
 * A name is UTF-8 of 1 to 63 bytes, padded with NULs. Its characters are printable, without spaces,
 * double quotes, commas and backslashes.
 */
#define PPROF_CUSTOM_NAME_BYTES		64
#define PPROF_MAX_CUSTOM_PROFILES	64	/* of a process */
#define PPROF_MAX_CUSTOM_VALUES		65536	/* of all profiles of a process */
/* Of all values of a process */
#define PPROF_MAX_CUSTOM_FRAMES		(32U * PPROF_MAX_CUSTOM_VALUES)

/* pprof_custom.op */
/* Makes a profile; -EEXIST also for a built-in profile type */
#define PPROF_CUSTOM_NEW	0
#define PPROF_CUSTOM_ADD	1	/* adds a value; -EEXIST if it is there */
#define PPROF_CUSTOM_REMOVE	2	/* removes a value; no error if it is not there */
#define PPROF_CUSTOM_COUNT	3	/* returns the number of values */
#define PPROF_NR_CUSTOM_OPS	4

/* pprof_custom.flags of ADD, and pprof_custom_value.flags */
#define PPROF_CUSTOM_TRUNCATED	(1U << 0)	/* the stack is truncated: it had more frames */

struct pprof_custom {
	__u32 size;
	__u32 op;		/* PPROF_CUSTOM_* */
	__u64 value;		/* ADD, REMOVE; else 0 */
	/* ADD: address of an array of return addresses, leaf first; else 0 */
	__u64 frames;
	__u32 nr_frames;	/* ADD: at most PPROF_MAX_FRAMES, 0 for an unknown stack; else 0 */
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
	/* Session: in: any thread of the process; out: its thread group leader. Client: 0 */
	__s32 pid;
	__u64 names;		/* address of an array of struct pprof_custom_name */
	__u32 room;		/* names that fit into the array */
	/* Out: the number of profiles. The array gets the first of them, as many as fit. */
	__u32 nr;
};

/* CUSTOM_READ writes these one after the other. */
struct pprof_custom_value {
	__u64 value;
	__u32 nr_frames;
	__u32 flags;
	__u64 frames[];
};

#define PPROF_MIN_CUSTOM_BYTES	4096	/* of the buffer of CUSTOM_READ: any one value fits */

struct pprof_custom_read {
	__u32 size;
	__s32 pid;		/* in: any thread of the process; out: its thread group leader */
	__u64 exec_id;		/* out: the exec id of the process */
	__u64 data;		/* address of a buffer */
	/*
	 * In: size of the buffer. The kernel writes at most 256 KiB a call. Out: bytes that were
	 * written.
	 */
	__u32 bytes;
	__u32 pad;
	__u64 next;		/* in: 0 first, then the value that came out; out: 0 at the end */
	__u64 until;		/* in: the value that came out of the first call */
	__u8 name[PPROF_CUSTOM_NAME_BYTES];
};

/*
 * Labels. A thread has one set of labels, or none. Its samples carry that set.
 *
 * Each process numbers its own sets. The number of a thread's set is in a slot of the label page,
 * which the process shares with the module. So a thread changes its labels without a system call. A
 * number that is no set of the process means no labels. The sets of its parent have other numbers.
 *
 * A new thread begins with the set of its creator. A child process begins without labels. An exec
 * or the end of the process frees the sets. A close() does not.
 *
 * A key has the same rules as the name of a profile. A value is any bytes but NUL.
 */
#define PPROF_LABEL_KEY_BYTES	64	/* with a NUL */
#define PPROF_LABEL_VALUE_BYTES	256	/* with a NUL */
#define PPROF_MAX_LABELS	8	/* of a set */
#define PPROF_MAX_LABEL_BYTES	1024	/* of a set: keys and values, each with a NUL */
#define PPROF_MAX_LABEL_SETS	4095	/* of a process */
#define PPROF_MAX_LABEL_THREADS	4096	/* of a process; further threads have no labels */
#define PPROF_MAX_USER_LABEL_THREADS	2048	/* of all processes of a user without CAP_PERFMON */

struct pprof_label {
	__u32 size;
	/* In: the set to begin with, 0 for none; out: the set with the label */
	__u32 set;
	__u8 key[PPROF_LABEL_KEY_BYTES];	/* padded with NULs, as the value is */
	__u8 value[PPROF_LABEL_VALUE_BYTES];
};

struct pprof_label_slot {
	__u32 size;
	__u32 pad;
	/* Out: address of the calling thread's slot, a __u32; 0 there means no labels */
	__u64 address;
	__u64 address_space;	/* out: unique for each process and exec id; not 0 */
};

/*
 * Numbers 0x10 to 0x1f are all used. The kernel looks at the magic and the number alone. The rest
 * of the command has the size of the struct, which may grow.
 */
#define PPROF_IOC_MAGIC		0xEB
#define PPROF_IOC_INFO		_IOWR(PPROF_IOC_MAGIC, 0x10, struct pprof_info)
/*
 * Sets up the session, once. Without CAP_PERFMON it waits for its turn, as START does.
 * - -EPERM: PPROF_SETUP_ALL, PPROF_SETUP_CGROUP, PPROF_SETUP_KERNEL or large rings, without
 *   CAP_PERFMON. Also one of the first two with PPROF_SETUP_TABLES, without CAP_PERFMON and
 *   CAP_SYS_PTRACE.
 * - -EOPNOTSUPP: PPROF_SETUP_KERNEL, and the kernel only guesses the frames of its stacks
 *   (CONFIG_UNWINDER_GUESS).
 * - -EBUSY: the session is set up.
 * - -ENOMEM: also for rings beyond 520 KiB a CPU, of all sessions of the user, and RLIMIT_MEMLOCK.
 * - -EBADF: the descriptor of PPROF_SETUP_CGROUP is no folder of cgroup2. -ENOENT: the cgroup was
 *   removed. -EOPNOTSUPP: it is threaded, or the kernel lacks CONFIG_CGROUPS.
 * - -EINVAL, -EINTR: the caller is being killed, and errors of the kernel's hooks.
 */
#define PPROF_IOC_SETUP		_IOW(PPROF_IOC_MAGIC, 0x11, struct pprof_setup)
/*
 * Adds a process to the targets. Adding it again is no error. The checks use the rights of the
 * calling thread.
 *
 * A session without PPROF_SETUP_TABLES gets the system calls of its targets only if all callers of
 * ATTACH have the right to attach by ptrace(2), too. /proc/PID/syscall takes the same right. Else
 * the calls are PPROF_NO_SYSCALL.
 *
 * - -EACCES: the caller may not see the process (ptrace(2), PTRACE_MODE_READ).
 * - -EPERM: the caller may see its stacks by frame pointers, but PPROF_SETUP_TABLES reads any
 *   memory. That needs the right to attach by ptrace(2). CAP_PERFMON alone is a right to stacks.
 * - -ESRCH: no such process, or it has ended.
 * - -EOPNOTSUPP: a kernel thread.
 * - -EBUSY: a source runs, or this is the second target with PPROF_SETUP_SNAPSHOT.
 * - -EAGAIN: the process called exec during the check.
 * - -EINVAL: before SETUP, or with PPROF_SETUP_ALL or PPROF_SETUP_CGROUP.
 */
#define PPROF_IOC_ATTACH	_IOWR(PPROF_IOC_MAGIC, 0x12, struct pprof_attach)
/*
 * Makes the same checks as ATTACH, and returns the exec id. It adds no target. Works before SETUP,
 * and then checks for stacks by frame pointers.
 * - -EACCES, -EPERM, -ESRCH, -EOPNOTSUPP, -EAGAIN: as of ATTACH.
 */
#define PPROF_IOC_EXEC_ID		_IOWR(PPROF_IOC_MAGIC, 0x13, struct pprof_attach)
/*
 * Starts a source. Calls of START, STOP and SETUP interrupt all CPUs. So without CAP_PERFMON START
 * and SETUP wait for their turn: 12 calls of a user at once, then 3 a second.
 * - -EINVAL: before SETUP, with PPROF_SETUP_SNAPSHOT, for a period out of bounds, for no such
 *   source, or for HEAP before PPROF_IOC_HEAP.
 * - -EBUSY: the source runs already.
 * - -EOPNOTSUPP: the source is not for START, as THREAD and CUSTOM. With PPROF_SETUP_CGROUP it is
 *   none of CPU, THREADCREATE and GROWTH.
 * - -ENOMEM, and errors of the kernel's tracepoints and uprobes.
 */
#define PPROF_IOC_START		_IOW(PPROF_IOC_MAGIC, 0x14, struct pprof_start)
/*
 * Stops a source. When it returns, all records of it are in the rings. Without CAP_PERFMON it may
 * sleep up to 2 s, as a cooldown after work for the session.
 * - -EINVAL: the source does not run.
 * - -EAGAIN: only of WALL. Samples of its end are still to be written: a ring is full, the call
 *   took over 0.1 s, or too many threads came. Read the rings and call it again. Ticks have ended
 *   with the first call.
 * - -ENOMEM: only of WALL.
 */
#define PPROF_IOC_STOP		_IOW(PPROF_IOC_MAGIC, 0x15, struct pprof_stop)
/*
 * Uploads a table. This, TABLE_DROP, TABLE_BIND and RANGES need PPROF_SETUP_TABLES (else -EINVAL),
 * and work at any time after SETUP.
 * - -EINVAL: the table is not as pprof_table.h defines, or is for another machine than the
 *   kernel.
 * - -E2BIG: larger than PPROF_TABLE_MAX_BYTES.
 * - -ENOSPC: all tables and ranges of the session would exceed PPROF_MAX_TABLE_BYTES. Without
 *   CAP_PERFMON the sum over all sessions of the owner must not exceed PPROF_MAX_USER_TABLE_BYTES.
 *   Each table, and the ranges of each process, count 256 bytes more than their size.
 * - -ENOMEM.
 */
#define PPROF_IOC_TABLE_ADD	_IOWR(PPROF_IOC_MAGIC, 0x16, struct pprof_table_add)
/*
 * Frees the number of a table. Ranges keep the table itself until they change. No file is bound to
 * it any more.
 * - -ENOENT: no such table.
 */
#define PPROF_IOC_TABLE_DROP	_IOW(PPROF_IOC_MAGIC, 0x17, struct pprof_table_drop)
/*
 * Since ABI 3.3: binds a table to a file. From now on a target that maps the file as code has the
 * range with this table at once. RANGES may come later, or from before that mapping: ranges that it
 * lacks stay until a RANGES has them, or until the first RANGES after a TABLE_DROP of their table.
 *
 * The file is known by its inode, size and ctime. After a write its new mappings have no table. No
 * reference to the file is kept. A file that is bound already gets the new table. If many files are
 * bound, one that was bound long ago is not bound any more.
 * - -EBADF: fd is no open file, nor -1. -EINVAL: it is no regular file, or ctime_nsec is 10^9 or
 *   more, or the vDSO has a ctime.
 * - -ENOENT: no such table.
 * - -ENOMEM.
 */
#define PPROF_IOC_TABLE_BIND	_IOW(PPROF_IOC_MAGIC, 0x20, struct pprof_table_bind)
/*
 * Replaces all ranges of a target, in rising order of address. A child begins with the ranges of
 * its parent. An exec drops them.
 * - -EINVAL: ranges overlap, are out of order or are not user memory, or nr is more than
 *   PPROF_MAX_RANGES. Also a bad context.
 * - -ENOENT: no such table.
 * - -ESRCH: the process is no target, has ended, or has another exec id.
 * - -ENOSPC: as of TABLE_ADD, or the module has no free slot for another process.
 * - -ENOMEM.
 */
#define PPROF_IOC_RANGES	_IOW(PPROF_IOC_MAGIC, 0x18, struct pprof_ranges)

/*
 * Writes a sample of each thread of the targets, running or not, in the order of tids. A thread
 * that exists during all calls gets one sample, or is counted as lost. A call ends when a ring is
 * full, or after 0.1 s: read the rings and call again.
 *
 * No thread is stopped. Threads are sampled one after the other. A thread that never holds still is
 * counted as lost.
 *
 * After a call without CAP_PERFMON the session has a cooldown: as long as the call took, at most
 * one second, plus one tick. The next THREADS, the next STOP of WALL and the end of the session
 * sleep until it is over. STOP of WALL begins a cooldown, too.
 * - -EINVAL: before SETUP.
 * - -EAGAIN: too many threads came during the call.
 * - -ENOMEM.
 */
#define PPROF_IOC_THREADS	_IOWR(PPROF_IOC_MAGIC, 0x19, struct pprof_threads)

/*
 * Sets where source HEAP places uprobes, from its next START on. It replaces the earlier list.
 * Uprobes are placed in targets alone.
 *
 * Probes must be in rising order of function. They are placed in this order, FREE first, and
 * removed in the opposite order.
 * - -EPERM: without CAP_PERFMON. A uprobe makes a private copy of a page of code, as perf's does.
 * - -EBUSY: the source runs.
 * - -EOPNOTSUPP: the kernel has no uprobes, or its uprobes can end programs, or it lacks
 *   CONFIG_MEMCG and does not know the owner of memory.
 * - -EINVAL: before SETUP, nr is 0 or over PPROF_MAX_HEAP_PROBES, functions are out of order, or no
 *   regular file.
 * - -EBADF: no such file. -EACCES: it could not be mapped as code. -EREMOTE: it is on FUSE.
 * - -ENOMEM.
 */
#define PPROF_IOC_HEAP		_IOW(PPROF_IOC_MAGIC, 0x1a, struct pprof_heap)

/*
 * Client only. Makes, changes or counts a custom profile, by pprof_custom.op.
 * - -ESRCH: another process opened the file, or this one has called exec since.
 * - -ENOENT: no such profile. -EEXIST: see the operations.
 * - -ENOSPC: over a bound of the process or of its user.
 * - -EINVAL: a bad name, operation or number of frames.
 * - -ENOMEM.
 */
#define PPROF_IOC_CUSTOM	_IOWR(PPROF_IOC_MAGIC, 0x1c, struct pprof_custom)
/*
 * Lists the profiles of a process, oldest first. A session names the process. A client lists its
 * own. Works without SETUP. A process without a client has 0 profiles.
 * - -EACCES, -EPERM, -ESRCH, -EOPNOTSUPP, -EAGAIN: as of ATTACH, for a session.
 * - -ESRCH: as of CUSTOM, for a client.
 * - -ENOMEM.
 */
#define PPROF_IOC_CUSTOM_LIST	_IOWR(PPROF_IOC_MAGIC, 0x1d, struct pprof_custom_list)
/*
 * Reads the values of a profile, in the order in which they were added. Works without SETUP. A
 * value that exists during all calls comes once. A value that is removed meanwhile comes once at
 * most. A value that is added after the first call does not come.
 * - -EACCES, -EPERM, -ESRCH, -EOPNOTSUPP, -EAGAIN: as of ATTACH.
 * - -ENOENT: no such profile.
 * - -EINVAL: a bad name, or a buffer below PPROF_MIN_CUSTOM_BYTES.
 * - -ENOMEM.
 */
#define PPROF_IOC_CUSTOM_READ	_IOWR(PPROF_IOC_MAGIC, 0x1e, struct pprof_custom_read)

/*
 * Client only. Returns the number of the set that is another set plus one label. A label with the
 * same key is replaced. Equal sets have one number. The first call maps the label page.
 * - -ESRCH: as of CUSTOM.
 * - -ENOENT: no such set.
 * - -EINVAL: a bad key or value.
 * - -E2BIG: the set is over PPROF_MAX_LABELS or PPROF_MAX_LABEL_BYTES.
 * - -ENOSPC: too many sets, or too much memory of the user.
 * - -ENOMEM, and the errors of mmap(), of the first call.
 */
#define PPROF_IOC_LABEL		_IOWR(PPROF_IOC_MAGIC, 0x1b, struct pprof_label)
/*
 * Client only. Returns where the calling thread's slot is. A child of fork() does not have that
 * memory.
 * - -ESRCH: as of CUSTOM.
 * - -ENOSPC: too many threads with labels, of the process, of its user, or of all users without
 *   CAP_PERFMON. Also too much memory of the user, of the first call.
 * - -ENOMEM, and the errors of mmap(), of the first call.
 */
#define PPROF_IOC_LABEL_SLOT	_IOWR(PPROF_IOC_MAGIC, 0x1f, struct pprof_label_slot)

#define PPROF_MAX_TABLE_BYTES		(512U << 20)
#define PPROF_MAX_USER_TABLE_BYTES	(64U << 20)

/*
 * Rings. Each CPU has one, with two mappings at these file offsets. The length must be exact.
 * - TAIL: one page (4,096 bytes). struct pprof_ring_tail. Read-write, MAP_SHARED.
 * - DATA: one page plus ring_bytes. struct pprof_ring_head, then the data. Read-only, MAP_SHARED.
 *
 * Errors of mmap():
 * - -EINVAL: another length or offset, or before SETUP.
 * - -EPERM: MAP_PRIVATE, PROT_EXEC, or PROT_WRITE for DATA.
 * - -ENXIO: no ring of that CPU.
 *
 * head and tail count bytes and never wrap. A record is at (position & (ring_bytes - 1)). It is
 * never split: a PPROF_REC_PAD fills the end. The code names the barriers by their letters:
 *
 *   kernel                              user
 *   A  load-acquire tail                C  load-acquire head
 *      write records                       read records
 *   B  store-release head               D  store-release tail
 *
 * B pairs with C: a reader that sees the head sees the records. D pairs with A: the kernel
 * overwrites records only after the reader is done. The kernel never trusts the tail. It keeps its
 * own head and size.
 *
 * Order. The records of one ring are in the order in which they were written. The records of two
 * rings are in no order: the reader sorts by time_ns. Even in one ring a later record may have a
 * smaller time_ns, as PPROF_REC_MMAP often does. A reader should first take the heads of all rings,
 * then apply the process events, then the samples.
 */
#define PPROF_MMAP_TAIL(cpu)	((__u64)(cpu) << 32)
#define PPROF_MMAP_DATA(cpu)	(((__u64)(cpu) << 32) | (1ULL << 31))

struct pprof_ring_tail {
	__u64 tail;
};

/*
 * Counters are in the unit of their class. For a source that is the weight of its samples: periods
 * of CPU, threads of THREADCREATE, periods of GROWTH. For FREE and EVENT it is records.
 *
 * Counters only grow. produced is the sum of sent and lost, whenever no record is being written, as
 * after STOP.
 */
struct pprof_ring_head {
	__u64 head;
	__u64 ring_bytes;
	__u64 produced[PPROF_NR_CLASSES];
	__u64 lost[PPROF_NR_CLASSES][PPROF_MAX_LOST];
	/* Of those sent, by PPROF_END_* */
	__u64 end_reasons[PPROF_NR_CLASSES][PPROF_MAX_END_REASONS];
	/*
	 * CPU: ns between ticks of this CPU. It is the period of START times a power of two. The
	 * kernel doubles it where sampling takes too much of a CPU. A tick then counts as that many
	 * periods.
	 */
	__u64 period_ns;
	__u64 wall_period_ns;	/* WALL: the same */
	__u64 heap_traps;	/* calls and returns that stopped at a uprobe of HEAP */
	/*
	 * WALL: each thread has the ticks from begin to end, in the clock of pprof_event.time_ns.
	 * START sets the start, and sets the end to 0. The first STOP sets the end, even if it
	 * returns -EAGAIN. Both are 0 before the first START.
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
	/* 9 is not used. */
	PPROF_REC_FREE		= 10,
	PPROF_REC_ENTER		= 11,
};

/* A reader skips a type that it does not know, by the size. */
struct pprof_record {
	__u32 type;
	__u32 size;		/* of the whole record, a multiple of 8 */
};

/*
 * The first part of every record but PAD: the thread that the record is about, and the time. For
 * most records that is the thread that ran on the CPU of the ring.
 */
struct pprof_event {
	struct pprof_record rec;
	__u64 time_ns;
	__u32 pid;
	__u32 tid;
	__u64 exec_id;		/* exec id of the process */
};

/* Why the stack of a sample ends: pprof_sample.end_reason. */
#define PPROF_END_COMPLETE	0	/* at the start of the thread or the program */
/* No user registers (exiting thread, io_uring worker), or no right to read the memory. */
#define PPROF_END_NO_USER	1
#define PPROF_END_FAULT		2	/* the stack could not be read */
#define PPROF_END_BAD_FRAME	3	/* the frame pointer does not lead to a frame */
/* Over max_frames, over 8 frames of signals, or over the bound of work for one stack */
#define PPROF_END_DEPTH		4
#define PPROF_END_COMPAT	5	/* a 32-bit task: not walked */
/*
 * The next ones are of walks by tables. Only URETPROBE may also end a walk by frame pointers. In a
 * walk by tables FAULT and DEPTH mean the same as above. BAD_FRAME means there: the code has no
 * rule, and its frame pointer does not lead to a frame.
 */
#define PPROF_END_NO_RANGES	6	/* the process has no RANGES yet */
#define PPROF_END_NO_RANGE	7	/* the PC is in none of its ranges */
#define PPROF_END_NO_RULE	8	/* the table of the file has no rule for the PC */
#define PPROF_END_BAD_CFA	9	/* the CFA of the rule is not a valid stack address */
#define PPROF_END_UNSUPPORTED	10	/* PPROF_CFA_UNSUPPORTED */
#define PPROF_END_LOST_REG	11	/* the rule needs a register that is not known there */
#define PPROF_END_URETPROBE	12	/* a uretprobe hides the return address */
/* Not by the kernel: a reader lacks the earlier sample that has the outer frames */
#define PPROF_END_NOT_SHARED	13
#define PPROF_NR_END_REASONS		14

/*
 * pprof_sample.arg of HEAP is the number of the object, from 1. PPROF_REC_FREE has the same number.
 * No PPROF_REC_FREE comes for the next two:
 * - NO_URETPROBE: the call had no uretprobe. The sample was taken at its start.
 * - UNTRACKED: the table of live objects had no free slot for the object.
 */
#define PPROF_HEAP_NO_URETPROBE	0ULL
#define PPROF_HEAP_UNTRACKED	(~0ULL)

/*
 * pprof_sample.arg, if it is not the number of a system call. NO_SYSCALL: a page fault, 32-bit
 * code, or no right to see the registers.
 */
#define PPROF_NO_SYSCALL	(~0ULL)
#define PPROF_THREAD_RUNNING	(~1ULL)		/* it was on a CPU */
#define PPROF_THREAD_RUNNABLE	(~2ULL)		/* it waited for a CPU */
#define PPROF_THREAD_STOPPED	(~3ULL)		/* by a signal or a debugger */

/* pprof_sample.flags */
#define PPROF_SAMPLE_GUESS	(1U << 0)	/* a frame was found without a rule */
#define PPROF_SAMPLE_STALE	(1U << 1)	/* the process mapped code after its RANGES */
/* A struct pprof_sample_labels follows the frames */
#define PPROF_SAMPLE_LABELS	(1U << 2)
/* A struct pprof_sample_context follows the frames, or the labels */
#define PPROF_SAMPLE_CONTEXT	(1U << 3)

/*
 * A stack, leaf first. Its first nr_kernel frames are of the kernel, with PPROF_SETUP_KERNEL. The
 * others are the user stack. frames[nr_kernel] is the PC of the thread: the interrupted
 * instruction, or the one after the system call instruction. The other frames are return addresses.
 * So the byte before a frame is in its function, except for the first frame of the kernel and that
 * of the PC. Where a signal or an interrupt stopped code, and at the start of the code that returns
 * from a handler, the frame is the address plus 1 for this reason. Where the system call
 * instruction is the last one of a function, as in musl's return from a handler, the frame of the
 * PC is the address minus 1.
 *
 * The last kernel frame is 0 if outer frames of the kernel are missing: there are more than the
 * session takes, or code has no unwind information. end_reason is of the user stack.
 *
 * With PPROF_SETUP_SHARED the user stack goes on after the frames of the record. Its other frames
 * are the outermost nr_shared ones of an earlier sample: the last one in this ring whose tid is the
 * same modulo PPROF_SHARED_STACKS. That sample may leave out frames itself. So a reader keeps
 * PPROF_SHARED_STACKS user stacks for each ring, from the first record on. If it skips a sample, it
 * knows none of them any more, until samples with nr_shared 0 come.
 */
struct pprof_sample {
	struct pprof_event ev;
	__u64 weight;		/* see the table at PPROF_SOURCE_CPU */
	__u64 arg;		/* see the table at PPROF_SOURCE_CPU */
	__u64 value;		/* see the table at PPROF_SOURCE_CPU */
	__u8 source;		/* PPROF_SOURCE_* */
	__u8 nr_kernel;		/* part of nr_frames; 0 without PPROF_SETUP_KERNEL */
	__u8 end_reason;	/* PPROF_END_* */
	__u8 nr_shared;		/* not part of nr_frames; 0 without PPROF_SETUP_SHARED */
	__u16 nr_frames;
	__u16 flags;		/* PPROF_SAMPLE_* */
	__u8 comm[PPROF_COMM_LEN];	/* the name of the thread, NUL-terminated */
	__u64 frames[];
};

/*
 * The labels of the sampled thread. The text of a set comes with the first sample in a ring that
 * has the set. It may come again. The text is pairs of key and value, by rising key. Each string
 * ends with a NUL, and NULs pad the text to a multiple of 8.
 */
struct pprof_sample_labels {
	__u64 set;		/* not 0; names one set of one process for ever */
	__u32 bytes;		/* of text, without the padding; 0: this ring had the text before */
	__u32 pad;
	__u8 text[];
};

#define PPROF_MIN_CONTEXT_BYTES	28U	/* of OTEL; a context of LABELS has at least 3 */
#define PPROF_MAX_CONTEXT_BYTES	640U

/* Limit of the entries of a label set that are read, those without a key included. */
#define PPROF_MAX_CONTEXT_LABELS	16

/*
 * The thread context of the sampled thread, copied from the program's memory, and not checked
 * further than this says. Samples of THREAD and samples of WALL from a snapshot have none.
 *
 * OTEL: data is the record. Only one whose byte `valid` is 1 is copied.
 * LABELS: data is labels, each one as the number of bytes of its key, that of its value, the key
 * and the value. A label is left out if its key is empty, if its key or value is longer than 255
 * bytes, or cannot be read, or if it does not fit. A key may come several times: the first counts.
 */
struct pprof_sample_context {
	__u32 bytes;		/* of data, without the NULs that pad it to a multiple of 8 */
	__u32 format;		/* PPROF_CONTEXT_* */
	__u8 data[];
};

/* A process forked, and its child is a target. ev is the parent. A new thread is no fork. */
struct pprof_fork {
	struct pprof_event ev;
	__u64 child_exec_id;	/* exec id of the child */
	__u32 child_pid;
	__u32 pad;
};

/* A process called exec. ev has the new exec id. */
struct pprof_exec {
	struct pprof_event ev;
	__u64 old_exec_id;	/* exec id before the exec */
	__u8 comm[PPROF_COMM_LEN];
};

/* The last thread of a process ended. */
struct pprof_exit {
	struct pprof_event ev;
};

/*
 * The thread ev.tid ended, and its process goes on. Only with PPROF_SETUP_THREAD_ENDS. The last
 * thread of a process gets PPROF_REC_EXIT in its place. The thread that calls exec gets none for
 * its old tid.
 */
struct pprof_thread_end {
	struct pprof_event ev;
};

/* The thread ev.tid has a new name. */
struct pprof_comm {
	struct pprof_event ev;
	__u8 comm[PPROF_COMM_LEN];
};

/*
 * Memory was mapped executable, or became executable. The record may follow records of a later
 * time_ns. There is no record of an unmapping: a mapping ends where a later one overlaps it.
 * Without a file the name is "", or as in /proc/PID/maps: "[vdso]".
 */
struct pprof_mmap {
	struct pprof_event ev;
	__u64 start;
	__u64 end;
	__u64 offset;		/* of start in the file, bytes */
	__u64 ino;
	__u32 dev_major;
	__u32 dev_minor;
	__u8 name[];		/* path as the kernel sees it, padded with NULs */
};

/*
 * The process is no target any more. It called exec of a program that the owner of the session may
 * not look into. With PPROF_SETUP_CGROUP: it left the cgroup.
 */
struct pprof_drop {
	struct pprof_event ev;
};

/*
 * The process has become a target: with PPROF_SETUP_CGROUP it came into the cgroup, or was there at
 * SETUP. Its mappings were not reported. The child of a target has PPROF_REC_FORK in its place.
 */
struct pprof_enter {
	struct pprof_event ev;
};

/*
 * A sampled object of HEAP was freed. Its record may come in a ring before its sample, which may be
 * in the ring of another CPU. The end of a process or an exec also ends its objects, without this
 * record.
 */
struct pprof_free {
	struct pprof_event ev;
	__u64 object;		/* pprof_sample.arg of its sample */
};

/*
 * Generic netlink. All of it needs CAP_NET_ADMIN. LISTEN needs CAP_PERFMON, too. Pids and tids are
 * those of the initial pid namespace. SESSION_GET and LISTEN are -EPERM for a caller in another
 * one.
 *
 * SESSION_GET dumps the sessions: one message for each ring. A message has the attributes of the
 * session and one PPROF_A_CPU. The messages of a session follow each other. A session before SETUP
 * is one message without PPROF_A_CPU.
 *
 * LISTEN makes the module send announcements to the caller's socket, until it closes.
 * PPROF_A_STACKS asks for the stacks of the creators. Each announcement is one THREAD message. A
 * gap in PPROF_A_SEQ is the number of announcements that were lost. There is no multicast group:
 * any process could join its number before the module has it. -EBUSY: the socket listens already.
 *
 * FLUSH sends a reply once all announcements before it were sent. The reply has the PPROF_A_SEQ of
 * the last one. An announcement that a listener has not received by then is lost.
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
	PPROF_A_PID,		/* u32: the owner of the session, or the creator of the thread */
	PPROF_A_TID,		/* u32: the creator */
	PPROF_A_UID,		/* u32 */
	PPROF_A_COMM,		/* string */
	PPROF_A_TARGETS,	/* u32: processes that are targets now */
	PPROF_A_SOURCES,	/* u64: bit n, source n runs */
	PPROF_A_PERIOD_NS,	/* u64: of source CPU */
	PPROF_A_RING_BYTES,	/* u32: of one CPU */
	/* nest, one ring: CPU_ID, PENDING, TICK_NS, WALL_TICK_NS, and several CLASS */
	PPROF_A_CPU,
	PPROF_A_CPU_ID,		/* u32 */
	PPROF_A_PENDING,	/* u64: bytes that the reader has not taken */
	PPROF_A_CLASS,		/* nest: CLASS_ID, PRODUCED, LOST, END_REASONS */
	PPROF_A_CLASS_ID,	/* u32: PPROF_SOURCE_* or PPROF_CLASS_* */
	PPROF_A_PRODUCED,	/* u64 */
	PPROF_A_LOST,		/* u64 array, index PPROF_LOST_* */
	PPROF_A_STACKS,		/* flag */
	PPROF_A_SEQ,		/* u64: number of the announcement */
	PPROF_A_NEW_TID,	/* u32 */
	PPROF_A_TIME_NS,	/* u64 */
	PPROF_A_EXEC_ID,		/* u64: the exec id of the creator */
	PPROF_A_FRAMES,		/* u64 array, leaf first */
	PPROF_A_END_REASON,		/* u32: PPROF_END_* of the frames */
	PPROF_A_END_REASONS,		/* u64 array in CLASS: sent, index PPROF_END_* */
	PPROF_A_TICK_NS,	/* u64 in CPU: see period_ns of struct pprof_ring_head */
	PPROF_A_WALL_PERIOD_NS,	/* u64: of source WALL */
	PPROF_A_WALL_TICK_NS,	/* u64 in CPU: see wall_period_ns of struct pprof_ring_head */
	__PPROF_A_MAX,
};

#define PPROF_A_MAX		(__PPROF_A_MAX - 1)

#endif /* _UAPI_PPROF_H */
