/* SPDX-License-Identifier: GPL-2.0 */
/* The sockets on which the server listens. */
#ifndef COLLECTOR_HTTP_LISTEN_ADDRESS_H
#define COLLECTOR_HTTP_LISTEN_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct listen_address {
	struct sockaddr_storage addr;
	socklen_t len;
};

/*
 * Reads "127.0.0.1:6060" or "[::1]:6060": an IP address and a port from 1 to 65535. Names are not
 * looked up, except localhost, which is 127.0.0.1.
 * Returns: 0, or -EINVAL.
 */
int listen_address_read(struct listen_address *a, const char *text);

/* Sets the address of a socket in the file system. Returns: 0, or -ENAMETOOLONG. */
int listen_address_unix(struct listen_address *a, const char *path);

/* Sets the address of a socket that is open. Returns: 0, or a negative errno. */
int listen_address_of(struct listen_address *a, int fd);

/* Can other machines not reach the address? */
bool listen_address_is_local(const struct listen_address *a);

/*
 * Opens a socket that listens and does not block. A socket in the file system gets the mode 0600,
 * and replaces an old socket on which no process listens any more.
 * Returns: the descriptor, or a negative errno.
 */
int listen_address_open(const struct listen_address *a);

#endif /* COLLECTOR_HTTP_LISTEN_ADDRESS_H */
