/* SPDX-License-Identifier: GPL-2.0 */
/* Messages with descriptors, over a socket pair of SOCK_SEQPACKET. */
#ifndef COLLECTOR_SERVE_MESSAGES_H
#define COLLECTOR_SERVE_MESSAGES_H

#include <stddef.h>
#include <sys/types.h>

#define SERVE_MESSAGE_FDS	3

/* Sends len bytes and nr_fds descriptors, which stay open here. Returns: 0, or a negative errno. */
int serve_message_send(int socket, const void *data, size_t len, const int *fds, size_t nr_fds);

/*
 * Receives a message. fds has room for SERVE_MESSAGE_FDS, and gets the descriptors that came, which
 * the caller closes, and -1 in the other places.
 * Returns: the length, 0 after the other end was closed, or a negative errno.
 */
ssize_t serve_message_receive(int socket, void *data, size_t len, int *fds);

/* Closes the descriptors of a message. */
void serve_message_close(const int *fds);

#endif /* COLLECTOR_SERVE_MESSAGES_H */
