/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_RANDOM_H
#define SHIM_RANDOM_H

#include <stddef.h>

/* The test's to define. */
void get_random_bytes(void *to, size_t bytes);

#endif
