/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect audit`: thread creations of the whole system as they happen. */
#ifndef COLLECTOR_AUDIT_H
#define COLLECTOR_AUDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "device/netlink.h"

/* Inlined functions make more of them than there are addresses. */
#define AUDIT_MAX_FRAMES	1024

/* What stands at one address of a stack; inlined functions share one. */
struct audit_frame {
	uint64_t address;
	const char *function;		/* NULL: unknown */
	const char *file;		/* NULL: unknown */
	uint32_t line;			/* 0: unknown */
};

/*
 * Names nr addresses of (pid, image), leaf first, into at most max frames, and
 * returns how many those are; 0 or less: not known, the bare addresses are
 * printed. The strings belong to the callee and live until its next call.
 */
typedef int (*audit_name_fn)(void *ctx, pid_t pid, uint64_t image, const uint64_t *addresses,
			     uint32_t nr, struct audit_frame *out, uint32_t max);

struct audit_config {
	bool stacks;
	bool json;
	pid_t pid;			/* of the creator; 0: any */
	const char *comm;		/* of the creator, as the kernel cuts it; NULL: any */
	uint64_t duration_ns;		/* 0: until stop_fd is readable */
	audit_name_fn name_stack;	/* NULL: bare addresses, and the rest is not used */
	void *name_ctx;
	int name_fd;			/* when it is readable, */
	void (*name_prepare)(void *ctx);	/* this is called */
};

/*
 * Prints each thread creation on out until the duration is over or stop_fd
 * (-1: none) is readable; what came until then is still printed. What is read
 * from stop_fd is the caller's business. A summary goes to stderr. Returns 0
 * or a negative errno; the cause of that was printed on stderr.
 */
int audit_run(const struct audit_config *config, FILE *out, int stop_fd);

/*
 * The part of it without a socket: filters, gaps, format. config and out must
 * outlive it; wall_offset_ns is CLOCK_REALTIME - the records' clock. NULL: ENOMEM.
 */
struct audit;
struct audit *audit_new(const struct audit_config *config, FILE *out, uint64_t wall_offset_ns);
void audit_free(struct audit *a);

/* Prints t if it passes the filters, and before it how many were missed, if any. */
void audit_take(struct audit *a, const struct netlink_thread *t);

#endif /* COLLECTOR_AUDIT_H */
