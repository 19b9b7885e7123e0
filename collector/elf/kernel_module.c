// SPDX-License-Identifier: GPL-2.0
#include "elf/kernel_module.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "elf/validate.h"

/* The last bytes of a signed module. */
static const char signature_end[] = "~Module signature appended~\n";

/*
 * Reads the kernel release from .modinfo, which has strings KEY=VALUE. A NUL ends each string. In a
 * damaged file the last NUL may be missing.
 */
static void read_modinfo(const char *text, size_t size, struct kernel_module *m)
{
	static const char key[] = "vermagic=";
	const size_t key_len = sizeof(key) - 1;
	size_t len;

	for (; size; text += len, size -= len) {
		len = strnlen(text, size - 1) + 1;
		if (len <= key_len || memcmp(text, key, key_len))
			continue;
		text += key_len;
		len -= key_len;
		for (size_t i = 0; i < len && i < sizeof(m->release) - 1 && text[i] != ' '; i++)
			m->release[i] = text[i];
		return;
	}
}

static int find_modinfo(Elf *elf, struct kernel_module *m)
{
	size_t names;
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, &names))
		return -ENOEXEC;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (!name || strcmp(name, ".modinfo"))
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return -ENOEXEC;
		read_modinfo(data->d_buf, data->d_size, m);
		return 0;
	}
	return -ENOEXEC;
}

/* Does the file end with the mark of a signature? See scripts/sign-file.c of the kernel. */
static bool ends_signed(int fd)
{
	char end[sizeof(signature_end) - 1];
	off_t size = lseek(fd, 0, SEEK_END);

	return size > (off_t)sizeof(end) &&
	       pread(fd, end, sizeof(end), size - sizeof(end)) == sizeof(end) &&
	       !memcmp(end, signature_end, sizeof(end));
}

static int read_opened(int fd, struct kernel_module *m)
{
	Elf *elf;
	int err;

	if (elf_validate_file(fd))
		return -ENOEXEC;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = elf ? find_modinfo(elf, m) : -ENOEXEC;
	elf_end(elf);
	if (!err)
		m->is_signed = ends_signed(fd);
	return err;
}

int kernel_module_read(const char *path, struct kernel_module *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), err;

	*m = (struct kernel_module){ 0 };
	if (fd < 0)
		return -errno;
	err = read_opened(fd, m);
	close(fd);
	return err;
}
