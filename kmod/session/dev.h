/* SPDX-License-Identifier: GPL-2.0 */
/* The device /dev/pprof. */
#ifndef PPROF_DEV_H
#define PPROF_DEV_H

/*
 * Create and remove the device. Every user may open it. No file is open any more when it is
 * removed, and the removal waits for sessions that are still ending.
 * Returns: 0, or an error of the misc device, or -ENOMEM.
 * Sleep.
 */
int pprof_dev_init(void);
void pprof_dev_exit(void);

#endif
