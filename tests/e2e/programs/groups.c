// SPDX-License-Identifier: GPL-2.0
/*
 * Joins each multicast group of generic netlink that there is or may be, and
 * prints the family number of each message that comes, but for the announcements
 * of families themselves.
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
