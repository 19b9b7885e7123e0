// SPDX-License-Identifier: GPL-2.0
#include "elf/kernel_notes.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The notes of a kernel have some 500 bytes, and those of a module 60. */
#define MAX_BYTES	16384

/* Sizes in notes are rounded up to this. */
#define ALIGNMENT	4

static size_t align(uint32_t size)
{
	return ((size_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void kernel_notes_find(const void *notes, size_t bytes, char hex[BUILD_ID_HEX_SIZE])
{
	const uint8_t *at = notes, *end = at + bytes, *id;
	Elf64_Nhdr note;

	*hex = '\0';
	while ((size_t)(end - at) >= sizeof(note)) {
		memcpy(&note, at, sizeof(note));
		at += sizeof(note);
		if (align(note.n_namesz) + align(note.n_descsz) > (size_t)(end - at))
			return;
		id = at + align(note.n_namesz);
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(at, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz <= BUILD_ID_MAX_BYTES) {
			build_id_to_hex(id, note.n_descsz, hex);
			return;
		}
		at = id + align(note.n_descsz);
	}
}

/* Files of sysfs give all their bytes to one read. */
void kernel_notes_build_id(const char *module, char hex[BUILD_ID_HEX_SIZE])
{
	char path[PATH_MAX] = "/sys/kernel/notes";
	uint8_t notes[MAX_BYTES];
	ssize_t nr;
	int fd;

	*hex = '\0';
	if (module)
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	nr = read(fd, notes, sizeof(notes));
	close(fd);
	if (nr > 0)
		kernel_notes_find(notes, nr, hex);
}
