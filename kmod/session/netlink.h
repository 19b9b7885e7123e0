/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family of uapi/pprof.h. */
#ifndef PPROF_NETLINK_H
#define PPROF_NETLINK_H

/*
 * Register and unregister the family.
 * Returns: 0, or an error of netlink.
 * Sleep.
 */
int pprof_netlink_init(void);
void pprof_netlink_exit(void);

#endif
