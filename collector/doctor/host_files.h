/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that doctor examines, and how its files are read. */
#ifndef COLLECTOR_HOSTFILES_H
#define COLLECTOR_HOSTFILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct host {
	const char *root;	/* the folder that /proc, /sys, ... are in; "" for / */
	const char *release;	/* as of uname -r */
	const char *machine;	/* as of uname -m */
	const char *program;	/* the path of pprof-collect */
	const char *debug_urls;	/* of debuginfod; NULL: none */
	bool lacks_netlink;	/* this network namespace lacks the loaded module's family */
};

/* Writes root and the formatted path. A path over PATH_MAX is cut, and names no file. */
void hostfiles_path(const struct host *h, char path[PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

bool hostfiles_exist(const struct host *h, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads a small file and ends it with a NUL. Returns: the number of bytes, or -1. */
int hostfiles_read(const struct host *h, const char *name, char *buf, size_t size);

/* Reads a symbolic link and ends it with a NUL. Returns: the number of bytes, or -1. */
int hostfiles_link(const struct host *h, const char *name, char *buf, size_t size);

#endif /* COLLECTOR_HOSTFILES_H */
