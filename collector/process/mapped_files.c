// SPDX-License-Identifier: GPL-2.0
#include "process/mapped_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "procfs/live_thread.h"
#include "procfs/mapped_file.h"
#include "symbol/perf_map.h"
#include "base/string_table.h"
#include "symbol/symbolizer.h"
#include "procfs/vdso.h"

enum kind {
	MAPPED,
	MEMORY,			/* which has a path all the same */
	PERFMAP,		/* its names are those of memory */
	COMPAT_VDSO,		/* of 32-bit processes: another one than ours, and no file */
};

struct file {
	const char *path;
	struct symbolizer *sym;
	struct perf_map *perfmap;	/* while its names are asked for */
	uint32_t inherited;	/* perf map of what this one does not name; a lower number */
	enum kind kind;
	uint32_t first;		/* who holds what is below: see mapped_files_first() */
	int fd;			/* negative: not to be had, or the names' by now */
};

struct mapped_files {
	struct strtab *keys;	/* a file's number is its key's */
	struct file *table;
	size_t nr;
	size_t capacity;
	size_t key_bytes;
	struct strtab *names;	/* that perf maps had: those are freed */
	size_t name_bytes;
	struct strtab *inodes;
	uint32_t *holders;	/* files, by the number of their inode */
	size_t holders_room;
	int max_fd;
	uint64_t nr_unopened;
};

/* Of one that we have open: so no other file has the number. */
struct inode {
	uint64_t dev;
	uint64_t ino;
};

/* A line of a perf map may be all of it. */
#define MAX_NAME_BYTES		16384

/* Of perf maps that inherit from each other: all of them are read for an address. */
#define MAX_GENERATIONS		8

/* For what else is read: maps of processes, debug files, files' names. */
#define SPARE_DESCRIPTORS	64

/* Descriptors have the lowest free numbers. */
static int find_max_fd(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur > INT_MAX)
		return INT_MAX;
	if (limit.rlim_cur < 2 * SPARE_DESCRIPTORS)
		return limit.rlim_cur / 2;
	return limit.rlim_cur - SPARE_DESCRIPTORS;
}

struct mapped_files *mapped_files_new(void)
{
	struct mapped_files *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->keys = strtab_new();
	f->capacity = 64;
	f->table = calloc(f->capacity, sizeof(*f->table));
	f->names = strtab_new();
	f->inodes = strtab_new();
	f->max_fd = find_max_fd();
	if (!f->keys || !f->table || !f->names || !f->inodes) {
		mapped_files_free(f);
		return NULL;
	}
	f->table[MAPPED_FILES_NONE] = (struct file){ .path = "//anon", .fd = -1 };
	f->nr = 1;
	return f;
}

void mapped_files_free(struct mapped_files *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++) {
		symbolizer_free(f->table[i].sym);
		perf_map_free(f->table[i].perfmap);
		if (f->table[i].fd >= 0)
			close(f->table[i].fd);
	}
	free(f->table);
	free(f->holders);
	strtab_free(f->inodes);
	strtab_free(f->names);
	strtab_free(f->keys);
	free(f);
}

/*
 * map_files is the mapped file itself, even when deleted, or whatever was mapped there
 * since; it takes CAP_CHECKPOINT_RESTORE. By path, it is sought in the process's root or,
 * once that is gone, in ours.
 */
static int open_mapped(const struct mapped_files_key *key, const struct mapped_files_mapping *m)
{
	const struct mapped_inode inode = { key->dev_major, key->dev_minor, key->ino };
	pid_t task = live_thread(m->pid);
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%lx-%lx", task, (long)m->start,
		 (long)m->end);
	fd = mapped_open(path, &inode);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root%s", task, key->path);
	fd = mapped_open(path, &inode);
	return fd >= 0 ? fd : mapped_open(key->path, &inode);
}

static int grow(struct mapped_files *f)
{
	size_t capacity = 2 * f->capacity;
	struct file *table;

	if (f->nr < f->capacity)
		return 0;
	table = reallocarray(f->table, capacity, sizeof(*table));
	if (!table)
		return -1;
	f->table = table;
	f->capacity = capacity;
	return 0;
}

/* -ENOSPC: it is a new one, and there is no room for it. */
static int64_t intern_within(struct strtab *t, size_t *bytes, const char *text, size_t len)
{
	int64_t index = strtab_find(t, text, len);

	if (index >= 0)
		return index;
	if (*bytes + len > MAPPED_FILES_MAX_NAME_BYTES)
		return -ENOSPC;
	*bytes += len;
	return strtab_intern(t, text, len);
}

/* The key opens with numbers of a fixed width, so that the path is its end. */
static int64_t intern_key(struct mapped_files *f, const struct mapped_files_key *key,
			  enum kind kind)
{
	char text[PATH_MAX + 64];
	int len = snprintf(text, sizeof(text), "%d:%08x:%08x:%016lx:%s", kind,
			   key->dev_major, key->dev_minor, (unsigned long)key->ino, key->path);
	int64_t index;

	len = strnlen(text, len);
	index = f->nr < MAPPED_FILES_MAX ? intern_within(f->keys, &f->key_bytes, text, len) :
				    strtab_find(f->keys, text, len);
	f->nr_unopened += index == -ENOSPC || index == -ENOENT;
	return index;
}

#define KEY_NUMBERS_LEN	(1 + 1 + 8 + 1 + 8 + 1 + 16 + 1)

/* NULL if the file is known, or there is no room: *id is MAPPED_FILES_NONE then. */
static struct file *add(struct mapped_files *f, const struct mapped_files_key *key, enum kind kind,
			uint32_t *id)
{
	int64_t index = grow(f) ? -ENOMEM : intern_key(f, key, kind);
	struct file *file;

	*id = index < 0 ? MAPPED_FILES_NONE : index;
	if (*id < f->nr)
		return NULL;
	file = &f->table[f->nr++];
	*file = (struct file){ .path = strtab_at(f->keys, index) + KEY_NUMBERS_LEN,
			       .kind = kind, .first = *id, .fd = -1 };
	return file;
}

static bool is_held(const struct file *file)
{
	return file->fd >= 0 || file->sym;
}

/*
 * Whoever renames a file in a loop, and maps it each time, must not use up our
 * descriptors. What the kernel tells of a mapped file's inode is not enough:
 * subvolumes of btrfs have the same numbers. Without memory it is one of its own.
 */
static void hold(struct mapped_files *f, struct file *file, int fd, const struct stat *st)
{
	const struct inode inode = { st->st_dev, st->st_ino };
	uint32_t *holders = array_grow(f->holders, &f->holders_room, strtab_nr(f->inodes) + 1,
				       sizeof(*holders));
	int64_t index = -ENOMEM;
	size_t nr = strtab_nr(f->inodes);

	file->fd = fd;
	if (holders) {
		f->holders = holders;
		index = strtab_intern(f->inodes, (const char *)&inode, sizeof(inode));
	}
	if (index < 0)
		return;
	if ((size_t)index == nr || !is_held(&f->table[holders[index]])) {
		holders[index] = file->first;
		return;
	}
	file->first = holders[index];
	file->fd = -1;
	close(fd);
}

/* fd may be a negative errno. */
static void keep(struct mapped_files *f, struct file *file, int fd)
{
	struct stat st;

	if (fd >= 0 && fd < f->max_fd && !fstat(fd, &st)) {
		hold(f, file, fd, &st);
		return;
	}
	f->nr_unopened++;
	if (fd >= 0)
		close(fd);
}

/* Runtimes make code there, too: .NET maps it twice, to write it and to execute it. */
static bool may_be_memory(const char *path)
{
	return !strncmp(path, "/memfd:", 7) || !strcmp(path, "/anon_hugepage");
}

/* A library may have been loaded from there. */
static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

static void open_first(struct mapped_files *f, struct file *file,
		       const struct mapped_files_key *key,
		       const struct mapped_files_mapping *mapping)
{
	int fd = open_mapped(key, mapping);

	if (!may_be_memory(file->path) || is_elf(fd)) {
		keep(f, file, fd);
		return;
	}
	file->kind = MEMORY;
	if (fd >= 0)
		close(fd);
}

/* Code of 32 bits has no other addresses. */
static enum kind kind_of(const struct mapped_files_key *key,
			 const struct mapped_files_mapping *mapping)
{
	return strcmp(key->path, "[vdso]") || mapping->end > 1ULL << 32 ? MAPPED : COMPAT_VDSO;
}

uint32_t mapped_files_intern(struct mapped_files *f, const struct mapped_files_key *key,
			     const struct mapped_files_mapping *mapping)
{
	struct file *file;
	uint32_t id;

	if (!key->path || !key->path[0])
		return MAPPED_FILES_NONE;
	file = add(f, key, kind_of(key, mapping), &id);
	if (!file)
		return id;
	if (file->path[0] == '/' && key->ino)
		open_first(f, file, key, mapping);
	else if (file->kind == MAPPED && !strcmp(file->path, "[vdso]"))
		file->fd = vdso_open();
	return id;
}

static uint32_t bequeath(const struct mapped_files *f, uint32_t inherited)
{
	uint32_t file = inherited;

	for (int i = 1; i < MAX_GENERATIONS && file != MAPPED_FILES_NONE; i++)
		file = f->table[file].inherited;
	return file == MAPPED_FILES_NONE ? inherited : MAPPED_FILES_NONE;
}

uint32_t mapped_files_intern_perfmap(struct mapped_files *f, pid_t pid, uint32_t inherited)
{
	char path[PERF_MAP_PATH_MAX];
	int fd = perf_map_open(pid, path);
	struct mapped_files_key key = { .path = path };
	uint32_t id = MAPPED_FILES_NONE;
	struct file *file = NULL;
	struct stat st;

	if (fd < 0)
		return MAPPED_FILES_NONE;
	if (!fstat(fd, &st)) {
		key.dev_major = major(st.st_dev);
		key.dev_minor = minor(st.st_dev);
		key.ino = st.st_ino;
		file = add(f, &key, PERFMAP, &id);
	}
	if (file)
		file->inherited = bequeath(f, inherited);
	if (file && fd < f->max_fd) {
		file->fd = fd;
		return id;
	}
	f->nr_unopened += !!file;
	close(fd);
	return id;
}

uint32_t mapped_files_first(const struct mapped_files *f, uint32_t file)
{
	return f->table[file].first;
}

uint64_t mapped_files_nr_unopened(const struct mapped_files *f)
{
	return f->nr_unopened;
}

bool mapped_files_is_memory(const struct mapped_files *f, uint32_t file)
{
	return file == MAPPED_FILES_NONE || f->table[file].kind == MEMORY ||
	       f->table[file].kind == PERFMAP;
}

const char *mapped_files_path(const struct mapped_files *f, uint32_t file)
{
	return f->table[file].path;
}

int mapped_files_open(const struct mapped_files *f, uint32_t file)
{
	int fd = f->table[mapped_files_first(f, file)].fd;

	if (fd < 0 || f->table[file].kind == PERFMAP)
		return -ENOENT;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* Its descriptor stays for the next time, unless there is none. */
static void open_perfmap(struct file *file)
{
	int fd;

	if (file->perfmap)
		return;
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	file->perfmap = fd < 0 ? NULL : perf_map_read(fd);
	if (file->perfmap)
		return;
	close(file->fd);
	file->fd = -1;
}

static struct file *open_names(struct mapped_files *f, uint32_t id)
{
	struct file *file = &f->table[mapped_files_first(f, id)];

	if (file->fd < 0)
		return file;
	if (file->kind == PERFMAP) {
		open_perfmap(file);
		return file;
	}
	file->sym = symbolizer_open(file->fd, file->path);
	file->fd = -1;
	return file;
}

static const char *keep_name(struct mapped_files *f, const char *name)
{
	size_t len = strnlen(name, MAX_NAME_BYTES);
	int64_t index = intern_within(f->names, &f->name_bytes, name, len);

	return index < 0 ? NULL : strtab_at(f->names, index);
}

/* NULL, too, if there is no room for it. */
static const char *find_in_perfmap(struct mapped_files *f, const struct file *file,
				   uint64_t address)
{
	const char *name = file->perfmap ? perf_map_find(file->perfmap, address) : NULL;

	return name ? keep_name(f, name) : NULL;
}

int mapped_files_lookup(struct mapped_files *f, uint32_t id, uint64_t offset, struct frame *lines,
			int max)
{
	const struct file *file = open_names(f, id);
	const char *name;

	if (file->sym)
		return symbolizer_lookup(file->sym, offset, lines, max);
	name = find_in_perfmap(f, file, offset);
	if (!name && file->inherited != MAPPED_FILES_NONE)
		return mapped_files_lookup(f, file->inherited, offset, lines, max);
	if (!name || max < 1)
		return 0;
	lines[0] = (struct frame){ .name = name, .system_name = name,
				      .offset = FRAME_NO_OFFSET };
	return 1;
}

void mapped_files_release_names(struct mapped_files *f, uint32_t file)
{
	struct symbolizer *sym = f->table[mapped_files_first(f, file)].sym;

	if (sym)
		symbolizer_release(sym);
	for (; file != MAPPED_FILES_NONE; file = f->table[file].inherited) {
		perf_map_free(f->table[file].perfmap);
		f->table[file].perfmap = NULL;
	}
}

const char *mapped_files_build_id(struct mapped_files *f, uint32_t file)
{
	const struct symbolizer *sym;

	if (mapped_files_is_memory(f, file))
		return "";
	sym = open_names(f, file)->sym;
	return sym ? symbolizer_build_id(sym) : "";
}
