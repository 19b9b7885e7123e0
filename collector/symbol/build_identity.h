/* SPDX-License-Identifier: GPL-2.0 */
/* The build identity: which build of the collector and of its libraries this process runs. */
#ifndef COLLECTOR_BUILD_IDENTITY_H
#define COLLECTOR_BUILD_IDENTITY_H

#include <stdint.h>

/*
 * Returns a number that differs for another build. It is a hash of the ELF notes (build IDs and
 * others) of all loaded files. Any thread may call this.
 */
uint64_t build_identity(void);

#endif /* COLLECTOR_BUILD_IDENTITY_H */
