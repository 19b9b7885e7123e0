/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family of pprof.ko as plain structs. The only part that
 * knows libnl. Attributes that are unknown are skipped and those that are
 * missing read as zero, so either side may be newer.
 */
#ifndef COLLECTOR_NETLINK_H
#define COLLECTOR_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof.h"

struct netlink;

/* One ring: counters as in struct pprof_ring_head. */
struct netlink_cpu {
	uint32_t id;
	uint64_t pending_bytes;		/* written, not yet taken by the reader */
	uint64_t tick_ns;		/* between two ticks of the source cpu; 0: not known */
	uint64_t wall_tick_ns;		/* the same of wall */
	uint64_t produced[PPROF_NR_CLASSES];
	uint64_t lost[PPROF_NR_CLASSES][PPROF_MAX_LOST];
	uint64_t ended[PPROF_NR_CLASSES][PPROF_MAX_ENDS];
};

struct netlink_session {
	uint32_t id;
	uint32_t flags;			/* PPROF_SETUP_* */
	uint32_t pid;			/* who opened it */
	uint32_t uid;
	char comm[PPROF_COMM_LEN];	/* NUL-terminated, any bytes */
	uint32_t nr_targets;		/* processes attached and alive */
	uint64_t sources;		/* bit n: source n runs */
	uint64_t period_ns;		/* of the source cpu */
	uint64_t wall_period_ns;	/* of the source wall */
	uint32_t ring_bytes;		/* of one CPU */
	uint32_t nr_cpus;
	struct netlink_cpu *cpus;
};

/* One thread creation; pid, tid, uid, comm, image and frames are the creator's. */
struct netlink_thread {
	uint64_t seq;			/* a gap: announcements that were missed */
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	uint64_t image;
	uint32_t pid;
	uint32_t tid;
	uint32_t uid;
	uint32_t new_tid;
	char comm[PPROF_COMM_LEN];	/* NUL-terminated, any bytes */
	uint32_t end;			/* PPROF_END_*, if stacks were asked for */
	uint32_t nr_frames;
	uint64_t frames[PPROF_MAX_FRAMES];	/* leaf first */
};

typedef void (*netlink_session_fn)(void *arg, const struct netlink_session *s);
typedef void (*netlink_thread_fn)(void *arg, const struct netlink_thread *t);

/*
 * Connects to the family; ends with netlink_close(). NULL with errno: ENOENT
 * if there is no such family (module not loaded), EPROTONOSUPPORT if its
 * version is not PPROF_GENL_VERSION, ENOMEM, or what the socket said.
 */
struct netlink *netlink_open(void);

/* Stops the announcements. NULL is fine. */
void netlink_close(struct netlink *n);

/*
 * Calls take for each session; what it is given dies when it returns. Returns
 * 0, -EPERM without CAP_NET_ADMIN or in a pid namespace that is not the first,
 * -EINTR if sessions came or went meanwhile
 * (all that could be told were), or what the kernel said.
 */
int netlink_sessions(struct netlink *n, netlink_session_fn take, void *arg);

/*
 * Makes thread creations flow, with the creators' stacks if wanted; not to be
 * followed by netlink_sessions(). Returns 0, -EPERM without CAP_NET_ADMIN and
 * CAP_PERFMON or in a pid namespace that is not the first, or what the kernel said.
 */
int netlink_listen(struct netlink *n, bool stacks);

/* For poll(): POLLIN or POLLERR mean netlink_receive(). */
int netlink_fd(const struct netlink *n);

/*
 * Takes what has arrived, without waiting and in bounded amounts, and calls
 * take for each thread creation. Returns the number of datagrams taken, 0 when
 * there was none, or a negative errno. A socket that overran is not an error:
 * the gap in seq tells it. Malformed messages are skipped.
 */
int netlink_receive(struct netlink *n, netlink_thread_fn take, void *arg);

/*
 * Waits until all announcements of what was created before this call have been
 * sent, which took milliseconds on a crowded system, and sets *seq to the number
 * of the last. On another socket than the one that listens: the answer must find
 * room. Returns 0, -EPERM without CAP_NET_ADMIN, or what the kernel said.
 */
int netlink_flush(struct netlink *n, uint64_t *seq);

/*
 * Says what an errno (positive) of these functions means and how to mend it,
 * as the end of a sentence. Static, or valid until the next call.
 */
const char *netlink_strerror(int err);

/*
 * Reads one message of len bytes at most, aligned to 4, from its nlmsghdr on.
 * Any bytes will do. Returns 0, or -EINVAL if it is not such a message or an
 * attribute has the wrong length. For tests; *out is then undefined.
 */
int netlink_parse_thread(const void *msg, size_t len, struct netlink_thread *out);

/* Likewise; the message's ring, if it has one, is *cpu, and out->cpus is cpu. */
int netlink_parse_session(const void *msg, size_t len, struct netlink_session *out,
			  struct netlink_cpu *cpu);

#endif /* COLLECTOR_NETLINK_H */
