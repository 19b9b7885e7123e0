/* SPDX-License-Identifier: GPL-2.0 */
/* The warning about files without an unwind table. */
#ifndef COLLECTOR_BADFILE_H
#define COLLECTOR_BADFILE_H

#include "process/mapped_files.h"
#include "session/unwind_tables.h"

/*
 * Prints a warning on standard error about the first such file, and the number of the other
 * ones.
 */
void badfile_warn(const struct files *files, const struct tables_bad *bad);

#endif /* COLLECTOR_BADFILE_H */
