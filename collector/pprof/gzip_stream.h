/* SPDX-License-Identifier: GPL-2.0 */
/* A stdio stream into a gzout. */
#ifndef COLLECTOR_GZSTREAM_H
#define COLLECTOR_GZSTREAM_H

#include <stdio.h>

struct gzout;

struct gzstream {
	struct gzout *gz;
	int err;
};

/* NULL if out of memory. The caller ends it with gzstream_close(), and gz later. */
FILE *gzstream_open(struct gzstream *s, struct gzout *gz);

/* 0, or the negative errno of whatever went wrong first. */
int gzstream_close(struct gzstream *s, FILE *out);

#endif /* COLLECTOR_GZSTREAM_H */
