/* SPDX-License-Identifier: GPL-2.0 */
/* Which build of the collector this is, and of the libraries that it runs with. */
#ifndef COLLECTOR_MAKER_H
#define COLLECTOR_MAKER_H

#include <stdint.h>

/* Another number for another one. Any thread. */
uint64_t maker_id(void);

#endif /* COLLECTOR_MAKER_H */
