/* SPDX-License-Identifier: GPL-2.0 */
/* Compares an unwind table with the rules that libdw finds in the same file. */
#ifndef COLLECTOR_VERIFY_H
#define COLLECTOR_VERIFY_H

#include <stdint.h>
#include <stdio.h>

#include "unwind/compile.h"

struct cfi_verify {
	uint64_t nr_compared;		/* addresses at which a row of either side begins */
	uint64_t nr_wrong;		/* of them, with different rules */
	uint64_t extra_bytes;		/* text with a rule in the table, and none in libdw */
};

/*
 * Compares c, which cfi_compile(fd) made. Prints up to 5 differences to out, each line begins
 * with name.
 * Returns: 0, or a negative errno: -ENOEXEC for a file that is not ELF, -EIO if the file was
 * truncated meanwhile.
 */
int cfi_verify_file(int fd, const struct cfi *c, const char *name, FILE *out,
		    struct cfi_verify *result);

#endif /* COLLECTOR_VERIFY_H */
