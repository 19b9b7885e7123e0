// SPDX-License-Identifier: GPL-2.0
#include "serve/messages.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the descriptors. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(SERVE_MESSAGE_FDS * sizeof(int))];
};

int serve_message_send(int socket, const void *data, size_t len, const int *fds, size_t nr_fds)
{
	struct iovec part = { (void *)data, len };
	union control control = { 0 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (nr_fds) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, nr_fds * sizeof(int));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t serve_message_receive(int socket, void *data, size_t len, int *fds)
{
	struct iovec part = { data, len };
	union control control = { 0 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	for (int i = 0; i < SERVE_MESSAGE_FDS; i++)
		fds[i] = -1;
	if (got < 0)
		return -errno;
	if (message.msg_controllen && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(fds, CMSG_DATA(&control.header), control.header.cmsg_len - CMSG_LEN(0));
	return got;
}

void serve_message_close(const int *fds)
{
	for (int i = 0; i < SERVE_MESSAGE_FDS; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}
