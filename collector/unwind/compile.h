/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compiles .eh_frame and .debug_frame of an ELF file into an unwind table (pprof_table.h). For a
 * stripped program of Go it reads the table of Go's runtime. Code that none of these covers gets
 * rules as far as they are known: see uncovered_code.h. Any thread may compile; no state remains
 * between calls. Nothing here prints a message.
 */
#ifndef COLLECTOR_COMPILE_H
#define COLLECTOR_COMPILE_H

#include <stddef.h>
#include <stdint.h>

/* Statistics of a table. Bytes are bytes of the file. */
struct cfi_stats {
	uint32_t rows;			/* in the table */
	uint32_t rules;			/* in the dictionary: those that no row can hold itself */
	uint64_t text_bytes;		/* of all executable segments */
	uint64_t covered_bytes;		/* of text_bytes: with a rule that can be walked */
	uint64_t unsupported_bytes;	/* of text_bytes: with a rule that is too complex */
};

struct cfi {
	void *table;			/* from malloc(); cfi_fini() frees it */
	uint32_t bytes;			/* size of the table */
	struct cfi_stats stats;
};

/*
 * Compiles the open file fd, which stays the caller's. The file is read through a mapping, under
 * the protection of base/sigbus_guard.h. Call cfi_fini() after success only.
 * Returns: 0; -ENOMSG for a file that is not ELF; -ENOTSUP for a 32-bit file; -ENODATA if the file
 * has no code; -ENOEXEC for any other file that is no program or library for this machine, or is
 * damaged; -EIO if the file was truncated meanwhile; -EFBIG if a table cannot hold it; -ENOMEM.
 */
int cfi_compile(int fd, struct cfi *out);

/*
 * Compiles an ELF image in memory that does not change, such as the vDSO. Else as cfi_compile().
 */
int cfi_compile_memory(const void *image, size_t bytes, struct cfi *out);

/* Frees the table. */
void cfi_fini(struct cfi *c);

/*
 * Returns why cfi_compile() refused a file, as the end of a sentence: "is no ELF ...". For other
 * errors, returns strerror(). err is its negative errno. Static, or valid until the next call.
 */
const char *cfi_reason(int err);

#endif /* COLLECTOR_COMPILE_H */
