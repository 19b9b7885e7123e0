// SPDX-License-Identifier: GPL-2.0
#include "serve/service_manager.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* The first descriptor that systemd passes: SD_LISTEN_FDS_START. */
#define FIRST_FD	3

/* Connects to a path, or to an abstract name that begins with "@". Returns: -1 after an error. */
static int connect_to(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t len = strlen(path);
	int fd;

	if (!len || len >= sizeof(un.sun_path) || (path[0] != '/' && path[0] != '@'))
		return -1;
	memcpy(un.sun_path, path, len);
	if (path[0] == '@')
		un.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (!connect(fd, (struct sockaddr *)&un, offsetof(struct sockaddr_un, sun_path) + len))
		return fd;
	close(fd);
	return -1;
}

/* Returns a number of the environment, or 0. */
static uint64_t number_of(const char *name)
{
	const char *text = getenv(name);

	return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

/* A child of the service inherits the variables, which are not meant for it. */
static int is_for_me(const char *name)
{
	return number_of(name) == (uint64_t)getpid();
}

void service_manager_init(struct service_manager *m)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*m = (struct service_manager){ .fd = path ? connect_to(path) : -1 };
	if (m->fd >= 0 && (!getenv("WATCHDOG_PID") || is_for_me("WATCHDOG_PID")))
		m->watchdog_ns = number_of("WATCHDOG_USEC") * 1000;
}

void service_manager_fini(struct service_manager *m)
{
	if (m->fd >= 0)
		close(m->fd);
}

void service_manager_tell(const struct service_manager *m, const char *state)
{
	if (m->fd >= 0)
		send(m->fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void service_manager_tell_reload(const struct service_manager *m)
{
	char state[64];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		 clock_ns(CLOCK_MONOTONIC) / 1000);
	service_manager_tell(m, state);
}

int service_manager_socket(void)
{
	uint64_t nr = is_for_me("LISTEN_PID") ? number_of("LISTEN_FDS") : 0;

	if (nr != 1)
		return nr ? -EINVAL : -1;
	fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	fcntl(FIRST_FD, F_SETFL, fcntl(FIRST_FD, F_GETFL) | O_NONBLOCK);
	return FIRST_FD;
}
