// SPDX-License-Identifier: GPL-2.0
#include "http/listen_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Connections that wait for accept(). The server accepts 64 at once. */
#define BACKLOG		64

/* Returns the port, or 0 if text is none. */
static unsigned long read_port(const char *text)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	return *text < '0' || *text > '9' || *end || port > 65535 ? 0 : port;
}

static int set_ipv4(struct listen_address *a, const char *host, unsigned long port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->addr;

	in->sin_family = AF_INET;
	in->sin_port = htons(port);
	a->len = sizeof(*in);
	return inet_pton(AF_INET, host, &in->sin_addr) == 1 ? 0 : -EINVAL;
}

/* host is "[::1]". */
static int set_ipv6(struct listen_address *a, char *host, unsigned long port)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a->addr;
	size_t len = strlen(host);

	if (len < 2 || host[len - 1] != ']')
		return -EINVAL;
	host[len - 1] = 0;
	in->sin6_family = AF_INET6;
	in->sin6_port = htons(port);
	a->len = sizeof(*in);
	return inet_pton(AF_INET6, host + 1, &in->sin6_addr) == 1 ? 0 : -EINVAL;
}

int listen_address_read(struct listen_address *a, const char *text)
{
	const char *colon = strrchr(text, ':');
	unsigned long port = colon ? read_port(colon + 1) : 0;
	char host[INET6_ADDRSTRLEN + 2];

	*a = (struct listen_address){ 0 };
	if (!port || (size_t)(colon - text) >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, colon - text);
	host[colon - text] = 0;
	if (host[0] == '[')
		return set_ipv6(a, host, port);
	return set_ipv4(a, strcmp(host, "localhost") ? host : "127.0.0.1", port);
}

int listen_address_unix(struct listen_address *a, const char *path)
{
	struct sockaddr_un *un = (struct sockaddr_un *)&a->addr;

	*a = (struct listen_address){ .len = sizeof(*un) };
	if (strlen(path) >= sizeof(un->sun_path))
		return -ENAMETOOLONG;
	un->sun_family = AF_UNIX;
	strcpy(un->sun_path, path);
	return 0;
}

int listen_address_of(struct listen_address *a, int fd)
{
	*a = (struct listen_address){ .len = sizeof(a->addr) };
	return getsockname(fd, (struct sockaddr *)&a->addr, &a->len) ? -errno : 0;
}

bool listen_address_is_local(const struct listen_address *a)
{
	const struct sockaddr_in *in = (const struct sockaddr_in *)&a->addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->addr;

	switch (a->addr.ss_family) {
	case AF_INET:
		return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
	}
	return true;
}

/* A socket of a server that was killed refuses connections. Any other file stays. */
static void remove_dead_socket(const struct listen_address *a)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)&a->addr;
	struct stat st;
	int fd;

	if (lstat(un->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)un, a->len) && errno == ECONNREFUSED)
		unlink(un->sun_path);
	close(fd);
}

/* The umask sets the mode: between bind() and a later chmod() other users could connect. */
static int bind_socket(int fd, const struct listen_address *a)
{
	mode_t before;
	int err;

	if (a->addr.ss_family == AF_UNIX)
		remove_dead_socket(a);
	before = umask(0177);
	err = bind(fd, (const struct sockaddr *)&a->addr, a->len) ? -errno : 0;
	umask(before);
	return err;
}

int listen_address_open(const struct listen_address *a)
{
	int fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err, one = 1;

	if (fd < 0)
		return -errno;
	if (a->addr.ss_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	err = bind_socket(fd, a);
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}
