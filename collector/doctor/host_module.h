/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether the module is loaded, and what prevents it from being built and loaded. */
#ifndef COLLECTOR_HOST_MODULE_H
#define COLLECTOR_HOST_MODULE_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/* Prints a line for each of: headers, compiler, module and signature, as far as they matter. */
void host_module_check(const struct host *h, struct findings *f);

/* Writes the lockdown state in use to word, which has room for size; "" if the kernel has none. */
void host_module_read_lockdown(const struct host *h, char *word, size_t size);

#endif /* COLLECTOR_HOST_MODULE_H */
