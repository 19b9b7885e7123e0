/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities of a thread: see capabilities(7). */
#ifndef COLLECTOR_CAPABILITIES_H
#define COLLECTOR_CAPABILITIES_H

#include <linux/capability.h>
#include <stdint.h>

#define CAPABILITIES_BIT(capability)	(UINT64_C(1) << (capability))

/*
 * Sets *effective to the effective capabilities of the calling thread, as CAPABILITIES_BIT().
 * Returns: 0, or a negative errno.
 */
int capabilities_get(uint64_t *effective);

/*
 * The calling thread loses each capability that is not in kept. Other threads keep theirs. No
 * capability is inheritable afterwards.
 * Returns: 0, or a negative errno.
 */
int capabilities_keep(uint64_t kept);

#endif /* COLLECTOR_CAPABILITIES_H */
