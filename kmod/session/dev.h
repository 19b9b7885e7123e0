/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/pprof. */
#ifndef PPROF_DEV_H
#define PPROF_DEV_H

/* The device appears, for everybody; goes with all its sessions closed. May sleep. */
int pprof_dev_init(void);
void pprof_dev_exit(void);

#endif
