/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds a variable of threads in an ELF file, and how its address is computed: see "ELF Handling
 * For Thread-Local Storage" by Drepper. The content of the file is not trusted.
 */
#ifndef COLLECTOR_TLS_SYMBOL_H
#define COLLECTOR_TLS_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

enum tls_access {
	TLS_ACCESS_NONE,	/* the file does not define it, or its address is not known */
	/* The file is a program: the linker has fixed the offset from the thread pointer. */
	TLS_ACCESS_PROGRAM,
	/* The file is a library. The dynamic linker fills in two words at slot. */
	TLS_ACCESS_OFFSET,	/* first word: the offset from the thread pointer */
	TLS_ACCESS_MODULE,	/* the module, and the offset in its block */
	TLS_ACCESS_DESCRIPTOR,	/* a function, and its argument */
};

struct tls_symbol {
	enum tls_access access;
	int64_t offset;		/* PROGRAM: from the thread pointer; else in the module's block */
	uint64_t slot;		/* address, as the file numbers them */
	uint64_t second;	/* MODULE: the second word */
	/* The first segment with code. Its address minus its offset is needed to find slot. */
	uint64_t code_offset;	/* in the file */
	uint64_t code_address;	/* as the file numbers them */
};

/*
 * Looks for the defined variable `name` in .dynsym of an open file, which stays open. A program
 * without .dynsym has it in .symtab.
 * Returns: 0 and *s; or -ENOEXEC for a file that is no ELF file of this CPU, or is damaged.
 */
int tls_symbol_read(int fd, const char *name, struct tls_symbol *s);

/*
 * Does an open file, which stays open, define the constant `name` of 4 bytes with this value? It is
 * looked for where tls_symbol_read() looks. A file that cannot be read does not.
 */
bool tls_symbol_has_version(int fd, const char *name, uint32_t value);

#endif /* COLLECTOR_TLS_SYMBOL_H */
