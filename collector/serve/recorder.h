/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that keeps one session open from its start, for profile types that count events since
 * then. On a request it drains the rings and forks. The child has a copy of all that was counted,
 * finds the symbols, and writes the profile. So the recorder goes on to read the rings, and parses
 * no more than any run does while it samples.
 */
#ifndef COLLECTOR_SERVE_RECORDER_H
#define COLLECTOR_SERVE_RECORDER_H

#include <stdint.h>
#include <sys/types.h>

struct settings;

/*
 * Returns the profile types of settings that a recorder of process pid counts: bit n is
 * PROFILE_TYPE_* n. pid 0 stands for all targets together: see serve_targets_refusal().
 */
unsigned int serve_recorder_counts(const struct settings *settings, pid_t pid);

struct serve_recorder {
	pid_t child;		/* the recorder */
	int socket;		/* poll() reports POLLHUP when the recorder has ended */
};

/*
 * Starts a recorder for the process pid; 0: all targets together. It counts the types of
 * serve_recorder_counts(). It ends with its last target, and with this process.
 * serve_recorder_end() ends it.
 * Returns: 0, or -1 after it printed the cause.
 */
int serve_recorder_start(struct serve_recorder *recorder, const struct settings *settings,
			 pid_t pid);

/*
 * Ends the recorder, and sets its socket to -1. It is killed: one that has closed its socket, but
 * goes on, must not stop this process.
 */
void serve_recorder_end(struct serve_recorder *recorder);

/* Waits until the session runs. Returns: 0, or -1 after the recorder printed the cause. */
int serve_recorder_wait(const struct serve_recorder *recorder);

/*
 * Asks a recorder for a profile type as it is counted now, as text if debug is not 0. Waits until
 * it is written to out_fd. Messages go to err_fd.
 * Returns: the exit code SERVE_*.
 */
int serve_recorder_ask(int socket, uint32_t type, uint32_t debug, int out_fd, int err_fd);

#endif /* COLLECTOR_SERVE_RECORDER_H */
