// SPDX-License-Identifier: GPL-2.0
/*
 * A table of files. mapped_symbols.c finds their symbols.
 *
 * The key of a file is its kind, device, inode and path. The kernel reports all of these except the
 * kind. A new file is opened at once. A file that is open already under another key shares its
 * descriptor and its symbols (struct file.first). A file whose content has changed gets a new
 * number (change()). All limits are there because a user chooses what is mapped.
 */
#include "process/mapped_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "process/mapped_files_table.h"
#include "procfs/vdso.h"
#include "symbol/perf_map.h"
#include "symbol/symbolizer.h"

/* Limit of perf maps that inherit from each other: a look-up may read all of them. */
#define MAX_GENERATIONS		8

/* Descriptors that stay free for other files: maps of processes, debug files, symbolizers. */
#define SPARE_DESCRIPTORS	64

/*
 * Returns the limit of descriptors for mapped files: their numbers are below it. open() returns the
 * lowest free number, so this also limits how many files are open.
 */
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
	int err;

	if (!f)
		return NULL;
	err = file_numbers_init(&f->numbers) | open_inodes_init(&f->inodes) |
	      kept_names_init(&f->names);
	f->capacity = 64;
	f->table = calloc(f->capacity, sizeof(*f->table));
	f->max_fd = find_max_fd();
	f->kernel = KERNEL_IMAGE_NONE;
	if (f->table)
		f->table[MAPPED_FILES_NONE] = (struct file){ .path = "//anon", .fd = -1 };
	if (!err && f->table)
		return f;
	mapped_files_free(f);
	return NULL;
}

/* Returns the file without what it had. Its path is that of a file that is gone. */
static struct file *clear(struct file *file)
{
	symbolizer_free(file->sym);
	perf_map_free(file->perfmap);
	if (file->fd >= 0)
		close(file->fd);
	free(file->build_id);
	*file = (struct file){ .path = "", .fd = -1 };
	return file;
}

void mapped_files_free(struct mapped_files *f)
{
	if (!f)
		return;
	for (size_t i = 0; f->table && i < f->numbers.nr; i++)
		clear(&f->table[i]);
	kernel_image_fini(&f->kernel);
	free(f->table);
	free(f->first_changed);
	open_inodes_fini(&f->inodes);
	kept_names_fini(&f->names);
	file_numbers_fini(&f->numbers);
	free(f);
}

static int grow(struct mapped_files *f)
{
	size_t capacity = 2 * f->capacity;
	struct file *table;

	if (f->numbers.nr < f->capacity)
		return 0;
	table = reallocarray(f->table, capacity, sizeof(*table));
	if (!table)
		return -1;
	f->table = table;
	f->capacity = capacity;
	return 0;
}

/*
 * Returns the number of a file, and sets *is_new if it was not known; -ENOSPC beyond a limit; or
 * -ENOMEM. The key is text: numbers of a fixed width, then the path.
 */
static int64_t get_number(struct mapped_files *f, const struct mapped_files_key *key,
			  enum kind kind, bool *is_new)
{
	char text[PATH_MAX + 64];
	int len = snprintf(text, sizeof(text), "%d:%08x:%08x:%016lx:%s", kind,
			   key->dev_major, key->dev_minor, (unsigned long)key->ino, key->path);
	int64_t number = file_numbers_get(&f->numbers, text, strnlen(text, len),
					  MAPPED_FILES_MAX - 1,
					  MAPPED_FILES_MAX_NAME_BYTES, is_new);

	f->nr_unopened += number == -ENOSPC;
	return number;
}

#define KEY_NUMBERS_LEN	(1 + 1 + 8 + 1 + 8 + 1 + 16 + 1)

/*
 * Sets *id to the number of a file, and adds the file if it is new.
 * Returns: the file if it is new, else NULL. Without room *id is MAPPED_FILES_NONE.
 */
static struct file *add(struct mapped_files *f, const struct mapped_files_key *key, enum kind kind,
			uint32_t *id)
{
	bool is_new = false;
	int64_t number = grow(f) ? -ENOMEM : get_number(f, key, kind, &is_new);
	struct file *file;

	*id = number < 0 ? MAPPED_FILES_NONE : number;
	if (!is_new)
		return NULL;
	file = &f->table[*id];
	*file = (struct file){ .path = strtab_at(f->numbers.keys, strtab_nr(f->numbers.keys) - 1) +
				       KEY_NUMBERS_LEN,
			       .kind = kind, .first = *id, .fd = -1 };
	return file;
}

/* Is the file open, or does a symbolizer have it, with the content of the version? */
static bool is_held(const struct file *file, const struct file_version *version)
{
	return (file->fd >= 0 || file->sym) && !file->is_outdated &&
	       file_version_is_equal(&file->version, version);
}

/*
 * Stores fd in file, or closes it if another file has the same inode open. A program that renames
 * a file in a loop, and maps it each time, must not use up the descriptors. The numbers that the
 * kernel reports for a mapping do not suffice: files of several btrfs subvolumes can have equal
 * ones. Without memory the file keeps a descriptor of its own.
 */
static void hold(struct mapped_files *f, struct file *file, int fd, const struct stat *st)
{
	bool is_new;
	uint32_t *holder = open_inodes_get(&f->inodes, st, &is_new);

	file->fd = fd;
	file->version = file_version_of(st);
	file->is_elf = file->is_elf || file_opening_is_elf(fd);
	if (!holder)
		return;
	if (is_new || !is_held(&f->table[*holder], &file->version)) {
		*holder = file->first;
		return;
	}
	file->first = *holder;
	file->fd = -1;
	close(fd);
}

/* Stores fd, or counts the file as unopened. fd may be a negative errno. */
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

bool mapped_file_has_changed(const struct file *file)
{
	return file->kind == MAPPED && file->path[0] == '/' && file->fd >= 0 && file->is_elf &&
	       file_version_has_changed(&file->version, file->fd);
}

void mapped_file_note_change(struct mapped_files *f, struct file *file)
{
	file->is_outdated = true;
	if (!f->nr_changes++)
		f->first_changed = strdup(file->path);
}

/*
 * Gives the key of a file to a new number. The old number keeps the path, under a key of its own.
 * Returns: the new number, or MAPPED_FILES_NONE.
 */
static uint32_t renumber(struct mapped_files *f, uint32_t old, bool is_moved)
{
	const char *path = f->table[old].path;
	struct mapped_files_key key = { .ino = old, .path = path };
	struct file *file;
	uint32_t id;

	file = add(f, &key, OUTDATED, &id);
	if (!file)
		return MAPPED_FILES_NONE;
	file_numbers_swap(&f->numbers, path - KEY_NUMBERS_LEN, file->path - KEY_NUMBERS_LEN);
	f->table[old].path = file->path;
	f->table[old].newer = id;
	f->table[old].is_moved = is_moved;
	file->path = path;
	file->kind = MAPPED;
	file->is_elf = f->table[old].is_elf;
	return id;
}

/* On overlayfs a mapping of a descriptor from before the change has the old content. */
static int open_again(int fd)
{
	int fresh = regular_reopen(fd);

	close(fd);
	return fresh;
}

/*
 * The content of a file has changed. It gets a new number with the descriptor, and so do the files
 * that share that. The old numbers have no symbols any more: nobody can read the old content, and
 * a sample does not show which content it was taken in.
 */
static void change(struct mapped_files *f, uint32_t old)
{
	int fd = f->table[old].fd;
	bool is_moved = file_version_is_shared(fd);
	uint32_t nr = f->numbers.nr, id;

	f->table[old].fd = -1;
	mapped_file_note_change(f, &f->table[old]);
	id = renumber(f, old, is_moved);
	if (id == MAPPED_FILES_NONE) {
		close(fd);
		return;
	}
	keep(f, &f->table[id], is_moved ? fd : open_again(fd));
	for (uint32_t i = 1; i < nr; i++) {
		uint32_t other = i != old && f->table[i].first == old ?
				 renumber(f, i, is_moved) : MAPPED_FILES_NONE;

		if (other != MAPPED_FILES_NONE)
			f->table[other].first = f->table[id].first;
	}
}

static void open_first(struct mapped_files *f, struct file *file,
		       const struct mapped_files_key *key,
		       const struct mapped_files_mapping *mapping)
{
	int fd = file_opening_open(key, mapping);

	if (!file_opening_is_memory(file->path, fd)) {
		keep(f, file, fd);
		return;
	}
	file->kind = MEMORY;
	if (fd >= 0)
		close(fd);
}

/* Only the vdso of a 32-bit process is below 4 GiB. */
static enum kind kind_of(const struct mapped_files_key *key,
			 const struct mapped_files_mapping *mapping)
{
	return strcmp(key->path, "[vdso]") || mapping->end > 1ULL << 32 ? MAPPED : COMPAT_VDSO;
}

/* Returns the number of a known file, which is a new one if its content has changed. */
static uint32_t current(struct mapped_files *f, uint32_t id)
{
	uint32_t first = f->table[id].first;

	if (!mapped_file_has_changed(&f->table[first]))
		return id;
	change(f, first);
	return f->table[id].newer != MAPPED_FILES_NONE ? f->table[id].newer : id;
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
		return current(f, id);
	if (file->path[0] == '/' && key->ino)
		open_first(f, file, key, mapping);
	else if (file->kind == MAPPED && !strcmp(file->path, "[vdso]"))
		file->fd = vdso_open();
	return id;
}

/* Returns inherited, or MAPPED_FILES_NONE if that makes more than MAX_GENERATIONS. */
static uint32_t bequeath(const struct mapped_files *f, uint32_t inherited)
{
	uint32_t file = inherited;

	for (int i = 1; i < MAX_GENERATIONS && file != MAPPED_FILES_NONE; i++)
		file = f->table[file].inherited;
	return file == MAPPED_FILES_NONE ? inherited : MAPPED_FILES_NONE;
}

uint32_t mapped_files_intern_perfmap(struct mapped_files *f, pid_t pid, uint32_t inherited,
				     bool is_new)
{
	char path[PERF_MAP_PATH_MAX];
	int fd = perf_map_open(pid, path);
	struct mapped_files_key key = { .path = path };
	uint32_t id = MAPPED_FILES_NONE;
	struct file *file = NULL;
	struct stat st;

	if (fd == -ESTALE && !f->old_perfmap[0])
		strcpy(f->old_perfmap, path);
	if (fd < 0)
		return MAPPED_FILES_NONE;
	if (!fstat(fd, &st)) {
		key.dev_major = major(st.st_dev);
		key.dev_minor = minor(st.st_dev);
		key.ino = st.st_ino;
		file = add(f, &key, PERFMAP, &id);
	}
	if (file) {
		file->inherited = bequeath(f, inherited);
		file->perfmap_begin = is_new ? 0 : st.st_size;
	}
	if (file && fd < f->max_fd) {
		file->fd = fd;
		return id;
	}
	f->nr_unopened += !!file;
	close(fd);
	return id;
}

void mapped_files_set_kallsyms(struct mapped_files *f, int fd)
{
	f->kernel.fd = fd;
}

int mapped_files_find_kernel(struct mapped_files *f, uint64_t addr, struct maps_range *range)
{
	const struct kallsyms_range *found;
	struct mapped_files_key key = { 0 };
	int err = kernel_image_load(&f->kernel);
	uint32_t id;

	if (err)
		return err;
	found = kallsyms_range(f->kernel.symbols, addr);
	if (!found)
		return -ENOENT;
	key.path = found->module;
	add(f, &key, KERNEL, &id);
	*range = (struct maps_range){ found->start, found->end, found->start, id, 0 };
	return 0;
}

uint32_t mapped_files_first(const struct mapped_files *f, uint32_t file)
{
	return f->table[file].first;
}

void mapped_files_find_changes(struct mapped_files *f)
{
	uint32_t nr = f->numbers.nr;

	for (uint32_t i = 1; i < nr; i++)
		if (mapped_file_has_changed(&f->table[i]))
			change(f, i);
}

uint64_t mapped_files_nr_changes(const struct mapped_files *f, const char **first)
{
	*first = f->first_changed;
	return f->nr_changes;
}

bool mapped_files_is_outdated(const struct mapped_files *f, uint32_t file)
{
	return f->table[mapped_files_first(f, file)].is_outdated;
}

uint32_t mapped_files_newest(const struct mapped_files *f, uint32_t file)
{
	while (f->table[file].is_moved && f->table[file].newer != MAPPED_FILES_NONE)
		file = f->table[file].newer;
	return file;
}

uint64_t mapped_files_nr_unopened(const struct mapped_files *f)
{
	return f->nr_unopened;
}

const char *mapped_files_old_perfmap(const struct mapped_files *f)
{
	return f->old_perfmap[0] ? f->old_perfmap : NULL;
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

uint32_t mapped_files_nr(const struct mapped_files *f)
{
	return f->numbers.nr;
}

bool mapped_files_are_many(const struct mapped_files *f)
{
	uint32_t nr = file_numbers_nr_used(&f->numbers);

	return nr > MAPPED_FILES_FEW && nr / 2 > f->nr_kept;
}

/* A file that is kept needs the one with its descriptor, and the perf maps that it inherits. */
static void keep_needed(const struct mapped_files *f, bool *keep)
{
	for (uint32_t i = 1; i < f->numbers.nr; i++) {
		uint32_t file = keep[i] ? f->table[i].inherited : MAPPED_FILES_NONE;

		for (; file != MAPPED_FILES_NONE; file = f->table[file].inherited)
			keep[file] = true;
		if (keep[i])
			keep[f->table[i].first] = true;
	}
}

int mapped_files_keep(struct mapped_files *f, bool *keep)
{
	int err;

	keep[MAPPED_FILES_NONE] = true;
	keep_needed(f, keep);
	err = open_inodes_keep(&f->inodes, keep);
	if (!err)
		err = file_numbers_keep(&f->numbers, keep);
	if (err)
		return err;
	for (uint32_t i = 1; i < f->numbers.nr; i++)
		if (!keep[i])
			clear(&f->table[i])->first = i;
		else if (!keep[f->table[i].newer])
			f->table[i].newer = MAPPED_FILES_NONE;
	for (size_t i = 1; i < strtab_nr(f->numbers.keys); i++)
		f->table[f->numbers.by_key[i]].path =
			strtab_at(f->numbers.keys, i) + KEY_NUMBERS_LEN;
	f->nr_kept = file_numbers_nr_used(&f->numbers);
	return 0;
}
