// SPDX-License-Identifier: GPL-2.0
/*
 * The example of a custom profile: an echo server with the profile "connections" of its
 * open connections. The stack of a value shows the port: accept_user() or accept_admin().
 * A line that begins with "quit" closes its connection. Prints "ready" when it listens.
 * The server ends at the end of its standard input.
 *
 *	connections PORT ADMIN_PORT
 *
 *	pprof-collect --profile connections --debug 1 -o - --pid PID
 */
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include "program.h"
#include "pprof_client.h"

#define MAX_OPEN	1024

struct connection {
	int fd;
};

static struct connection *open_ones[MAX_OPEN];
static struct pollfd fds[MAX_OPEN + 3];	/* the input, two ports, connections */
static int nr_open;

static KEEP void open_connection(int port_fd)
{
	struct connection *connection;
	int fd = accept(port_fd, NULL, NULL);

	if (fd < 0)
		return;
	connection = nr_open < MAX_OPEN ? malloc(sizeof(*connection)) : NULL;
	if (!connection) {
		close(fd);
		return;
	}
	connection->fd = fd;
	pprof_add("connections", connection, 1);	/* skip 1: the caller shows the port */
	open_ones[nr_open++] = connection;
}

static void close_connection(int i)
{
	pprof_remove("connections", open_ones[i]);
	close(open_ones[i]->fd);
	free(open_ones[i]);
	open_ones[i] = open_ones[--nr_open];
}

static KEEP void accept_user(int fd)
{
	open_connection(fd);
	__asm__ volatile("");	/* no tail call */
}

static KEEP void accept_admin(int fd)
{
	open_connection(fd);
	__asm__ volatile("");
}

static void serve(int i)
{
	char line[256];
	ssize_t len = read(open_ones[i]->fd, line, sizeof(line));

	if (len < 4 || !memcmp(line, "quit", 4) || write(open_ones[i]->fd, line, len) != len)
		close_connection(i);
}

static int listen_at(const char *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_port = htons(arg_scaled(port, 1, 1, 65535));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 100)) {
		perror(port);
		exit(1);
	}
	return fd;
}

/*
 * From the last connection to the first, as a close moves the last one into the gap.
 * Returns: false at the end of the input.
 */
static int step(void)
{
	int i, nr = nr_open;

	for (i = 0; i < nr; i++)
		fds[3 + i] = (struct pollfd) { .fd = open_ones[i]->fd, .events = POLLIN };
	poll(fds, 3 + nr, -1);
	for (i = nr - 1; i >= 0; i--)
		if (fds[3 + i].revents)
			serve(i);
	if (fds[1].revents)
		accept_user(fds[1].fd);
	if (fds[2].revents)
		accept_admin(fds[2].fd);
	return !fds[0].revents;
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 3)
		usage("connections PORT ADMIN_PORT");
	pprof_new_profile("connections");	/* fails without the module: no profile */
	for (i = 0; i < 3; i++)
		fds[i] = (struct pollfd) { .fd = i ? listen_at(argv[i]) : 0, .events = POLLIN };
	printf("ready\n");
	fflush(stdout);
	while (step())
		;
	return 0;
}
