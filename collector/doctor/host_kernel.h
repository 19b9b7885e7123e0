/* SPDX-License-Identifier: GPL-2.0 */
/* Checks whether the module works on the running kernel, by its release and its configuration. */
#ifndef COLLECTOR_HOSTKERNEL_H
#define COLLECTOR_HOSTKERNEL_H

#include "doctor/finding.h"
#include "doctor/host_files.h"

/* Is the module loaded? */
bool hostkernel_has_module(const struct host *h);

/* Was the kernel built with CONFIG_MODULES? True if that is not known. */
bool hostkernel_loads_modules(const struct host *h);

/* Is this process in a container, which cannot load modules for the host? */
bool hostkernel_is_container(const struct host *h);

/* Prints one line about the release of the kernel. */
void hostkernel_check_release(const struct host *h, struct findings *f);

/* Prints one line about the configuration of the kernel. */
void hostkernel_check_config(const struct host *h, struct findings *f);

#endif /* COLLECTOR_HOSTKERNEL_H */
