/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the module data of a Go program, which is the variable runtime.firstmoduledata: by it Go's
 * linker passes addresses and tables to the runtime (struct moduledata of src/runtime/symtab.go). A
 * stripped program has it, too, since the runtime itself needs it.
 */
#ifndef COLLECTOR_GO_MODULE_H
#define COLLECTOR_GO_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;

/* The layouts of the tables, named by the first version of Go that writes them. */
enum go_version {
	GO_VERSION_1_18,	/* 1.18 and 1.19 */
	GO_VERSION_1_20,	/* 1.20 and later */
};

/* The pointers are into the image of the ELF file, and valid as long as that is open. */
struct go_module {
	enum go_version version;
	const uint8_t *pclntab;		/* section .gopclntab: the table of functions and lines */
	size_t pclntab_bytes;
	const uint8_t *funcdata;	/* the symbol go:func.*, which has the inline trees */
	size_t funcdata_bytes;		/* to the end of its segment; 0 if it was not found */
	uint64_t text;			/* ELF address: offsets of functions are from here */
	uint64_t first;			/* ELF address of the first function */
};

/*
 * Finds the module data of a file, and sets *m. elf must be backed by memory or a mapping, since
 * its raw image is read. The content is not trusted: all reads are in the image.
 * Returns: false if the file is no Go program or library for x86-64, was built by a Go before 1.18,
 * or is damaged.
 */
bool go_module_find(struct Elf *elf, struct go_module *m);

#endif /* COLLECTOR_GO_MODULE_H */
