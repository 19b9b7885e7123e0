/* SPDX-License-Identifier: GPL-2.0 */
/* The loop of the process that sends: see push/pusher.h. */
#ifndef COLLECTOR_PUSH_SENDER_H
#define COLLECTOR_PUSH_SENDER_H

#include "push/outbox.h"

struct push_settings;

/* A message to the sender begins with one of these bytes. */
enum sender_message {
	SENDER_PROFILE = 'P',	/* then an item without its bytes, and its file as SCM_RIGHTS */
	SENDER_END = 'E',	/* send what is left, then end */
	SENDER_END_NOW = 'N',
};

#define SENDER_MAX_MESSAGE	(128U << 10)

/*
 * Makes the folders of the backends in the folder of the spool. Call this before rights are given
 * up.
 * Returns: 0, or -1 after it printed the cause.
 */
int sender_prepare(const struct push_settings *settings, int folder);

/*
 * Sends the profiles that come through the socket, until a message or the end of the other side
 * ends it. folder is that of the spool, or negative. counts has an item for each backend.
 * Returns: 0 if all profiles were sent, or -1 after it printed what was not.
 */
int sender_run(const struct push_settings *settings, int socket, int folder,
	       struct outbox_counts *counts);

#endif /* COLLECTOR_PUSH_SENDER_H */
