/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether the module works on the running kernel, by its release and its configuration. */
#ifndef COLLECTOR_HOST_KERNEL_H
#define COLLECTOR_HOST_KERNEL_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/* Is the module loaded? */
bool host_kernel_has_module(const struct host *h);

/* Was the kernel built with CONFIG_MODULES? True if that is not known. */
bool host_kernel_loads_modules(const struct host *h);

/* Is this process in a container, which cannot load modules for the host? */
bool host_kernel_is_container(const struct host *h);

/* Prints one line about the release of the kernel. */
void host_kernel_check_release(const struct host *h, struct findings *f);

/* Prints one line about the configuration of the kernel. */
void host_kernel_check_config(const struct host *h, struct findings *f);

#endif /* COLLECTOR_HOST_KERNEL_H */
