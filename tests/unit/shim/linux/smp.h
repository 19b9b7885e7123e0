/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_SMP_H
#define SHIM_SMP_H

/* The test defines it. */
void on_each_cpu(void (*fn)(void *data), void *data, int wait);

#endif
