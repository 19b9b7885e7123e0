// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the collector's symbolizer finds in an ELF file, for tests/names/compare.
 *
 *	lookup FILE <ADDRESSES
 *
 * Reads an address of the file in each line, in hex. Prints a line for each frame, innermost
 * first: the address, the linker name, the readable name, the file and the line, divided by
 * tabs. An address without a name gets no line.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/elf_symbolizer.h"

#define MAX_FRAMES	128

static void die(const char *what, const char *path)
{
	fprintf(stderr, "lookup: %s: %s\n", path, what);
	exit(1);
}

static uint64_t offset_of(Elf *elf, uint64_t addr)
{
	GElf_Phdr ph;
	size_t nr = 0;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_LOAD &&
		    addr - ph.p_vaddr < ph.p_filesz)
			return addr - ph.p_vaddr + ph.p_offset;
	return UINT64_MAX;
}

static void print_frames(struct elf_symbolizer *s, Elf *elf, uint64_t addr)
{
	struct frame l[MAX_FRAMES];
	int nr = elf_symbolizer_lookup(s, offset_of(elf, addr), l, MAX_FRAMES);

	for (int i = 0; i < nr; i++)
		printf("%" PRIx64 "\t%s\t%s\t%s\t%u\n", addr, l[i].system_name, l[i].name,
		       l[i].file ? l[i].file : "", l[i].line);
}

int main(int argc, char **argv)
{
	const char *path = argc == 2 ? argv[1] : "";
	struct elf_symbolizer *s;
	uint64_t addr;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	s = elf ? elf_symbolizer_open(dup(fd), path) : NULL;
	if (!s)
		die("is no ELF file", path);
	while (scanf("%" SCNx64, &addr) == 1)
		print_frames(s, elf, addr);
	if (elf_symbolizer_fault(s)->cause)
		fprintf(stderr, "lookup: %s: the debug info was not used\n", path);
	elf_symbolizer_free(s);
	elf_end(elf);
	close(fd);
	return 0;
}
