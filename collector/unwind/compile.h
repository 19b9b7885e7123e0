/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compiles an ELF file's .eh_frame and .debug_frame into an unwind table
 * (pprof_table.h). Code that they don't describe is described as far as it is
 * known: see uncovered_code.h. Any thread may compile; there is no state between calls.
 */
#ifndef COLLECTOR_CFI_H
#define COLLECTOR_CFI_H

#include <stddef.h>
#include <stdint.h>

/* What a table says; bytes are those of the file. */
struct cfi_stats {
	uint32_t rows;
	uint32_t rules;			/* that are too rare for a row to hold */
	uint64_t text_bytes;		/* of executable segments */
	uint64_t covered_bytes;		/* of them, with a rule to walk by */
	uint64_t unsupported_bytes;	/* with one that is too complex */
};

struct cfi {
	void *table;			/* malloc()ed, of so many bytes */
	uint32_t bytes;
	struct cfi_stats stats;
};

/*
 * fd: an open file, which stays the caller's. It is read through a mapping:
 * see base/sigbus_guard.h. cfi_fini() after success only. 0; -ENOTSUP for a file of 32 bits;
 * -ENOEXEC for what is no x86-64 program or library, or damaged; -ENODATA if it has
 * no code; -EIO if it shrank while it was read; -EFBIG if it needs more than a table
 * can hold; -ENOMEM.
 */
int cfi_compile(int fd, struct cfi *out);

/* The same for an ELF file in memory that does not change, such as the vdso. */
int cfi_compile_memory(const void *image, size_t bytes, struct cfi *out);

void cfi_fini(struct cfi *c);

/* What is wrong with the file that cfi_compile() refused: "is no ELF ...". */
const char *cfi_reason(int err);

#endif /* COLLECTOR_CFI_H */
