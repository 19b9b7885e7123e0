// SPDX-License-Identifier: GPL-2.0
#include "elf/features.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "elf/build_id.h"
#include "elf/debug_sections.h"

/*
 * A debug file has headers of all sections, but those which only the stripped file contains are
 * SHT_NOBITS.
 */
static void add_section(const GElf_Shdr *shdr, const char *name, struct elf_features *p)
{
	if (shdr->sh_type == SHT_NOBITS)
		return;
	if (shdr->sh_type == SHT_SYMTAB || !strcmp(name, ".gnu_debugdata"))
		p->has_symbols = true;
	else if (shdr->sh_type == SHT_DYNSYM)
		p->has_exports = true;
	else if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
		p->has_debug_info = true;
	else if (!strcmp(name, ".eh_frame") || !strcmp(name, ".debug_frame"))
		p->has_frames = true;
}

static int add_sections(Elf *elf, struct elf_features *p)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return -ENOEXEC;
	while ((scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		if (name)
			add_section(&shdr, name, p);
	}
	return 0;
}

/* Adds the parts of the debug file to those of the first file. Closes fd. */
static void add_debug_file(int fd, struct elf_features *p)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

	if (elf)
		add_sections(elf, p);
	elf_end(elf);
	p->is_unread |= debug_sections_are_unread(fd);
	close(fd);
}

static int open_debug(Elf *elf, const char *id, const char *path, const char *dir)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct build_id_wanted w = { .build_id = id, .folder = slash ? folder : NULL };
	GElf_Word crc = 0;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	w.link = dwelf_elf_gnu_debuglink(elf, &crc);
	w.crc = crc;
	return build_id_open_debug(dir, &w);
}

/* With ELF_C_READ libelf uses pread(): a file that becomes shorter is an error and no SIGBUS. */
int elf_features_read(int fd, const char *path, const char *dir, struct elf_features *p)
{
	char id[BUILD_ID_HEX_SIZE];
	int err = build_id_read(fd, id), debug_fd;
	Elf *elf;

	*p = (struct elf_features){ 0 };
	if (err)
		return err;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	err = elf ? add_sections(elf, p) : -ENOEXEC;
	p->is_unread = !err && debug_sections_are_unread(fd);
	p->is_32_bits = !err && gelf_getclass(elf) == ELFCLASS32;
	debug_fd = err ? -1 : open_debug(elf, id, path, dir);
	if (debug_fd >= 0)
		add_debug_file(debug_fd, p);
	elf_end(elf);
	return err;
}
