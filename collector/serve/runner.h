/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that starts the work for requests. It keeps the rights to profile, and reads nothing
 * but fixed-size messages. The process that speaks HTTP has no rights, and asks it over a socket
 * pair. Each piece of work is a child of the runner: a crash of its parsers ends no more than that
 * child. The output and the messages of a child are files in memory.
 *
 *	http  --- struct serve_collection (+ text) --->  runner  --- fork --->  work
 *	http  <-- id, wait status (+ output, messages) - runner
 *
 * The runner ends when its socket is closed, and its children end with it.
 */
#ifndef COLLECTOR_SERVE_RUNNER_H
#define COLLECTOR_SERVE_RUNNER_H

#include <stdint.h>
#include <sys/types.h>

struct serve_collection;
struct serve_targets;

/* Limit of profiles at once, and also of pieces of other work at once. */
#define SERVE_RUNNER_MAX	8

/* Limit of processes whose events are counted from the start. */
#define SERVE_RUNNER_MAX_RECORDERS	16

struct serve_result {
	uint64_t id;		/* of the collection */
	int status;		/* of waitpid() */
	int out_fd;		/* the caller closes both; -1 if the work could not start */
	int err_fd;
};

/*
 * Starts the runner, and a recorder for each target if the settings have profile types that count
 * from the start. The runner checks each request against targets, and removes the socket at
 * unix_path at its end, unless that is NULL. It closes listen_fd, which it does not need.
 * Returns: a descriptor for poll() and the functions below, which the caller closes; or -1 after
 * the cause was printed.
 */
int serve_runner_start(const struct serve_targets *targets, const char *unix_path,
		       int listen_fd);

/*
 * Asks for the work of c. text_fd is passed on, and stays the caller's; -1: none.
 * Returns: 0, or a negative errno.
 */
int serve_runner_send(int runner, const struct serve_collection *c, int text_fd);

/* Receives a result. Returns: 0; or a negative errno, -EPIPE if the runner has ended. */
int serve_runner_receive(int runner, struct serve_result *result);

#endif /* COLLECTOR_SERVE_RUNNER_H */
