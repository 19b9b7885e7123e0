/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Removes mapped files that no process and no counted stack uses any more. Without this, a run of
 * many windows would keep the files of all processes that have ever run, each with a descriptor and
 * an unwind table.
 */
#ifndef COLLECTOR_UNUSED_FILES_H
#define COLLECTOR_UNUSED_FILES_H

struct profile_run;

/*
 * Removes the unused files of r, if there are many files: see mapped_files_are_many(). Their
 * numbers may stand for other files afterwards. Call this after aggregator_compact(), and while no
 * child writes a window: the child sends file numbers.
 * Returns: 0, or -ENOMEM, and then no file was removed.
 */
int unused_files_remove(struct profile_run *r);

#endif /* COLLECTOR_UNUSED_FILES_H */
