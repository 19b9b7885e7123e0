/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The descriptors of sessions that the threads of a process share, and their way to other
 * processes. Any thread may replace or close one while others use it.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <sys/socket.h>

#include "race.h"

#define NR_SLOTS	4
#define HIGH_FD		64	/* the descriptors from here on are never closed */

static int slots[NR_SLOTS] = { -1, -1, -1, -1 };
static int network[2];		/* datagrams, from any process with these sessions to any other */

/* What a call of this process did to the session of a descriptor: a hint for the next calls. */
static struct hint {
	int pid;		/* a target */
	uint32_t source;	/* one that was started */
} hints[HIGH_FD];

static inline struct hint *hint_of(int fd)
{
	return &hints[fd & (HIGH_FD - 1)];
}

/* Returns the descriptor of a session, which any thread may close meanwhile, or -1. */
static inline int some_session(void)
{
	unsigned int first = below(NR_SLOTS);
	int fd = -1;

	for (unsigned int i = 0; i < NR_SLOTS && fd < 0; i++)
		fd = __atomic_load_n(&slots[(first + i) % NR_SLOTS], __ATOMIC_RELAXED);
	return fd;
}

/* The last reference may be this one, or that of another process. */
static inline void put_session(int fd)
{
	int old = __atomic_exchange_n(&slots[below(NR_SLOTS)], fd, __ATOMIC_RELAXED);

	if (old >= 0)
		called(CLOSE, close(old));
}

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(2 * sizeof(int))];
};

static inline long send_descriptors(int to, const int *fds, int nr)
{
	union control control = { 0 };
	struct iovec byte = { .iov_base = "", .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};

	control.head = (struct cmsghdr) { .cmsg_len = CMSG_LEN(nr * sizeof(int)),
					  .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(&control.head), fds, nr * sizeof(int));
	return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Passes a session on. Half of the time, this process closes its own descriptor of it. */
static inline void pass_session(void)
{
	int fd = some_session();

	if (called(SEND, send_descriptors(network[0], &fd, 1)) < 0)
		return;
	add(PASSED, 1);
	if (one_in(2))
		put_session(-1);
}

static inline void take_session(void)
{
	union control control;
	char byte;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int fd;

	if (called(RECEIVE, recvmsg(network[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 ||
	    !CMSG_FIRSTHDR(&message))
		return;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	add(TAKEN, 1);
	put_session(fd);
}

/* Leaves a session in a socket that only holds itself: the kernel's garbage collector closes it. */
static inline void lose_session(void)
{
	int pair[2], fds[2] = { some_session() };

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return;
	fds[1] = pair[1];
	if (called(SEND, send_descriptors(pair[0], fds, 2)) >= 0)
		add(CYCLES, 1);
	close(pair[0]);
	close(pair[1]);
}

#endif
