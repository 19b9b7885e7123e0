/* SPDX-License-Identifier: GPL-2.0 */
/* The loop of the process that sends: see push/pusher.h. */
#ifndef COLLECTOR_PUSH_SENDER_H
#define COLLECTOR_PUSH_SENDER_H

#include "push/outbox.h"

struct push_settings;

/* A message to the sender begins with one of these bytes. */
enum sender_message {
	/* Followed by an item_codec item without bytes. SCM_RIGHTS has the file with the bytes. */
	SENDER_PROFILE = 'P',
	SENDER_END = 'E',	/* send the profiles that wait, for 30 s at most, then end */
	SENDER_END_NOW = 'N',	/* end at once */
};

/* Bytes of a message, with its first byte. */
#define SENDER_MAX_MESSAGE	(128U << 10)

/*
 * Makes the folders of the backends in the folder of the spool, a descriptor; if that is negative,
 * there is nothing to do. Call this before the process gives up its rights.
 * Returns: 0, or -1 after it printed the cause.
 */
int sender_prepare(const struct push_settings *settings, int folder);

/*
 * Sends the profiles that come through the socket. Returns after a message asked for the end, or
 * the other side was closed. folder is as in sender_prepare(). counts has an item for each backend.
 * Returns: 0 if all profiles were sent, or -1 after it printed how many were not.
 */
int sender_run(const struct push_settings *settings, int socket, int folder,
	       struct outbox_counts *counts);

#endif /* COLLECTOR_PUSH_SENDER_H */
