/* SPDX-License-Identifier: GPL-2.0 */
/* Does the module work on the running kernel, by its release and its configuration? */
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

/* Each prints one line. */
void hostkernel_check_release(const struct host *h, struct findings *f);
void hostkernel_check_config(const struct host *h, struct findings *f);

#endif /* COLLECTOR_HOSTKERNEL_H */
