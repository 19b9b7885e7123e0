/* SPDX-License-Identifier: GPL-2.0 */
/* The page that lists the profiles of a target. */
#ifndef COLLECTOR_HTTP_INDEX_PAGE_H
#define COLLECTOR_HTTP_INDEX_PAGE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct index_page_target {
	pid_t pid;
	const char *comm;	/* any bytes */
};

struct index_page {
	pid_t pid;		/* of the target that is shown; 0: all targets together */
	const char *cgroup;	/* of all targets: any bytes; NULL: none */
	const char *comm;	/* its name: any bytes */
	/* Lines "NAME COUNT", as `pprof-collect list` prints them. */
	const char *profiles;
	size_t len;
	const struct index_page_target *targets;	/* of the server */
	size_t nr_targets;
};

/* Writes the page. It has no script. Write errors are left in out. */
void index_page_write(FILE *out, const struct index_page *p);

/* The list for a target whose own profiles are not known. */
#define INDEX_PAGE_NO_COUNTS	"allocs 0\nblock 0\ngrowth 0\nheap 0\nmutex 0\nthread 0\n"	\
				"threadcreate 0\nwall 0\n"

#endif /* COLLECTOR_HTTP_INDEX_PAGE_H */
