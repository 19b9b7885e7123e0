// SPDX-License-Identifier: GPL-2.0
#include "snapshot.h"

#include <stdint.h>

#include "complain.h"
#include "dev.h"

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
