// SPDX-License-Identifier: GPL-2.0
// sources: collector/symbol/line_row.c
// sources: collector/symbol/split_dwarf.c collector/symbol/skeleton_image.c
// sources: collector/symbol/pclntab.c collector/elf/go_module.c collector/elf/go_table.c
// sources: collector/symbol/function_bounds.c collector/unwind/fde_index.c
// sources: collector/unwind/cfi_program.c collector/elf/code_segments.c
// sources: collector/elf/debug_sections.c collector/symbol/demangle_dlang.c
// sources: collector/symbol/debuginfod_cache.c collector/symbol/elf_symbolizer.c
// sources: collector/symbol/cache_dir.c collector/symbol/cache_file.c
// sources: collector/symbol/code_ranges.c
// sources: collector/symbol/dwarf.c collector/elf/symtab.c collector/elf/plt.c
// sources: collector/elf/string_section.c collector/elf/build_id.c
// sources: collector/symbol/demangle.c collector/base/interval_set.c
// sources: collector/base/sigbus_guard.c collector/base/string_table.c
// sources: collector/base/regular_file.c collector/elf/validate.c
// sources: collector/arch/x86/machine_code.c
// libs: -ldw -lelf -lz -llzma -liberty -lxxhash -Wl,--wrap=geteuid
/*
 * libdebuginfod itself, with a folder in place of a server. The answer of
 * debuginfod_cache_prepare() is kept, so each case is a process of its own.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <sanitizer/lsan_interface.h>

#include "capture.h"
#include "folder.h"
#include "symbol/debuginfod_cache.h"
#include "symbol/elf_symbolizer.h"

#define USER	1

static uid_t euid;
static char *fixtures;

uid_t __wrap_geteuid(void);

uid_t __wrap_geteuid(void)
{
	return euid;
}

static int setup(void **state)
{
	if (enter_folder(state))
		return -1;
	euid = getuid();
	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", in_folder("home"), 1);
	setenv("DEBUGINFOD_URLS", "file:///none", 1);
	return mkdir("home", 0755);
}

/* Looks up all names of a stripped program, which asks the server for its debug file. */
static void ask(void)
{
	char path[PATH_MAX];
	struct elf_symbolizer *s;
	struct frame frame;
	off_t bytes;
	int fd;

	snprintf(path, sizeof(path), "%s/chain.stripped", fixtures);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	bytes = lseek(fd, 0, SEEK_END);
	s = elf_symbolizer_open(fd, path);
	if (!s)
		_exit(2);
	for (off_t at = 0; at < bytes; at += 64)
		elf_symbolizer_lookup(s, at, &frame, 1);
	elf_symbolizer_free(s);
}

/* Returns whether the servers are asked. If not, one message says why. */
static bool is_asked(void)
{
	struct capture c;
	int status;
	pid_t pid;

	capture_begin(&c, STDERR_FILENO);
	pid = fork();
	if (!pid) {
		__lsan_disable();	/* curl */
		ask();
		ask();
		_exit(elf_symbolizer_has_servers());
	}
	waitpid(pid, &status, 0);
	capture_end(&c);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	if (!WEXITSTATUS(status))
		assert_sentence(c.text, "debuginfod is not asked for names: its cache is not in a "
				"folder of root");
	else
		assert_string_equal(c.text, "");
	return WEXITSTATUS(status);
}

static void test_own_home(void **state)
{
	struct stat st;

	(void)state;
	assert_true(is_asked());
	assert_int_equal(stat("home/.cache/debuginfod_client", &st), 0);
	assert_int_equal(access("home/.cache/debuginfod_client/cache_clean_interval_s", F_OK), 0);
}

static void test_home_of_a_user(void **state)
{
	(void)state;
	if (getuid())
		skip();
	assert_int_equal(chown("home", USER, 0), 0);
	assert_false(is_asked());
	assert_int_equal(access("home/.cache", F_OK), -1);
	setenv("XDG_CACHE_HOME", in_folder("home"), 1);
	assert_false(is_asked());
	assert_int_equal(access("home/debuginfod_client", F_OK), -1);
}

/* A link, which the user could have made, is not followed. */
static void test_links(void **state)
{
	(void)state;
	if (getuid())
		skip();
	assert_int_equal(mkdir("home/.cache", 0755), 0);
	assert_int_equal(mkdir("elsewhere", 0755), 0);
	assert_int_equal(symlink(in_folder("elsewhere"), "home/.cache/debuginfod_client"), 0);
	assert_false(is_asked());
	assert_int_equal(rmdir("elsewhere"), 0);
}

static void test_given(void **state)
{
	(void)state;
	if (getuid())
		skip();
	assert_int_equal(chown("home", USER, 0), 0);
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("given/"), 1);
	assert_true(is_asked());
	assert_int_equal(access("given/cache_clean_interval_s", F_OK), 0);
	assert_int_equal(chmod("given", 0770), 0);
	assert_false(is_asked());
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("home/given"), 1);
	assert_false(is_asked());
	assert_int_equal(access("home/given", F_OK), -1);
}

/* libdebuginfod of other users finds its folder itself. */
static void test_users(void **state)
{
	(void)state;
	euid = USER;
	setenv("DEBUGINFOD_CACHE_PATH", in_folder("own"), 1);
	assert_true(is_asked());
	assert_int_equal(access("own", F_OK), 0);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_home),
		TEST(test_home_of_a_user),
		TEST(test_links),
		TEST(test_given),
		TEST(test_users),
	};

	int result;

	fixtures = realpath(getenv("FIXTURES"), NULL);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	free(fixtures);
	return result;
}
