// SPDX-License-Identifier: GPL-2.0
#include "elfid.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "regular.h"

void elfid_to_hex(const uint8_t *bytes, size_t size, char *hex)
{
	*hex = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
}

int elfid_read(int fd, char hex[ELFID_HEX_SIZE])
{
	const void *bytes;
	ssize_t size;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return -ENOEXEC;
	}
	size = dwelf_elf_gnu_build_id(elf, &bytes);
	if (size < 0 || size > ELFID_MAX_BYTES)
		size = 0;
	elfid_to_hex(bytes, size, hex);
	elf_end(elf);
	return 0;
}

static bool has_crc(int fd, uint32_t want)
{
	uint8_t chunk[65536];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		crc = crc32(crc, chunk, n);
		at += n;
	}
	return !n && crc == want;
}

/* A build ID says it without reading all of a debug file of some GB. */
static bool belongs(int fd, const struct elfid_wanted *w)
{
	char hex[ELFID_HEX_SIZE];

	if (!*w->build_id)
		return has_crc(fd, w->crc);
	return !elfid_read(fd, hex) && !strcmp(hex, w->build_id);
}

/* Its name is chosen by the owner of the profiled file. */
static int try_path(const char *path, const struct elfid_wanted *w)
{
	int fd = regular_open(path);

	if (fd >= 0 && belongs(fd, w))
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}

static int try_build_id(const char *dir, const struct elfid_wanted *w)
{
	char path[PATH_MAX];

	if (strlen(w->build_id) <= 2)
		return -ENOENT;
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir,
		     w->build_id, w->build_id + 2) >= PATH_MAX)
		return -ENOENT;
	return try_path(path, w);
}

static int try_link(const char *a, const char *b, const char *c, const struct elfid_wanted *w)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s%s/%s", a, b, c, w->link) >= PATH_MAX)
		return -ENOENT;
	return try_path(path, w);
}

int elfid_open_debug(const char *dir, const struct elfid_wanted *w)
{
	int fd = try_build_id(dir, w);

	if (fd >= 0 || !w->link || !w->folder || strchr(w->link, '/'))
		return fd;
	fd = try_link(w->folder, "", "", w);
	if (fd < 0)
		fd = try_link(w->folder, "/.debug", "", w);
	if (fd < 0)
		fd = try_link(dir, "/", w->folder, w);
	return fd;
}

static bool lies_under(const char *path, const char *folder)
{
	char *real = folder ? realpath(folder, NULL) : NULL;
	size_t len = real ? strlen(real) : 0;
	bool yes = real && !strncmp(path, real, len) && (path[len] == '/' || len == 1);

	free(real);
	return yes;
}

static char *alt_path(const struct elfid_wanted *w)
{
	char path[PATH_MAX];

	if (*w->link == '/')
		return realpath(w->link, NULL);
	if (!w->folder ||
	    snprintf(path, sizeof(path), "%s/%s", w->folder, w->link) >= PATH_MAX)
		return NULL;
	return realpath(path, NULL);
}

int elfid_open_alt(const char *dir, const struct elfid_wanted *w)
{
	int fd = try_build_id(dir, w);
	char *path;

	if (fd >= 0 || !w->link || !*w->build_id)
		return fd;
	path = alt_path(w);
	if (path && (lies_under(path, dir) || lies_under(path, w->folder)))
		fd = try_path(path, w);
	free(path);
	return fd;
}
