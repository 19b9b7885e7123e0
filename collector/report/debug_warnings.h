/* SPDX-License-Identifier: GPL-2.0 */
/* The warnings about debug info that could not be used. */
#ifndef COLLECTOR_DEBUG_WARNINGS_H
#define COLLECTOR_DEBUG_WARNINGS_H

#include "process/mapped_files.h"

/*
 * Prints a warning for each cause on standard error: about the first such file, and the number of
 * the other ones.
 */
void debug_warnings_print(const struct mapped_files *files);

#endif /* COLLECTOR_DEBUG_WARNINGS_H */
