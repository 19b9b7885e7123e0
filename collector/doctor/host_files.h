/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that doctor examines, and access to its files. Tests use another root folder. */
#ifndef COLLECTOR_HOST_FILES_H
#define COLLECTOR_HOST_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct host {
	const char *root;	/* folder that holds /proc, /sys, ...; "" for / */
	const char *release;	/* as `uname -r` prints it */
	const char *machine;	/* as `uname -m` prints it */
	const char *debug_urls;	/* DEBUGINFOD_URLS; NULL: not set */
	bool lacks_netlink;	/* this network namespace lacks the family of the loaded module */
};

/*
 * Writes root and the formatted path to path. A path over PATH_MAX is cut, and then names no
 * file.
 */
void host_files_path(const struct host *h, char path[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Does the formatted path exist below root? */
bool host_files_exist(const struct host *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Reads the first size - 1 bytes of a file to buf, with a NUL.
 * Returns: the number of bytes, or -1.
 */
int host_files_read(const struct host *h, const char *name, char *buf, size_t size);

/*
 * Reads a symbolic link to buf, at most size - 1 bytes, with a NUL.
 * Returns: the number of bytes, or -1.
 */
int host_files_link(const struct host *h, const char *name, char *buf, size_t size);

#endif /* COLLECTOR_HOST_FILES_H */
