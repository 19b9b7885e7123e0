// SPDX-License-Identifier: GPL-2.0
#include "elf/build_id.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "elf/validate.h"
#include "base/regular_file.h"

/* Limit of the notes that are read: libelf keeps them all. The build ID is one of the first. */
#define MAX_NOTES_BYTES	(1U << 20)

/*
 * Limit of a debug file whose CRC is computed, at about 1 s a GB. A larger file without a build ID
 * is no real debug file: it is mostly a hole.
 */
#define MAX_CRC_BYTES	(4ULL << 30)

void build_id_to_hex(const uint8_t *bytes, size_t size, char *hex)
{
	*hex = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
}

/*
 * Copies the first build ID of the notes in a chunk of the file. Returns true if there is one, also
 * if it is over BUILD_ID_MAX_BYTES and was not copied.
 */
static bool find_in_chunk(Elf *elf, uint64_t offset, uint64_t bytes, uint64_t align,
			  char hex[BUILD_ID_HEX_SIZE])
{
	Elf_Data *data = elf_getdata_rawchunk(elf, offset, bytes,
					      align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	size_t at = 0, name, id;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &id))) {
		const uint8_t *buf = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (note.n_descsz <= BUILD_ID_MAX_BYTES)
			build_id_to_hex(buf + id, note.n_descsz, hex);
		return true;
	}
	return false;
}

/* Returns how many of the wanted bytes may still be read, and subtracts them from *left. */
static uint64_t take_bytes(uint64_t *left, uint64_t wanted)
{
	uint64_t taken = wanted < *left ? wanted : *left;

	*left -= taken;
	return taken;
}

/*
 * Searches as libdwfl does. Sections come first: the program headers of a debug file may give the
 * offsets of the notes in the stripped file. Without sections the program headers are used.
 */
static void find_build_id(Elf *elf, char hex[BUILD_ID_HEX_SIZE])
{
	uint64_t left = MAX_NOTES_BYTES;
	Elf_Scn *scn = NULL;
	bool found = false;
	size_t nr = 0;
	GElf_Shdr sh;
	GElf_Phdr ph;

	while (!found && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			found = find_in_chunk(elf, sh.sh_offset, take_bytes(&left, sh.sh_size),
					      sh.sh_addralign, hex);
	if (elf_nextscn(elf, NULL) || elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr && !found; i++)
		if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_NOTE)
			found = find_in_chunk(elf, ph.p_offset, take_bytes(&left, ph.p_filesz),
					      ph.p_align, hex);
}

int build_id_read(int fd, char hex[BUILD_ID_HEX_SIZE])
{
	int err = elf_validate_file(fd);
	Elf *elf;

	*hex = '\0';
	if (err)
		return err;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOEXEC;
	find_build_id(elf, hex);
	elf_end(elf);
	return 0;
}

static bool has_crc(int fd, uint32_t want)
{
	uint8_t chunk[65536];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t n;

	if (fstat(fd, &st) || (uint64_t)st.st_size > MAX_CRC_BYTES)
		return false;
	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		crc = crc32(crc, chunk, n);
		at += n;
	}
	return !n && crc == want;
}

/*
 * Is this the wanted debug file? The build ID decides if it is known. A CRC needs a read of the
 * whole file, which may have some GB.
 */
static bool belongs(int fd, const struct build_id_wanted *w)
{
	char hex[BUILD_ID_HEX_SIZE];

	if (build_id_read(fd, hex))
		return false;
	return *w->build_id ? !strcmp(hex, w->build_id) : has_crc(fd, w->crc);
}

/* A build_id_try_fn. The owner of the profiled file chooses the path: hence regular_open(). */
static int try_path(void *ctx, const char *path)
{
	int fd = regular_open(path);

	if (fd >= 0 && belongs(fd, ctx))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

static int try_build_id(const char *dir, const struct build_id_wanted *w, build_id_try_fn fn,
			void *ctx)
{
	char path[PATH_MAX];

	if (strlen(w->build_id) <= 2)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir,
		     w->build_id, w->build_id + 2) >= PATH_MAX)
		return -ENOENT;
	return fn(ctx, path);
}

static int try_link(const char *dir, const struct build_id_wanted *w, build_id_try_fn fn, void *ctx)
{
	const struct { const char *a, *b, *c; } folders[] = {
		{ w->folder, "", "" }, { w->folder, "/.debug", "" }, { dir, "/", w->folder },
	};
	int ret = -ENOENT;
	char path[PATH_MAX];

	for (int i = 0; i < 3 && ret < 0; i++)
		if (snprintf(path, sizeof(path), "%s%s%s/%s", folders[i].a, folders[i].b,
			     folders[i].c, w->link) < PATH_MAX)
			ret = fn(ctx, path);
	return ret;
}

int build_id_try_debug(const char *dir, const struct build_id_wanted *w, build_id_try_fn fn,
		       void *ctx)
{
	int ret = try_build_id(dir, w, fn, ctx);

	if (ret >= 0 || !w->link || !w->folder || strchr(w->link, '/'))
		return ret < 0 ? -ENOENT : ret;
	ret = try_link(dir, w, fn, ctx);
	return ret < 0 ? -ENOENT : ret;
}

int build_id_open_debug(const char *dir, const struct build_id_wanted *w)
{
	return build_id_try_debug(dir, w, try_path, (void *)w);
}

char *build_id_folder_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return NULL;
	return strndup(path, slash == path ? 1 : slash - path);
}

static bool lies_under(const char *path, const char *folder)
{
	char *real = folder ? realpath(folder, NULL) : NULL;
	size_t len = real ? strlen(real) : 0;
	bool is_inside = real && !strncmp(path, real, len) && (path[len] == '/' || len == 1);

	free(real);
	return is_inside;
}

/* Returns the link as an absolute path without symbolic links; the caller frees it. Or NULL. */
static char *alt_path(const struct build_id_wanted *w)
{
	char path[PATH_MAX];

	if (*w->link == '/')
		return realpath(w->link, NULL);
	if (!w->folder ||
	    snprintf(path, sizeof(path), "%s/%s", w->folder, w->link) >= PATH_MAX)
		return NULL;
	return realpath(path, NULL);
}

int build_id_open_alt(const char *dir, const struct build_id_wanted *w)
{
	int fd = try_build_id(dir, w, try_path, (void *)w);
	char *path;

	if (fd >= 0 || !w->link || !*w->build_id)
		return fd;
	path = alt_path(w);
	if (path && (lies_under(path, dir) || lies_under(path, w->folder)))
		fd = try_path((void *)w, path);
	free(path);
	return fd;
}
