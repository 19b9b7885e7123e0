/* SPDX-License-Identifier: GPL-2.0 */
/* What user space uploads to a session for unwinding: tables, and where they hold. */
#ifndef PPROF_UPLOAD_H
#define PPROF_UPLOAD_H

#include "session/session.h"

/*
 * See PPROF_IOC_TABLE_ADD, PPROF_IOC_TABLE_DROP and PPROF_IOC_RANGES, whose
 * structs have been copied. All may sleep, and take the locks that they need;
 * -EINVAL for a session without PPROF_SETUP_TABLES.
 */
int pprof_upload_table(struct pprof_session *session, struct pprof_table_add *add);
int pprof_upload_drop(struct pprof_session *session, const struct pprof_table_drop *drop);
int pprof_upload_ranges(struct pprof_session *session, const struct pprof_ranges *ranges);

#endif
