// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the tracepoints, of those given, that have a probe, placed by any part of the kernel.
 * No file of the kernel shows that, so it reads the kernel's memory in /proc/kcore.
 *
 *	hooked SYMBOLS TRACEPOINT...
 *
 * SYMBOLS is a file with the lines of /proc/kallsyms for these tracepoints.
 */
#include <elf.h>
#include <stdint.h>
#include <unistd.h>

#include "device.h"

#define MAX_TRACEPOINTS	16
#define KEY_OFFSET	8	/* of key in struct tracepoint; it begins with a count */

static void find_addresses(const char *file, char **tracepoints, int nr, uint64_t *addresses)
{
	static const char prefix[] = "__tracepoint_";
	const size_t len = sizeof(prefix) - 1;
	FILE *symbols = fopen(file, "r");
	unsigned long address;
	char name[512];

	if (!symbols)
		give_up(file);
	while (fscanf(symbols, "%lx %*c %511s%*[^\n]", &address, name) == 2)
		for (int i = 0; i < nr && !strncmp(name, prefix, len); i++)
			if (!strcmp(name + len, tracepoints[i]))
				addresses[i] = address;
	fclose(symbols);
}

static uint64_t offset_of(int core, uint64_t address)
{
	Elf64_Ehdr header;
	Elf64_Phdr part;

	if (pread(core, &header, sizeof(header), 0) != sizeof(header))
		give_up("/proc/kcore");
	for (int i = 0; i < header.e_phnum; i++) {
		if (pread(core, &part, sizeof(part), header.e_phoff + i * sizeof(part)) !=
		    sizeof(part))
			break;
		if (part.p_type == PT_LOAD && address - part.p_vaddr < part.p_filesz)
			return address - part.p_vaddr + part.p_offset;
	}
	give_up("a part of /proc/kcore");
}

int main(int argc, char **argv)
{
	int core = open("/proc/kcore", O_RDONLY), nr;
	uint64_t addresses[MAX_TRACEPOINTS] = { 0 };

	if (core < 0 || argc < 2 || argc - 2 > MAX_TRACEPOINTS)
		give_up("/proc/kcore");
	find_addresses(argv[1], argv + 2, argc - 2, addresses);
	for (int i = 2; i < argc; i++) {
		if (!addresses[i - 2])
			give_up(argv[i]);
		if (pread(core, &nr, sizeof(nr), offset_of(core, addresses[i - 2] + KEY_OFFSET)) !=
		    sizeof(nr))
			give_up(argv[i]);
		if (nr)
			puts(argv[i]);
	}
	return 0;
}
