// SPDX-License-Identifier: GPL-2.0
/*
 * The dynamic linker keeps a list of struct link_map for debuggers: see <link.h>. The way to it:
 * AT_PHDR of the auxiliary vector gives the program headers in the memory of the process.
 * PT_DYNAMIC gives the dynamic section, its DT_DEBUG gives struct r_debug, and r_map in there is
 * the first entry.
 *
 * The process may change its memory during all of this. So each number that is read may be
 * wrong: each loop has a limit, and memory is read with pread() only.
 */
#include "procfs/link_map.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_PHDRS	64
#define MAX_DYNS	256

/* Returns false if the bytes at address are not all mapped. */
static bool read_memory(int mem, uint64_t address, void *to, size_t bytes)
{
	return pread(mem, to, bytes, address) == (ssize_t)bytes;
}

static int open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns the address of the program headers, or 0 if it is not known. *nr is their number. */
static uint64_t find_phdrs(pid_t pid, uint64_t *nr)
{
	int fd = open_file(pid, "auxv");
	uint64_t phdrs = 0;
	Elf64_auxv_t aux;

	*nr = 0;
	while (fd >= 0 && read(fd, &aux, sizeof(aux)) == sizeof(aux)) {
		if (aux.a_type == AT_PHDR)
			phdrs = aux.a_un.a_val;
		else if (aux.a_type == AT_PHNUM)
			*nr = aux.a_un.a_val;
	}
	if (fd >= 0)
		close(fd);
	return phdrs;
}

/* Returns the address of the dynamic section, or 0 if the program has none. */
static uint64_t find_dynamic(int mem, uint64_t phdrs, uint64_t nr)
{
	uint64_t bias = 0, dynamic = 0;
	Elf64_Phdr phdr;

	for (uint64_t i = 0; i < nr && i < MAX_PHDRS; i++) {
		if (!read_memory(mem, phdrs + i * sizeof(phdr), &phdr, sizeof(phdr)))
			return 0;
		if (phdr.p_type == PT_PHDR)
			bias = phdrs - phdr.p_vaddr;
		else if (phdr.p_type == PT_DYNAMIC)
			dynamic = phdr.p_vaddr;
	}
	return dynamic ? dynamic + bias : 0;
}

/* Returns the address of the first entry of the list, or 0 if the list does not exist yet. */
static uint64_t find_first(int mem, uint64_t dynamic)
{
	struct r_debug debug;
	Elf64_Dyn dyn;

	for (int i = 0; i < MAX_DYNS; i++) {
		if (!read_memory(mem, dynamic + i * sizeof(dyn), &dyn, sizeof(dyn)) ||
		    dyn.d_tag == DT_NULL)
			return 0;
		if (dyn.d_tag == DT_DEBUG)
			break;
	}
	if (dyn.d_tag != DT_DEBUG || !dyn.d_un.d_ptr ||
	    !read_memory(mem, dyn.d_un.d_ptr, &debug, sizeof(debug)))
		return 0;
	return (uintptr_t)debug.r_map;
}

/* A list whose entries form a ring ends at the first repeated address. */
static bool contains(const uint64_t *addresses, size_t nr, uint64_t address)
{
	while (nr--)
		if (addresses[nr] == address)
			return true;
	return false;
}

size_t link_map_read(pid_t pid, uint64_t addresses[LINK_MAP_MAX])
{
	int mem = open_file(pid, "mem");
	uint64_t nr_phdrs, at, dynamic;
	struct link_map map;
	size_t nr = 0;

	if (mem < 0)
		return 0;
	at = find_phdrs(pid, &nr_phdrs);
	dynamic = find_dynamic(mem, at, nr_phdrs);
	at = dynamic ? find_first(mem, dynamic) : 0;
	while (at && nr < LINK_MAP_MAX && read_memory(mem, at, &map, sizeof(map)) &&
	       !contains(addresses, nr, (uintptr_t)map.l_ld)) {
		addresses[nr++] = (uintptr_t)map.l_ld;
		at = (uintptr_t)map.l_next;
	}
	close(mem);
	return nr;
}
