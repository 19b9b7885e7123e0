/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the file that a process has mapped. Whatever leads to it is others' to change
 * between what the kernel tells of the mapping and this: by the file's numbers alone can
 * be seen that it is the one.
 */
#ifndef COLLECTOR_MAPPED_H
#define COLLECTOR_MAPPED_H

#include <stdint.h>

/* As in /proc/PID/maps. These are not always those of stat(): see mapped_open(). */
struct mapped_inode {
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
};

/*
 * As regular_open() for what stands at path, but -ENOENT if that has other numbers when it
 * is mapped. Subvolumes of btrfs and layers of an overlay have a device each for stat(), and
 * one for mappings.
 */
int mapped_open(const char *path, const struct mapped_inode *inode);

#endif /* COLLECTOR_MAPPED_H */
