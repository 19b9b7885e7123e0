/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink without a library, for messages that a library would not send. */
#ifndef GENL_H
#define GENL_H

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#define GENL_MESSAGE_BYTES	8192

struct genl_message {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	char attrs[GENL_MESSAGE_BYTES - sizeof(struct nlmsghdr) - sizeof(struct genlmsghdr)];
};

#define GENL_HEADERS (sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr))

/*
 * Opens a socket, for which genl_receive() waits a second at most.
 * Returns: a descriptor for the caller, or -1 with errno.
 */
static inline int genl_open(void)
{
	struct timeval second = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	return fd;
}

/*
 * Sends message as a request, with attr_bytes of its attrs, which the caller has filled in.
 * Returns: 0, or a negative errno.
 */
static inline int genl_send(int fd, struct genl_message *message, __u16 type, __u16 flags,
			    __u8 cmd, size_t attr_bytes)
{
	message->nl = (struct nlmsghdr) { .nlmsg_len = GENL_HEADERS + attr_bytes,
					  .nlmsg_type = type,
					  .nlmsg_flags = NLM_F_REQUEST | flags };
	message->genl = (struct genlmsghdr) { .cmd = cmd, .version = 1 };
	return send(fd, message, message->nl.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* Receives a message. Returns: 0, or a negative errno: of recv(), or the one in the message. */
static inline int genl_receive(int fd, struct genl_message *message)
{
	ssize_t bytes = recv(fd, message, sizeof(*message), 0);
	int error;

	if (bytes < (ssize_t)sizeof(message->nl))
		return bytes < 0 ? -errno : -EBADMSG;
	if (message->nl.nlmsg_type != NLMSG_ERROR)
		return 0;
	memcpy(&error, &message->genl, sizeof(error));
	return error;
}

/* Asks the kernel for a family. Returns: its number, or a negative errno. */
static inline int genl_family(int fd, const char *name)
{
	struct genl_message message = { 0 };
	struct nlattr *attr = (struct nlattr *)message.attrs;
	char *end;
	int err;

	attr->nla_type = CTRL_ATTR_FAMILY_NAME;
	attr->nla_len = NLA_HDRLEN + strlen(name) + 1;
	strcpy(message.attrs + NLA_HDRLEN, name);
	err = genl_send(fd, &message, GENL_ID_CTRL, 0, CTRL_CMD_GETFAMILY,
			NLA_ALIGN(attr->nla_len));
	if (!err)
		err = genl_receive(fd, &message);
	if (err)
		return err;
	end = (char *)&message + message.nl.nlmsg_len;
	while ((char *)attr < end && attr->nla_type != CTRL_ATTR_FAMILY_ID)
		attr = (struct nlattr *)((char *)attr + NLA_ALIGN(attr->nla_len));
	return (char *)attr < end ? *(__u16 *)((char *)attr + NLA_HDRLEN) : -ENOENT;
}

/* Sends a command without attributes, and waits for the answer. Returns: 0, or a negative errno. */
static inline int genl_call(int fd, int family, __u16 flags, __u8 cmd)
{
	struct genl_message message;
	int err = genl_send(fd, &message, family, flags | NLM_F_ACK, cmd, 0);

	return err ? err : genl_receive(fd, &message);
}

#endif
