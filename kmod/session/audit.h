/* SPDX-License-Identifier: GPL-2.0 */
/* Reports each thread that is created on this system to all listeners. */
#ifndef PPROF_AUDIT_H
#define PPROF_AUDIT_H

#include <linux/types.h>

#include "uapi/pprof.h"

/* The report of one created thread. */
struct pprof_audit_record {
	struct pprof_record rec;
	u64 seq;	/* a gap is the number of reports that were lost */
	u32 uid;	/* of the creator, in the initial namespace */
	u32 has_stack;
	struct pprof_sample sample;	/* of the creator; last: it has a flexible array */
};

/*
 * Sends one report.
 * Sleeps.
 */
typedef void pprof_audit_report_t(const struct pprof_audit_record *record);

/*
 * Call it once. @report is called from a work item. The hook exists only while there is a listener.
 */
void pprof_audit_init(pprof_audit_report_t *report);

/*
 * Add and remove a listener. Reports have stacks while any listener asks for them.
 * Locks: take the listeners' mutex.
 * Returns: 0, or -ENOMEM, or an error of tracepoints.
 * Sleep.
 */
int pprof_audit_get(bool stacks);
void pprof_audit_put(bool stacks);

/*
 * Waits until @report has returned for each report that was made before this call and not lost.
 * Locks: takes the listeners' mutex.
 * Returns: the number of the last report.
 * Sleeps.
 */
u64 pprof_audit_flush(void);

#endif
