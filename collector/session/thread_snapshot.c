// SPDX-License-Identifier: GPL-2.0
#include "session/thread_snapshot.h"

#include <errno.h>
#include <stdint.h>

#include "device/error_text.h"
#include "device/device.h"

int snapshot_take(struct dev *d, int (*drain)(void *ctx), void *ctx)
{
	uint32_t next = 0;
	int err;

	do {
		err = dev_threads(d, &next);
		if (err) {
			complain_threads(err);
			return -1;
		}
		if (drain(ctx))
			return -1;
	} while (next);
	return 0;
}

int snapshot_check(struct dev *d, pid_t pid, uint64_t image)
{
	uint64_t now;
	int err = dev_image(d, pid, &now);

	if (err == -ESRCH || (!err && now == image))
		return 0;
	if (err)
		complain_attach(pid, err);
	else
		complain_threads(-ESTALE);
	return -1;
}
