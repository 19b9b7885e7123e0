// SPDX-License-Identifier: GPL-2.0
/*
 * Joins all multicast groups of generic netlink, up to number 1023. Prints "joined" with the
 * number of groups that it could join, and then a line "family N" for each message, with the
 * number of its family. It skips the messages of the netlink controller. Runs until it is killed.
 *
 *	groups
 */
#include <stdio.h>

#include "genl.h"

#define NR_GROUPS 1024

int main(void)
{
	struct genl_message message;
	int fd = genl_open(), nr = 0;

	for (int group = 1; group < NR_GROUPS; group++)
		nr += !setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
	printf("joined %d\n", nr);
	fflush(stdout);
	for (;;) {
		if (recv(fd, &message, sizeof(message), 0) < 0)
			continue;
		if (message.nl.nlmsg_type != GENL_ID_CTRL) {
			printf("family %d\n", message.nl.nlmsg_type);
			fflush(stdout);
		}
	}
}
