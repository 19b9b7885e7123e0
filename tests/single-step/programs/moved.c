// SPDX-License-Identifier: GPL-2.0
/* Code of the program that is mapped once more, and that mremap() then moves. */
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES	4096UL

static __attribute__((noipa)) int add(int n)
{
	return n + 3;
}

/* It refers to nothing, so it runs anywhere. */
static __attribute__((noipa)) int twice(int (*function)(int), int n)
{
	volatile int once = function(n);

	return function(once);
}

/* Sets *data, the address of twice(), to its offset in the file. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t *address = data;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];
		uintptr_t offset = *address - info->dlpi_addr - ph->p_vaddr;

		if (ph->p_type == PT_LOAD && offset < ph->p_filesz) {
			*address = offset + ph->p_offset;
			return 1;
		}
	}
	return 0;
}

int main(void)
{
	uintptr_t offset = (uintptr_t)twice, in_page;
	int fd = open("/proc/self/exe", O_RDONLY);
	char *code, *moved;

	if (fd < 0 || !dl_iterate_phdr(find_offset, &offset))
		return 1;
	in_page = offset % PAGE_BYTES;
	code = mmap(NULL, 4 * PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
		    offset - in_page);
	moved = mmap(NULL, 4 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED || moved == MAP_FAILED ||
	    mremap(code, 2 * PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, moved) !=
		    moved)
		return 1;
	return ((int (*)(int (*)(int), int))(moved + in_page))(add, 5) != 11;
}
