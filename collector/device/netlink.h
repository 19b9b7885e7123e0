/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family of pprof.ko, as plain structs. No other file uses libnl.
 *
 * Unknown attributes are skipped, and missing ones read as zero. So module and collector may be
 * of different versions. Nothing here prints a message.
 */
#ifndef COLLECTOR_NETLINK_H
#define COLLECTOR_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof.h"

struct netlink;

/* One ring. The counters are those of struct pprof_ring_head. */
struct netlink_cpu {
	uint32_t id;
	uint64_t pending_bytes;		/* written, not yet read by the session's owner */
	uint64_t tick_ns;		/* between two ticks of the source cpu; 0 if not known */
	uint64_t wall_tick_ns;		/* between two ticks of the source wall; 0 if not known */
	uint64_t produced[PPROF_NR_CLASSES];
	uint64_t lost[PPROF_NR_CLASSES][PPROF_MAX_LOST];
	uint64_t end_reasons[PPROF_NR_CLASSES][PPROF_MAX_END_REASONS];
};

struct netlink_session {
	uint32_t id;
	uint32_t flags;			/* PPROF_SETUP_* */
	uint32_t pid;			/* of the process that opened the session */
	uint32_t uid;
	char comm[PPROF_COMM_LEN];	/* NUL-terminated; any bytes */
	uint32_t nr_targets;		/* processes attached and alive */
	uint64_t sources;		/* bit n is set while source n runs */
	uint64_t period_ns;		/* of the source cpu */
	uint64_t wall_period_ns;	/* of the source wall */
	uint32_t ring_bytes;		/* size of one CPU's ring */
	uint32_t nr_cpus;
	struct netlink_cpu *cpus;	/* nr_cpus of them */
};

/* The creation of one thread. pid, tid, uid, comm, exec_id and frames are those of the creator. */
struct netlink_thread {
	/* Number of the announcement; a gap means that some were missed. */
	uint64_t seq;
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint64_t exec_id;
	uint32_t pid;
	uint32_t tid;
	uint32_t uid;
	uint32_t new_tid;
	char comm[PPROF_COMM_LEN];	/* NUL-terminated; any bytes */
	uint32_t end_reason;		/* PPROF_END_*, if stacks were requested */
	uint32_t nr_frames;
	uint64_t frames[PPROF_MAX_FRAMES];	/* leaf first */
};

/* Receives a session; it is valid during the call only. */
typedef void (*netlink_session_fn)(void *arg, const struct netlink_session *s);

/* Receives a thread creation; it is valid during the call only. */
typedef void (*netlink_thread_fn)(void *arg, const struct netlink_thread *t);

/*
 * Connects to the family; netlink_close() ends that.
 * Returns: the connection, or NULL with errno. ENOENT: no such family, the module is not loaded.
 * EPROTONOSUPPORT: its version is not PPROF_GENL_VERSION. ENOMEM, or an errno of the socket.
 */
struct netlink *netlink_open(void);

/* Closes the connection; announcements stop. n may be NULL. */
void netlink_close(struct netlink *n);

/*
 * Calls take for each session. The session that it gets is valid during that call only.
 * Returns: 0; -EPERM without CAP_NET_ADMIN, or outside of the initial pid namespace; -EINTR if
 * sessions were opened or closed during the call (take got those that could be read); or another
 * negative errno of the kernel.
 */
int netlink_sessions(struct netlink *n, netlink_session_fn take, void *arg);

/*
 * Requests announcements of thread creations, with the stacks of the creators if `stacks` is
 * set. Do not call netlink_sessions() on this connection afterwards: announcements would mix
 * with its answer.
 * Returns: 0; -EPERM without CAP_NET_ADMIN and CAP_PERFMON, or outside of the initial pid
 * namespace; or another negative errno of the kernel.
 */
int netlink_listen(struct netlink *n, bool stacks);

/* Returns the descriptor for poll(). After POLLIN or POLLERR, call netlink_receive(). */
int netlink_fd(const struct netlink *n);

/*
 * Reads announcements that have arrived, and calls take for each thread creation. Never waits,
 * and reads a bounded number of datagrams. Malformed messages are skipped. A socket that overran
 * is not an error: the loss shows as a gap in seq.
 * Returns: the number of datagrams, 0 if there was none, or a negative errno.
 */
int netlink_receive(struct netlink *n, netlink_thread_fn take, void *arg);

/*
 * Waits until the module has sent all announcements of threads that were created before this
 * call. On a crowded system this took milliseconds. *seq becomes the number of the last one.
 *
 * Use another connection than the listening one: the answer would find no room in a full socket.
 * Returns: 0, -EPERM without CAP_NET_ADMIN, or another negative errno of the kernel.
 */
int netlink_flush(struct netlink *n, uint64_t *seq);

/*
 * Parses one message of at most len bytes that begins with its nlmsghdr; msg is aligned to 4.
 * Any bytes are safe. Public for tests.
 * Returns: 0; or -EINVAL if it is no such message, or an attribute has the wrong length. *out is
 * undefined then.
 */
int netlink_parse_thread(const void *msg, size_t len, struct netlink_thread *out);

/*
 * Parses a message about a session in the same way. If the message has a ring, it is copied to
 * *cpu, and out->cpus points there; else out->cpus is NULL.
 */
int netlink_parse_session(const void *msg, size_t len, struct netlink_session *out,
			  struct netlink_cpu *cpu);

#endif /* COLLECTOR_NETLINK_H */
