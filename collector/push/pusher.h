/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A child process that sends profiles. A run passes them to the child and never waits, so a slow
 * backend cannot delay the run. The child is forked before the run has descriptors or data that
 * could be stolen through the network, and before there are threads. It closes all descriptors but
 * its own.
 *
 * The child ends when the parent asks for that, or has ended. Before it ends it sends the profiles
 * that wait, for 30 s at most. Profiles that still wait then stay in the spool, if there is one.
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
 * Starts the child; pusher_end() ends it. settings are borrowed, and have passed
 * push_settings_check(). The child calls seal(), which gives up its rights, before the first
 * connection. folder is a descriptor of the spool's folder, the only one in which the child writes;
 * or negative. seal() returns 0, or an error after it printed the cause.
 * Returns: the pusher, or NULL after it printed the cause.
 */
struct pusher *pusher_start(const struct push_settings *settings, int (*seal)(int folder));

/*
 * Passes a profile to the child. Does not wait. item stays the caller's, and its bytes are not
 * used: the child reads them from the file fd, which the caller may close, rename or remove
 * afterwards.
 * Returns: 0, or a negative errno, such as -EAGAIN if the child is too slow, and -EPIPE if it has
 * ended.
 */
int pusher_hand_over(struct pusher *p, const struct push_item *item, int fd);

/* Returns a descriptor that becomes readable when the child has ended. p owns it. */
int pusher_fd(const struct pusher *p);

/* Returns the counts of the backend with this index in the settings. The child changes them. */
const struct outbox_counts *pusher_counts(const struct pusher *p, size_t backend);

/*
 * Asks the child to send the profiles that wait, and to end. at_once: it sends nothing more. Does
 * not wait.
 */
void pusher_ask_end(struct pusher *p, bool at_once);

/*
 * Waits for the end of the child, and frees p, which may be NULL.
 * Returns: 0 if all profiles were sent; or -1, and the child has printed the cause.
 */
int pusher_end(struct pusher *p);

#endif /* COLLECTOR_PUSH_PUSHER_H */
