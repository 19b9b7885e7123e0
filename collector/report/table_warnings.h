/* SPDX-License-Identifier: GPL-2.0 */
/* What it means for people that a file's code gets no unwind table. */
#ifndef COLLECTOR_BADFILE_H
#define COLLECTOR_BADFILE_H

#include "process/mapped_files.h"
#include "session/unwind_tables.h"

/* Prints that the first of them is one, and how many more there are. */
void badfile_warn(const struct files *files, const struct tables_bad *bad);

#endif /* COLLECTOR_BADFILE_H */
