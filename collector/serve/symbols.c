// SPDX-License-Identifier: GPL-2.0
#include "serve/symbols.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "http/symbol_numbers.h"
#include "process/mapped_files.h"
#include "procfs/maps.h"
#include "procfs/procfs.h"

struct symbols {
	struct mapped_files *files;
	struct maps *maps;
	uint32_t perf_map;
	pid_t pid;
};

/* A procfs_executable_maps() callback. Returns: 0, or -ENOMEM. */
static int add_mapping(void *ctx, const struct maps_entry *e, const char *name)
{
	struct symbols *s = ctx;
	const struct mapped_files_key key = { e->dev_major, e->dev_minor, e->ino, name };
	const struct mapped_files_mapping mapping = { s->pid, e->start, e->end };
	struct maps_range range = { .start = e->start, .end = e->end, .offset = e->offset };
	int err;

	range.file = mapped_files_intern(s->files, &key, &mapping);
	if (mapped_files_is_memory(s->files, range.file)) {
		range.file = s->perf_map;
		range.offset = e->start;
	}
	err = maps_insert(s->maps, &range);
	return err == -ENOMEM ? err : 0;
}

static int load(struct symbols *s)
{
	s->files = mapped_files_new();
	s->maps = maps_new();
	if (!s->files || !s->maps)
		return -ENOMEM;
	s->perf_map = s->pid ? mapped_files_intern_perfmap(s->files, s->pid, MAPPED_FILES_NONE,
							   false) : MAPPED_FILES_NONE;
	return s->pid ? procfs_executable_maps(s->pid, add_mapping, s) : 0;
}

/* The name of the outermost function: the others at the address are inlined into it. */
static void write_symbol(struct symbols *s, uint64_t address, FILE *out)
{
	const struct maps_range *range = maps_find(s->maps, address);
	struct frame frames[64];
	int nr;

	if (!range || range->file == MAPPED_FILES_NONE)
		return;
	nr = mapped_files_lookup(s->files, range->file, address - range->start + range->offset,
				 frames, 64);
	if (nr > 0)
		fprintf(out, "%#" PRIx64 " %s\n", address, frames[nr - 1].name);
}

static void write_symbols(struct symbols *s, const char *text, size_t len, FILE *out)
{
	const char *end = text + len;
	uint64_t address;
	int more;

	fputs("num_symbols: 1\n", out);
	while ((more = symbol_numbers_next(&text, end, &address)) > 0)
		write_symbol(s, address, out);
	if (more < 0)
		fputs("reading request: bufio: buffer full\n", out);
}

static int write_all(struct symbols *s, int text_fd, FILE *out)
{
	struct stat st;
	void *text;

	if (fstat(text_fd, &st))
		return -errno;
	if (!st.st_size) {
		write_symbols(s, "", 0, out);
		return 0;
	}
	text = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, text_fd, 0);
	if (text == MAP_FAILED)
		return -errno;
	write_symbols(s, text, st.st_size, out);
	munmap(text, st.st_size);
	return 0;
}

int serve_symbols_write(pid_t pid, int text_fd, FILE *out)
{
	struct symbols s = { .pid = pid };
	int err = load(&s);

	if (!err)
		err = write_all(&s, text_fd, out);
	if (err)
		warnx("cannot find the symbols of process %d: %s: ask again", pid, strerror(-err));
	maps_free(s.maps);
	mapped_files_free(s.files);
	return err ? -1 : 0;
}
