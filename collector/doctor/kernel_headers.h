/* SPDX-License-Identifier: GPL-2.0 */
/* The requirements for building the module: the kernel's headers, and their compiler. */
#ifndef COLLECTOR_KERNEL_HEADERS_H
#define COLLECTOR_KERNEL_HEADERS_H

#include <stdbool.h>

#include "doctor/finding.h"
#include "doctor/host_files.h"

/* Prints one line about the headers. needs_build: the module is not built for this kernel. */
void headers_check(const struct host *h, bool needs_build, struct findings *f);

/* Prints a line about the compiler, if the headers are installed and name one. */
void headers_check_compiler(const struct host *h, struct findings *f);

#endif /* COLLECTOR_KERNEL_HEADERS_H */
