// SPDX-License-Identifier: GPL-2.0
#include "procfs/vdso.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* An ELF file ends with its section headers, or with the last loaded segment. */
static size_t size_of(const char *image)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)(image + ehdr->e_phoff);
	size_t size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset + phdr[i].p_filesz > size)
			size = phdr[i].p_offset + phdr[i].p_filesz;
	return size;
}

int vdso_open(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (!image)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, image, size_of(image)) == (ssize_t)size_of(image))
		return fd;
	close(fd);
	return -EIO;
}
