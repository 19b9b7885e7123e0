/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped files that no process and no counted stack has any more. A run of many windows would hold
 * the files of all processes that have ever run, each one with a descriptor and an unwind table.
 */
#ifndef COLLECTOR_UNUSED_FILES_H
#define COLLECTOR_UNUSED_FILES_H

struct profile_run;

/*
 * Removes them, if there are many files: see mapped_files_are_many(). It must follow
 * aggregator_compact(), while no child writes a window: a child sends numbers of files.
 * Returns: 0, or -ENOMEM, and then no file was removed.
 */
int unused_files_remove(struct profile_run *r);

#endif /* COLLECTOR_UNUSED_FILES_H */
