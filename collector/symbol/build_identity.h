/* SPDX-License-Identifier: GPL-2.0 */
/* The build identity: which build of the collector and of its libraries this process runs. */
#ifndef COLLECTOR_MAKER_H
#define COLLECTOR_MAKER_H

#include <stdint.h>

/*
 * Returns a number that differs for another build. It is a hash of the ELF notes (build IDs and
 * others) of all loaded files. Any thread may call this.
 */
uint64_t maker_id(void);

#endif /* COLLECTOR_MAKER_H */
