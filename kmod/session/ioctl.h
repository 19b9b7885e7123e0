/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctls of the device: their arguments, and the functions that they call. */
#ifndef PPROF_IOCTL_H
#define PPROF_IOCTL_H

#include "session/session.h"

struct pprof_client;

/*
 * Does the ioctl @cmd of a session or of a client. The other pointer is NULL. @user is the address
 * of the argument. Takes the locks that the ioctl needs.
 * Returns: 0, or the errors in uapi/pprof.h.
 * Sleeps.
 */
long pprof_ioctl(struct pprof_session *session, struct pprof_client *client, unsigned int cmd,
		 void __user *user);

#endif
