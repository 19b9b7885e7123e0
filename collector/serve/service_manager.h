/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What systemd passes to a service, and what a service tells it: sd_notify(3), sd_listen_fds(3) and
 * sd_watchdog_enabled(3). libsystemd is rejected: the protocol is a few lines, and its own
 * documentation advises against linking the library for it.
 */
#ifndef COLLECTOR_SERVICE_MANAGER_H
#define COLLECTOR_SERVICE_MANAGER_H

#include <stdint.h>

struct service_manager {
	int fd;			/* a connected socket, or -1 without a manager */
	uint64_t watchdog_ns;	/* longest time between two signs of life; 0: none are wanted */
};

/* Connects to the manager that the environment names, if there is one. */
void service_manager_init(struct service_manager *m);

/* Ends the connection. */
void service_manager_fini(struct service_manager *m);

/* Sends a state, such as "READY=1". Errors are ignored: the manager may be gone. */
void service_manager_tell(const struct service_manager *m, const char *state);

/* Sends that the configuration is read again; "READY=1" ends it. */
void service_manager_tell_reload(const struct service_manager *m);

/*
 * Returns the socket that the manager has opened for this process. It is set to close at exec and
 * not to block. Returns -1 if there is none, or -EINVAL if there are several.
 */
int service_manager_socket(void);

#endif /* COLLECTOR_SERVICE_MANAGER_H */
