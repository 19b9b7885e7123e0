// SPDX-License-Identifier: GPL-2.0
#include "session/thread_snapshot.h"

#include <errno.h>
#include <stdint.h>

#include "device/error_text.h"
#include "device/device.h"

int thread_snapshot_take(struct device *d, int (*drain)(void *ctx), void *ctx)
{
	uint32_t next = 0;
	int err;

	do {
		err = device_threads(d, &next);
		if (err) {
			device_error_print_threads(err);
			return -1;
		}
		if (drain(ctx))
			return -1;
	} while (next);
	return 0;
}

int thread_snapshot_check(struct device *d, pid_t pid, uint64_t exec_id)
{
	uint64_t now;
	int err = device_exec_id(d, pid, &now);

	if (err == -ESRCH || (!err && now == exec_id))
		return 0;
	if (err)
		device_error_print_attach(pid, err);
	else
		device_error_print_threads(-ESTALE);
	return -1;
}
