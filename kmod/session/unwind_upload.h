/* SPDX-License-Identifier: GPL-2.0 */
/* The upload of unwind tables and ranges to a session. */
#ifndef PPROF_UNWIND_UPLOAD_H
#define PPROF_UNWIND_UPLOAD_H

#include "session/session.h"

/*
 * Do PPROF_IOC_TABLE_ADD, TABLE_DROP, TABLE_BIND and RANGES. The caller has copied the
 * structs from user memory. The functions take the locks that they need.
 * Returns: 0, or an error in uapi/pprof.h. It is -EINVAL if the session has no PPROF_SETUP_TABLES.
 * Sleep.
 */
int pprof_upload_table(struct pprof_session *session, struct pprof_table_add *add);
int pprof_upload_drop(struct pprof_session *session, const struct pprof_table_drop *drop);
int pprof_upload_bind(struct pprof_session *session, const struct pprof_table_bind *bind);
int pprof_upload_ranges(struct pprof_session *session, const struct pprof_ranges *ranges);

#endif
