// SPDX-License-Identifier: GPL-2.0
#include "doctor/process.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "arch/machine.h"
#include "session/allocator_symbols.h"
#include "device/error_text.h"
#include "elf/features.h"
#include "process/mapped_files.h"
#include "procfs/procfs.h"

/* The state of a walk over the mappings of a process, and what it found. */
struct look {
	const struct process_check *c;
	struct findings *findings;
	struct mapped_files *files;
	uint32_t nr_files;	/* files with lower numbers were checked */
	unsigned int nr_debug;	/* files with debug info */
	unsigned int nr_symbols;	/* files with symbols only */
	bool makes_code;	/* it has code that is in no file */
	bool is_32_bits;	/* some of its files have 32-bit code */
	bool has_allocator;	/* a file has a known allocator, or could not be read */
};

/*
 * Asks the module whether the process may be profiled. A session with tables needs more rights, and
 * profiles use tables. PPROF_SETUP_SNAPSHOT: this session needs no hooks.
 * Returns: 0, or a negative errno.
 */
static int ask_module(const struct process_check *c)
{
	uint64_t exec_id;
	int err = device_setup(c->dev, PPROF_SETUP_TABLES | PPROF_SETUP_SNAPSHOT,
			       PPROF_MIN_RING_BYTES, 0);

	return err ? err : device_exec_id(c->dev, c->pid, &exec_id);
}

static void check_access(const struct process_check *c, struct findings *f)
{
	char comm[PPROF_COMM_LEN] = "?", text[256];
	int err = ask_module(c);

	if (err) {
		device_error_attach(c->pid, err, text, sizeof(text));
		finding_print(f, FINDING_PROBLEM, "process", "%s", text);
		return;
	}
	procfs_comm(c->pid, comm, sizeof(comm));
	finding_print(f, FINDING_OK, "process", "%d (%s) can be profiled", c->pid, comm);
}

static void judge_names(const struct look *l, const struct elf_features *p, const char *path)
{
	if (l->c->debug_urls && *l->c->debug_urls)
		return;
	finding_print(l->findings, FINDING_WARNING, "names",
		      "%s has %s: install its debug symbols ('find-dbgsym-packages %d' of the "
		      "package debian-goodies names the packages), or set DEBUGINFOD_URLS", path,
		      p->has_exports ? "names of exported functions only" : "no names",
		      l->c->pid);
}

static bool has_allocator(int fd)
{
	struct allocator a;

	return (!allocator_read(fd, ALLOCATOR_COMMON, &a) && a.nr) ||
	       (!allocator_read(fd, ALLOCATOR_PREFIXED, &a) && a.nr);
}

/* A file that is not ELF, such as the core file of SBCL, has no remedy. */
static void judge_unreadable(struct look *l, int fd, const char *path)
{
	char magic[SELFMAG];

	if (pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		finding_print(l->findings, FINDING_WARNING, "file",
			      "%s is damaged, so its code has no names: install it anew, and restart "
			      "the process", path);
	else
		finding_print(l->findings, FINDING_WARNING, "file",
			      "%s is no ELF file: its code has no names, and callers by frame "
			      "pointers only", path);
}

static void judge_file(struct look *l, int fd, const char *path)
{
	struct elf_features p;

	if (elf_features_read(fd, path, l->c->debug_dir, &p)) {
		judge_unreadable(l, fd, path);
		return;
	}
	if (p.is_unread)
		finding_print(l->findings, FINDING_WARNING, "names",
			      "%s has debug info whose compression this libelf cannot read: use objcopy "
			      "--decompress-debug-sections", path);
	else if (p.has_debug_info)
		l->nr_debug++;
	else if (p.has_symbols)
		l->nr_symbols++;
	else
		judge_names(l, &p, path);
	l->is_32_bits |= p.is_32_bits;
	if (!l->has_allocator)
		l->has_allocator = has_allocator(fd);
	if (!p.has_frames && !p.is_32_bits)
		finding_print(l->findings, FINDING_WARNING, "unwinding",
			      "%s has no .eh_frame: where it has no frame pointers either, build it "
			      "with -fasynchronous-unwind-tables", path);
}

/*
 * A procfs_executable_maps() callback. Skips mappings of the kernel, such as the vdso: the user
 * cannot change them.
 * Returns: 0, or -ENOMEM.
 */
static int take_mapping(void *ctx, const struct maps_entry *e, const char *name)
{
	const struct mapped_files_key key = { e->dev_major, e->dev_minor, e->ino, name };
	struct look *l = ctx;
	const struct mapped_files_mapping m = { .pid = l->c->pid,
						.start = e->start,
						.end = e->end };
	uint32_t file;
	int fd;

	if (*name == '[')
		return 0;
	if (!e->ino) {
		l->makes_code = true;
		return 0;
	}
	file = mapped_files_intern(l->files, &key, &m);
	if (file == MAPPED_FILES_NONE)
		return -ENOMEM;
	if (mapped_files_is_memory(l->files, file))
		l->makes_code = true;
	if (mapped_files_is_memory(l->files, file) || file < l->nr_files)
		return 0;
	l->nr_files = file + 1;
	fd = mapped_files_open(l->files, file);
	if (fd < 0) {
		l->has_allocator = true;	/* not known: no warning */
		finding_print(l->findings, FINDING_WARNING, "file",
			      "%s cannot be opened: restart the process if it was updated, else run "
			      "as root", name);
		return 0;
	}
	judge_file(l, fd, name);
	close(fd);
	return 0;
}

static void check_made_code(const struct look *l)
{
	if (!l->makes_code)
		return;
	if (mapped_files_intern_perfmap(l->files, l->c->pid, MAPPED_FILES_NONE, false) !=
	    MAPPED_FILES_NONE)
		finding_print(l->findings, FINDING_OK, "names",
			      "code that is compiled at run time has names in /tmp/perf-%d.map",
			      l->c->pid);
	else
		finding_print(l->findings, FINDING_WARNING, "names",
			      "it compiles code at run time, which has no names: let it write "
			      "/tmp/perf-%d.map, as 'node --perf-basic-prof' does", l->c->pid);
}

/* In a stripped static program the allocator cannot be found. */
static void check_heap(const struct look *l)
{
	if (l->is_32_bits)
		finding_print(l->findings, FINDING_WARNING, "32 bits",
			      "it has 32-bit code (" ARCH_NAMES_32_BITS "): samples lack some or all "
			      "callers, and heap profiles are refused: run a 64-bit build of it");
	else if (l->nr_files > 1 && !l->has_allocator)
		finding_print(l->findings, FINDING_WARNING, "heap",
			      "heap profiles are refused, as no file has malloc and free in its symbol "
			      "table: do not strip it, or use --profile growth");
}

static int check_files(struct look *l)
{
	int err = procfs_executable_maps(l->c->pid, take_mapping, l);

	if (err == -ESRCH)
		finding_print(l->findings, FINDING_WARNING, "files",
			      "/proc/%d/maps cannot be read: check that the process runs, or run as root",
			      l->c->pid);
	if (err)
		return err == -ESRCH ? 0 : err;
	check_made_code(l);
	check_heap(l);
	finding_print(l->findings, FINDING_OK, "files", "%u with debug info, %u with symbols only",
		      l->nr_debug, l->nr_symbols);
	return 0;
}

int process_check(const struct process_check *c, struct findings *f)
{
	struct look l = { .c = c, .findings = f, .files = mapped_files_new(), .nr_files = 1 };
	int err;

	if (!l.files)
		return -ENOMEM;
	if (c->dev)
		check_access(c, f);
	err = check_files(&l);
	mapped_files_free(l.files);
	return err;
}
