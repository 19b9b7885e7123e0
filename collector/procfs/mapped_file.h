/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Opens the file that a process has mapped. Another user may change every path to the file after
 * the kernel reported the mapping. Only the device and inode numbers show that it is the same
 * file.
 */
#ifndef COLLECTOR_MAPPED_FILE_H
#define COLLECTOR_MAPPED_FILE_H

#include <stdint.h>

/* The numbers of /proc/PID/maps. stat() may give another device: see mapped_open(). */
struct mapped_inode {
	uint32_t dev_major;
	uint32_t dev_minor;
	uint64_t ino;
};

/*
 * Opens the regular file at path, as regular_open() does, if it has the given numbers. First
 * compares the numbers of fstat(). If they differ, maps a page of the file and compares the
 * numbers in /proc/self/maps. Subvolumes of btrfs and layers of overlayfs have one device for
 * stat() and another one for mappings.
 * Returns: a descriptor that the caller closes, -ENOENT if the numbers differ, or an error of
 * regular_open().
 */
int mapped_open(const char *path, const struct mapped_inode *inode);

#endif /* COLLECTOR_MAPPED_FILE_H */
