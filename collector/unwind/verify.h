/* SPDX-License-Identifier: GPL-2.0 */
/* Compares an unwind table with what libdw makes of the same file. */
#ifndef COLLECTOR_CFICHECK_H
#define COLLECTOR_CFICHECK_H

#include <stdint.h>
#include <stdio.h>

#include "unwind/compile.h"

struct cficheck {
	uint64_t nr_compared;		/* addresses: where a row of either begins */
	uint64_t nr_wrong;
	uint64_t extra_bytes;		/* text with a rule, where libdw has none */
};

/*
 * Compares c, as cfi_compile(fd) made it, and prints the first few differences
 * on out, behind name. 0 or a negative errno.
 */
int cficheck_file(int fd, const struct cfi *c, const char *name, FILE *out,
		  struct cficheck *result);

#endif /* COLLECTOR_CFICHECK_H */
