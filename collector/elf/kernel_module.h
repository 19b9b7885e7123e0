/* SPDX-License-Identifier: GPL-2.0 */
/* A kernel module's file: for which kernel it was built, and is it signed? */
#ifndef COLLECTOR_MODFILE_H
#define COLLECTOR_MODFILE_H

#include <stdbool.h>

struct modfile {
	char release[128];	/* as of uname -r, "" if the file does not tell */
	bool is_signed;		/* whoever did it */
};

/* 0, or a negative errno: -ENOEXEC for what is no kernel module. */
int modfile_read(const char *path, struct modfile *m);

#endif /* COLLECTOR_MODFILE_H */
