/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that were changed while they are profiled: see mapped_files_find_changes(). Their tables
 * and names are of the old content, and are not used any more.
 */
#ifndef COLLECTOR_CHANGED_FILES_H
#define COLLECTOR_CHANGED_FILES_H

struct profile_run;

/*
 * Searches for changed files. Forgets the table of each one, and its names that are known. From now
 * on, running processes have its new content. Call this before symbols are looked up.
 * Returns: 0, or -ENOMEM.
 */
int changed_files_update(struct profile_run *r);

/*
 * Does so for files that new mappings have shown to be changed. It searches once a second only.
 * Returns: 0, or -ENOMEM.
 */
int changed_files_poll(struct profile_run *r);

#endif /* COLLECTOR_CHANGED_FILES_H */
