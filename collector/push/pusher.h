/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A child process that sends profiles. A run hands them over and never waits: a slow backend
 * cannot delay it. The child is forked before the run has rights or files of others that could be
 * stolen through the network, and before there are threads. It closes all descriptors but its own.
 *
 * The child ends when the parent asks it to, or has ended: it then sends for 30 s what is left.
 * What is left after that stays in the spool, if there is one.
 */
#ifndef COLLECTOR_PUSH_PUSHER_H
#define COLLECTOR_PUSH_PUSHER_H

#include <stdbool.h>
#include <stddef.h>

#include "push/outbox.h"

struct push_item;
struct push_settings;
struct pusher;

/*
 * Starts the child. settings are borrowed, and were checked (push_settings_check()). In the child,
 * seal() gives up rights before the first connection: folder is that of the spool, or negative, and
 * the only one in which the child writes. It returns 0, or an error after it printed the cause.
 * pusher_end() ends the child.
 * Returns: the pusher, or NULL after it printed the cause.
 */
struct pusher *pusher_start(const struct push_settings *settings, int (*seal)(int folder));

/*
 * Hands a profile over without a wait. fd is its file, which the caller may close, rename or remove
 * afterwards. item has all but its bytes.
 * Returns: 0, or a negative errno: -EAGAIN if the child is too slow, -EPIPE if it has ended.
 */
int pusher_hand_over(struct pusher *p, const struct push_item *item, int fd);

/* Returns the descriptor that becomes readable when the child has ended. p owns it. */
int pusher_fd(const struct pusher *p);

/* Returns the counts of a backend, by its index in the settings. They change at any time. */
const struct outbox_counts *pusher_counts(const struct pusher *p, size_t backend);

/* Asks the child to send what is left, and to end. at_once: to send nothing more. Does not wait. */
void pusher_ask_end(struct pusher *p, bool at_once);

/*
 * Waits for the end of the child, and frees p, which may be NULL.
 * Returns: 0 if all profiles were sent; or -1, and the child has printed the cause.
 */
int pusher_end(struct pusher *p);

#endif /* COLLECTOR_PUSH_PUSHER_H */
