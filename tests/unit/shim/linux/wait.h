/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_WAIT_H
#define SHIM_WAIT_H

struct shim_wait_queue_head {
	int unused;
};

#define wait_queue_head_t	struct shim_wait_queue_head

#endif
