// SPDX-License-Identifier: GPL-2.0
// sources: collector/device/user_policy.c
// sources: collector/doctor/process.c collector/elf/features.c collector/elf/build_id.c
// sources: collector/device/error_text.c collector/doctor/finding.c
// sources: collector/process/mapped_files.c collector/process/kernel_image.c
// sources: collector/process/kept_names.c collector/process/file_version.c
// sources: collector/process/mapped_symbols.c
// sources: collector/process/file_numbers.c collector/process/file_opening.c
// sources: collector/process/open_inodes.c
// sources: collector/procfs/vdso.c
// sources: collector/symbol/perf_map.c collector/base/string_table.c collector/base/utf8.c
// sources: collector/symbol/kallsyms.c
// sources: collector/base/regular_file.c collector/elf/validate.c
// sources: collector/procfs/live_thread.c collector/procfs/mapped_file.c
// sources: collector/session/allocator_symbols.c collector/elf/plt.c
// sources: collector/elf/string_section.c collector/elf/debug_sections.c
// sources: collector/arch/x86/machine_code.c
// libs: -ldw -lelf -lz -llzma -lxxhash
/* The module, and a process that has the fixtures mapped, are played by this file. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture.h"
#include "fakesym.h"
#include "doctor/process.h"
#include "procfs/procfs.h"

static struct {
	const char *paths[8];	/* mapped, executable; "" for memory */
	pid_t pid;
	int maps_error;
	int exec_id_error;
} process;

static char *text;
static unsigned int nr_problems;

static uint32_t setup_flags;

int device_setup(struct device *d, uint32_t flags, uint32_t ring_bytes, uint32_t max_frames)
{
	(void)d;
	assert_int_equal(ring_bytes, PPROF_MIN_RING_BYTES);
	assert_int_equal(max_frames, 0);
	assert_true(flags & PPROF_SETUP_SNAPSHOT);	/* no hook for a question */
	setup_flags = flags;
	return 0;
}

/* The module refuses more to a session with tables. */
int device_exec_id(struct device *d, pid_t pid, uint64_t *exec_id)
{
	(void)d;
	(void)pid;
	*exec_id = 1;
	return setup_flags & PPROF_SETUP_TABLES ? process.exec_id_error : 0;
}

void device_foreign_abi(unsigned int *major, unsigned int *minor)
{
	*major = 2;
	*minor = 0;
}

void procfs_comm(pid_t pid, char *comm, size_t size)
{
	(void)pid;
	snprintf(comm, size, "na\x1bme");
}

/* No file that is opened has other numbers than stat() gives. */
int procfs_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	(void)pid;
	(void)fn;
	(void)ctx;
	return 0;
}

/* Each twice: a program may have two executable mappings of a file. */
int procfs_executable_maps(pid_t pid, procfs_maps_fn fn, void *ctx)
{
	int err = process.maps_error;

	(void)pid;
	for (int i = 0; !err && process.paths[i]; i++) {
		struct maps_entry e = { .start = 4096, .end = 8192, .executable = true };
		struct stat st;

		if (*process.paths[i] == '/' && !stat(process.paths[i], &st)) {
			e.ino = st.st_ino;
			e.dev_major = major(st.st_dev);
			e.dev_minor = minor(st.st_dev);
		} else if (*process.paths[i] == '/') {
			e.ino = 1;
		}
		for (int part = 0; !err && part < 2; part++)
			err = fn(ctx, &e, process.paths[i]);
	}
	return err;
}

/* The path of a fixture; a static buffer for each of the paths. */
static const char *fixture(const char *name)
{
	static char paths[8][4096];
	static int next;
	char *path = paths[next++ % 8], *folder = realpath(getenv("FIXTURES"), NULL);

	assert_non_null(folder);
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	free(folder);
	return path;
}

static int begin(void **state)
{
	(void)state;
	memset(&process, 0, sizeof(process));
	process.pid = 0x7fffffff;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static int check(bool has_module, const char *urls)
{
	struct process_check c = {
		.dev = has_module ? (struct device *)&process : NULL,
		.pid = process.pid, .debug_dir = "/nowhere", .debug_urls = urls,
	};
	struct findings f = { 0 };
	size_t size;
	int err;

	free(text);
	f.out = open_memstream(&text, &size);
	err = process_check(&c, &f);
	fclose(f.out);
	nr_problems = f.nr_problems;
	return err;
}

static int nr_lines(void)
{
	int nr = 0;

	for (const char *at = text; (at = strchr(at, '\n')); at++)
		nr++;
	return nr;
}

static void assert_says(const char *format, const char *path)
{
	char want[8192];

	snprintf(want, sizeof(want), format, path);
	if (!strstr(text, want))
		fail_msg("\"%s\" is not in\n%s", want, text);
}

static void test_a_process_with_all(void **state)
{
	(void)state;
	process.paths[0] = fixture("chain");
	process.paths[1] = "[vdso]";
	process.paths[2] = fixture("chain.noid");
	process.paths[3] = fixture("allocator.c");
	assert_int_equal(check(true, NULL), 0);
	assert_string_equal(text,
			    "ok       process    2147483647 (na\\x1bme) can be profiled\n"
			    "ok       files      1 with debug info, 2 with symbols only\n");
}

static void test_without_the_module(void **state)
{
	(void)state;
	assert_int_equal(check(false, NULL), 0);
	assert_string_equal(text, "ok       files      0 with debug info, 0 with symbols only\n");
}

static void test_a_process_that_is_not_ours(void **state)
{
	(void)state;
	process.exec_id_error = -EACCES;
	process.maps_error = -ESRCH;
	assert_int_equal(check(true, NULL), 0);
	assert_int_equal(nr_problems, 1);
	assert_int_equal(nr_lines(), 2);
	assert_says("problem  process    you may not profile process %s (see ptrace(2)): ", "2147483647");
	assert_says("warning  files      /proc/%s/maps cannot be read: ", "2147483647");
}

/* Each file is told once. */
static void test_stripped_files(void **state)
{
	(void)state;
	process.paths[0] = fixture("chain.stripped");
	assert_int_equal(check(true, ""), 0);
	assert_int_equal(nr_problems, 0);
	assert_int_equal(nr_lines(), 4);
	assert_says("warning  names      %s has names of exported functions only: ",
		    process.paths[0]);
	assert_int_equal(check(true, "http://x"), 0);
	assert_int_equal(nr_lines(), 3);
}

/* In the file's folder, and in the file. */
static void test_debug_files(void **state)
{
	(void)state;
	process.paths[0] = fixture("linked/chain");
	process.paths[1] = fixture("chain.mini");
	assert_int_equal(check(true, NULL), 0);
	assert_int_equal(nr_lines(), 3);
	assert_says("ok       files      1 with debug info, %s with symbols only\n", "1");
	process.paths[0] = fixture("wrong/chain");
	process.paths[1] = NULL;
	check(true, NULL);
	assert_says("warning  names      %s has names", process.paths[0]);
}

/* Newer versions of libelf read it. Then it counts as debug info. */
static void test_unread_debug_info(void **state)
{
	static const char *const names[] = { "chain.zstd", "zstd/chain" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		process.paths[0] = fixture(names[i]);
		assert_int_equal(check(true, NULL), 0);
		if (strstr(text, "compression"))
			assert_says("warning  names      %s has debug info whose compression this "
				    "libelf cannot read: ", process.paths[0]);
		assert_says(strstr(text, "compression") ?
			    "ok       files      0 with debug info, %s with symbols only\n" :
			    "ok       files      1 with debug info, %s with symbols only\n", "0");
	}
}

static void test_files_without_unwind_information(void **state)
{
	(void)state;
	process.paths[0] = fixture("cfi.unnamed");
	process.paths[1] = fixture("linked/chain.debug");	/* only the header of one */
	process.paths[2] = fixture("cfi.debug");
	check(true, NULL);
	assert_says("warning  unwinding  %s has no .eh_frame: ", process.paths[0]);
	assert_says("warning  unwinding  %s has no .eh_frame: ", process.paths[1]);
	assert_null(strstr(text, process.paths[2]));
}

#define NO_HEAP	"warning  heap       heap profiles are refused, as no file has malloc and free in its " \
		"symbol table: do not strip it, or use --profile growth\n"

static void test_allocators(void **state)
{
	(void)state;
	process.paths[0] = fixture("chain");
	check(true, NULL);
	assert_says(NO_HEAP, "");
	process.paths[1] = fixture("allocator.static");
	check(true, NULL);
	assert_null(strstr(text, "heap"));
	process.paths[1] = "/no/such/file";	/* it may be an allocator */
	check(true, NULL);
	assert_null(strstr(text, "heap"));
}

/* Of the reasons why its stacks are short, the first one is enough. */
static void test_32_bits(void **state)
{
	(void)state;
	process.paths[0] = fixture("bare32");
	assert_int_equal(check(true, NULL), 0);
	assert_int_equal(nr_problems, 0);
	assert_string_equal(text,
			    "ok       process    2147483647 (na\\x1bme) can be profiled\n"
			    "warning  32 bits    it has 32-bit code (i386 or x32): samples lack some or "
			    "all callers, and heap profiles are refused: run a 64-bit build of it\n"
			    "ok       files      0 with debug info, 1 with symbols only\n");
}

static void test_files_that_are_none(void **state)
{
	char damaged[] = "/tmp/damaged-XXXXXX";
	int fd = mkstemp(damaged);

	(void)state;
	assert_int_equal(write(fd, "\177ELF", 4), 4);
	close(fd);
	process.paths[0] = "/etc/passwd";
	process.paths[1] = "/no/such/file";
	process.paths[2] = damaged;
	assert_int_equal(check(true, NULL), 0);
	unlink(damaged);
	assert_says("warning  file       %s is no ELF file: its code has no names, and callers by "
		    "frame pointers only\n", "/etc/passwd");
	assert_says("warning  file       %s is damaged, so its code has no names: install it anew, "
		    "and restart the process\n", damaged);
	assert_says("warning  file       %s cannot be opened: restart the process if it was updated, "
		    "else run as root", "/no/such/file");
}

static void test_code_that_is_made(void **state)
{
	char map[32];
	FILE *file;

	(void)state;
	process.paths[0] = "";
	process.pid = getpid();
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", process.pid);
	check(true, NULL);
	assert_int_equal(nr_lines(), 3);
	assert_says("warning  names      it compiles code at run time, which has no names: let it "
		    "write %s, ", map);
	file = fopen(map, "w");
	assert_non_null(file);
	fclose(file);
	process.paths[0] = "/memfd:code";
	check(true, NULL);
	remove(map);
	assert_int_equal(nr_lines(), 3);
	assert_says("ok       names      code that is compiled at run time has names in %s\n", map);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_with_all),
		TEST(test_without_the_module),
		TEST(test_a_process_that_is_not_ours),
		TEST(test_stripped_files),
		TEST(test_debug_files),
		TEST(test_unread_debug_info),
		TEST(test_files_without_unwind_information),
		TEST(test_allocators),
		TEST(test_32_bits),
		TEST(test_files_that_are_none),
		TEST(test_code_that_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
