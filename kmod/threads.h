/* SPDX-License-Identifier: GPL-2.0 */
/* A sample of every thread that a session's targets have, running or not. */
#ifndef PPROF_THREADS_H
#define PPROF_THREADS_H

#include "record.h"

/*
 * See PPROF_IOC_THREADS: goes on with the thread of tid *@next, which becomes the
 * next one's, or 0 if there is none. @sink's targets don't change but by their
 * own lives. May sleep, and waits for a worker. -ENOMEM, -EAGAIN: as if never
 * called.
 */
int pprof_threads_sample(struct pprof_sink *sink, u32 *next);

#endif
