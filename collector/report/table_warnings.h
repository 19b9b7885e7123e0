/* SPDX-License-Identifier: GPL-2.0 */
/* The warning about files without an unwind table. */
#ifndef COLLECTOR_TABLE_WARNINGS_H
#define COLLECTOR_TABLE_WARNINGS_H

#include "process/mapped_files.h"
#include "session/unwind_tables.h"

/*
 * Prints a warning on standard error about the first such file, and the number of the other
 * ones.
 */
void table_warnings_print(const struct mapped_files *files, const struct unwind_tables_bad *bad);

#endif /* COLLECTOR_TABLE_WARNINGS_H */
