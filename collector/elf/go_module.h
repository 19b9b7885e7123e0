/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module of a Go program: what Go's linker tells the runtime about the program, in the
 * variable runtime.firstmoduledata (src/runtime/symtab.go of Go). It stays in a program without
 * symbols, since the runtime itself needs it.
 */
#ifndef COLLECTOR_GO_MODULE_H
#define COLLECTOR_GO_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

/* Layouts of the tables, by the Go that made them. */
enum go_version {
	GO_VERSION_1_18,	/* 1.18 and 1.19 */
	GO_VERSION_1_20,	/* 1.20 and later */
};

/* All memory belongs to the ELF file. */
struct go_module {
	enum go_version version;
	const uint8_t *pclntab;		/* section .gopclntab: the table of functions and lines */
	size_t pclntab_bytes;
	const uint8_t *funcdata;	/* go:func.*, with inline trees */
	size_t funcdata_bytes;		/* up to the end of its segment; 0 if it was not found */
	uint64_t text;			/* the address from which functions count */
};

/*
 * Finds the module of a file. elf must be backed by memory or a mapping, since its raw image is
 * read.
 * Returns: false if the file is no Go program or library for x86-64, is of a Go before 1.18, or is
 * damaged.
 */
bool go_module_find(struct Elf *elf, struct go_module *m);

#endif /* COLLECTOR_GO_MODULE_H */
