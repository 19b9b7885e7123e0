/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of a libc whose FDE is missing or says too little: where a program, a thread or a fiber
 * starts, and where a signal handler returns to. musl has no FDEs on Alpine. The code is known by
 * its bytes. The folder of each CPU has its libc_code.c.
 */
#ifndef COLLECTOR_ARCH_LIBC_CODE_H
#define COLLECTOR_ARCH_LIBC_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pprof_table.h"

/* A piece of such code: bytes start to end - 1 have the rule. */
struct libc_code {
	size_t start;
	size_t end;
	struct pprof_rule rule;
};

/*
 * Is this the first instruction of musl's dynamic linker, or of a program that is linked with musl?
 * code has nr bytes.
 * Context: any thread.
 */
bool arch_is_musl_entry(const uint8_t *code, size_t nr);

/*
 * Is this function of nr bytes glibc's __start_context? The first function of a fiber that
 * makecontext() made returns to its first byte, so the byte before it is looked up. Its FDE has the
 * rules of a function that was called. Reads the code only if nr is right.
 * Context: any thread.
 */
bool arch_is_context_start(const uint8_t *code, size_t nr);

/*
 * Looks for the first piece without an FDE in the nr bytes at code. is_musl: the code is of musl,
 * or of a program that contains musl.
 * Returns: true, with *found set, if there is one.
 * Context: any thread.
 */
bool arch_libc_code_find(const uint8_t *code, size_t nr, bool is_musl, struct libc_code *found);

#endif /* COLLECTOR_ARCH_LIBC_CODE_H */
