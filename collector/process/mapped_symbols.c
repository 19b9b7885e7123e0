// SPDX-License-Identifier: GPL-2.0
/*
 * The symbols and build IDs of mapped files.
 *
 * The first look-up gives the descriptor to a symbolizer (open_names()). A perf map is read at its
 * first look-up, keeps its descriptor, and may be freed and read again: see kept_names.h.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/mapped_files.h"
#include "process/mapped_files_table.h"
#include "symbol/symbolizer.h"

const char *mapped_files_kernel_name(struct mapped_files *f, uint64_t addr)
{
	return kernel_image_load(&f->kernel) ? NULL : kallsyms_find(f->kernel.symbols, addr);
}

uint64_t mapped_files_nr_faulty(const struct mapped_files *f, enum debug_fault_cause cause,
				const char **first)
{
	const struct debug_fault *fault;
	uint64_t nr = 0;

	for (size_t i = 0; i < f->numbers.nr; i++) {
		if (!f->table[i].sym)
			continue;
		fault = symbolizer_fault(f->table[i].sym);
		if (fault->cause == cause && !nr++)
			*first = fault->path ? fault->path : f->table[i].path;
	}
	return nr;
}

/*
 * Reads the map through a copy of the descriptor, so that it can be read again later. After an
 * error the descriptor is closed, and the map is never read again.
 */
static void open_perfmap(struct file *file)
{
	int fd;

	if (file->perfmap)
		return;
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	file->perfmap = fd < 0 ? NULL : perf_map_read(fd, file->perfmap_begin);
	if (file->perfmap)
		return;
	close(file->fd);
	file->fd = -1;
}

/* Prepares the symbols of a file. Returns the file that has them: see mapped_files_first(). */
static struct file *open_names(struct mapped_files *f, uint32_t id)
{
	struct file *file = &f->table[mapped_files_first(f, id)];

	if (file->fd < 0)
		return file;
	if (file->kind == PERFMAP) {
		open_perfmap(file);
		return file;
	}
	if (mapped_file_has_changed(file)) {
		mapped_file_note_change(f, file);
		close(file->fd);
		file->fd = -1;
		return file;
	}
	file->sym = symbolizer_open(file->fd, file->path);
	file->fd = -1;
	return file;
}

int mapped_files_lookup(struct mapped_files *f, uint32_t id, uint64_t offset, struct frame *lines,
			int max)
{
	const struct file *file = open_names(f, id);
	const char *name = NULL;

	if (file->sym)
		return symbolizer_lookup(file->sym, offset, lines, max);
	if (file->kind == KERNEL)
		name = mapped_files_kernel_name(f, offset);
	else if (file->perfmap)
		name = kept_names_find(&f->names, file->perfmap, offset,
				       MAPPED_FILES_MAX_NAME_BYTES);
	if (!name && file->inherited != MAPPED_FILES_NONE)
		return mapped_files_lookup(f, file->inherited, offset, lines, max);
	if (!name || max < 1)
		return 0;
	lines[0] = (struct frame){ .name = name, .system_name = name,
				      .offset = FRAME_NO_OFFSET };
	return 1;
}

struct symbolizer *mapped_files_symbolizer(const struct mapped_files *f, uint32_t file)
{
	return f->table[mapped_files_first(f, file)].sym;
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

static const char *build_id_of_kernel(struct file *file)
{
	char hex[BUILD_ID_HEX_SIZE];

	kernel_image_build_id(file->path, hex);
	file->build_id = strdup(hex);
	return file->build_id ? file->build_id : "";
}

const char *mapped_files_build_id(struct mapped_files *f, uint32_t file)
{
	const struct symbolizer *sym;

	if (mapped_files_is_memory(f, file) || mapped_files_is_outdated(f, file))
		return "";
	if (f->table[file].build_id)
		return f->table[file].build_id;
	f->table[file].is_read = true;
	if (f->table[file].kind == KERNEL)
		return build_id_of_kernel(&f->table[file]);
	sym = open_names(f, file)->sym;
	return sym ? symbolizer_build_id(sym) : "";
}

void mapped_files_set_build_id(struct mapped_files *f, uint32_t file, const char *build_id)
{
	if (file < f->numbers.nr && !f->table[file].build_id && !mapped_files_is_outdated(f, file))
		f->table[file].build_id = strdup(build_id);
}

const char *mapped_files_next_build_id(struct mapped_files *f, uint32_t *file)
{
	for (; *file < f->numbers.nr; ++*file)
		if (f->table[*file].is_read)
			return mapped_files_build_id(f, *file);
	return NULL;
}
