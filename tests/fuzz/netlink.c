// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/netlink.c
// libs: -lnl-genl-3 -lnl-3
/* Input: a message of the generic netlink family, from its nlmsghdr on. */
#include <stdlib.h>
#include <string.h>

#include "device/netlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Reads all fields, so that ASan checks their bounds. */
static uint64_t sum_thread(const struct netlink_thread *t)
{
	uint64_t sum = strlen(t->comm);

	for (uint32_t i = 0; i < t->nr_frames; i++)
		sum += t->frames[i];
	return sum;
}

static uint64_t sum_session(const struct netlink_session *s)
{
	uint64_t sum = strlen(s->comm);

	for (uint32_t i = 0; i < s->nr_cpus; i++)
		sum += s->cpus[i].produced[0] + s->cpus[i].lost[PPROF_NR_CLASSES - 1][0];
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static volatile uint64_t sink;
	static struct netlink_thread thread;
	struct netlink_session session;
	struct netlink_cpu cpu;
	void *copy = malloc(len ? len : 1);	/* aligned, and with no slack */

	if (!copy)
		return 0;
	if (len)
		memcpy(copy, data, len);
	if (!netlink_parse_thread(copy, len, &thread))
		sink = sum_thread(&thread);
	if (!netlink_parse_session(copy, len, &session, &cpu))
		sink = sum_session(&session);
	(void)sink;
	free(copy);
	return 0;
}
