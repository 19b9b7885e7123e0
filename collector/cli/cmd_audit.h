/* SPDX-License-Identifier: GPL-2.0 */
/* `pprof-collect audit`: prints the thread creations of the whole system as they happen. */
#ifndef COLLECTOR_CMD_AUDIT_H
#define COLLECTOR_CMD_AUDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "device/netlink.h"

/* Limit of frames of a stack. Inlined functions give more frames than there are addresses. */
#define AUDIT_MAX_FRAMES	1024

/* A frame of a stack. Inlined functions share one address. */
struct audit_frame {
	uint64_t address;
	const char *function;		/* NULL if not known */
	const char *file;		/* NULL if not known */
	uint32_t line;			/* 0 if not known */
};

/*
 * Finds the frames of nr addresses of a process, leaf first. exec_id is that of its program.
 * Writes at most max frames to out. The strings belong to the callee and are valid until its next
 * call.
 * Returns: the number of frames; 0 or less if nothing is known: the bare addresses are printed
 * then.
 */
typedef int (*audit_name_fn)(void *ctx, pid_t pid, uint64_t exec_id, const uint64_t *addresses,
			     uint32_t nr, struct audit_frame *out, uint32_t max);

struct audit_config {
	bool stacks;			/* print the stack of the creator */
	bool json;			/* one JSON object a line */
	pid_t pid;			/* pid of the creator; 0: any */
	/* Name of the creator, compared up to the kernel's limit; NULL: any. */
	const char *comm;
	uint64_t duration_ns;		/* 0: until stop_fd is readable */
	/* NULL: bare addresses, and the fields below are not used. */
	audit_name_fn name_stack;
	void *name_ctx;
	int name_fd;			/* name_prepare is called when it is readable */
	void (*name_prepare)(void *ctx);
};

/*
 * Prints each thread creation to out until the duration is over, or stop_fd is readable (-1: none).
 * Then waits for the reports of creations from before the end, and prints them, too. Does not read
 * stop_fd. Prints a summary on standard error.
 * Returns: 0; or a negative errno after an error message on standard error.
 */
int cmd_audit_run(const struct audit_config *config, FILE *out, int stop_fd);

/* The part of an audit that needs no socket: filters, gaps and format. Public for tests. */
struct audit;

/*
 * Makes an audit. config and out must live until audit_free(). wall_offset_ns is CLOCK_REALTIME
 * minus the clock of records.
 * Returns: the audit, or NULL with errno ENOMEM.
 */
struct audit *audit_new(const struct audit_config *config, FILE *out, uint64_t wall_offset_ns);

/* Frees the audit. a may be NULL. */
void audit_free(struct audit *a);

/*
 * Prints t if it passes the filters. Before that, prints how many creations were missed, if any.
 */
void audit_take(struct audit *a, const struct netlink_thread *t);

#endif /* COLLECTOR_CMD_AUDIT_H */
