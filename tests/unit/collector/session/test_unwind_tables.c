// SPDX-License-Identifier: GPL-2.0
// sources: collector/session/unwind_tables.c collector/base/string_table.c
// sources: collector/base/capabilities.c collector/process/syscall_filter.c
// libs: -lxxhash -pthread
// flags: -O1 -g -fsanitize=thread
/* The compiler, the files, the cache and the module are the test's; the thread is real. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/capabilities.h"
#include "device/device.h"
#include "process/mapped_files.h"
#include "session/table_cache.h"
#include "session/unwind_tables.h"
#include "unwind/compile.h"

#define NR_FILES	40

/* What stands in a file: its table, or why it does not compile; and whose it is. */
static char contents[NR_FILES][16];
static uid_t owners[NR_FILES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool held;	/* the compiler waits while it is */
static int nr_compiled;
static int nr_added;
static pid_t compiler;	/* the thread */
static int compiler_opened;	/* what the thread got for a file that it opened: errno */
static int nr_open;
static int add_result;
static uint32_t dropped[NR_FILES];
static int nr_dropped;
static uint32_t bound_number;
static int nr_bound;
static int nr_listed;	/* new tables that the list has got */
static bool is_read;	/* the cache has the table of "kept" */

int mapped_files_open(const struct mapped_files *files, uint32_t file)
{
	int fd;

	assert_ptr_equal(files, contents);
	if (!contents[file][0])
		return -ENOENT;
	if (!strcmp(contents[file], "old"))
		return open("/bin/sh", O_RDONLY | O_CLOEXEC);
	fd = memfd_create("file", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, contents[file], sizeof(contents[file])),
			 sizeof(contents[file]));
	if (owners[file])
		assert_int_equal(fchown(fd, owners[file], 0), 0);
	return fd;
}

/* Beyond the last file is another name of the first one. */
uint32_t mapped_files_first(const struct mapped_files *files, uint32_t file)
{
	assert_ptr_equal(files, contents);
	return file == NR_FILES ? 0 : file;
}

const char *mapped_files_path(const struct mapped_files *files, uint32_t file)
{
	assert_ptr_equal(files, contents);
	return !strcmp(contents[file], "vdso") ? "[vdso]" : "/lib.so";
}

int cfi_compile(int fd, struct cfi *out)
{
	char text[16];

	pthread_mutex_lock(&lock);
	while (held)
		pthread_cond_wait(&changed, &lock);
	nr_compiled++;
	compiler = syscall(SYS_gettid);
	compiler_opened = open("/dev/null", O_RDONLY) < 0 ? errno : 0;
	pthread_mutex_unlock(&lock);
	assert_true(pread(fd, text, sizeof(text), 0) > 0);
	if (!strcmp(text, "bad"))
		return -ENODATA;
	if (!strcmp(text, "text"))
		return -ENOEXEC;
	if (!strcmp(text, "worse"))
		return -EIO;
	*out = (struct cfi){ .table = strdup(text), .bytes = strlen(text) };
	return 0;
}

/* A table of "kept" may be in the cache. It is not found there before one was added to the list. */
void table_cache_find(int fd, struct table_cache_file *f)
{
	char text[16];

	*f = (struct table_cache_file){ .fd = -1 };
	assert_true(pread(fd, text, sizeof(text), 0) > 0);
	f->is_cacheable = !strcmp(text, "kept");
	if (f->is_cacheable)
		f->fd = dup(fd);
}

bool table_cache_read(const struct table_cache_file *f, const struct stat *st, struct cfi *out)
{
	assert_true(S_ISREG(st->st_mode));
	if (!is_read || !f->is_cacheable)
		return false;
	*out = (struct cfi){ .table = strdup("kept"), .bytes = 4 };
	return true;
}

bool new_table_make(const struct table_cache_file *f, int fd, const struct cfi *cfi,
		    struct new_table *new)
{
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	*new = (struct new_table){ .bytes = cfi->bytes };
	return f->is_cacheable;
}

void new_tables_add(struct new_tables *list, const struct new_table *new)
{
	list->nr++;
	list->bytes += new->bytes;
	nr_listed++;
}

/* All lists that were not empty are freed. */
void new_tables_fini(struct new_tables *list)
{
	nr_listed -= list->nr;
}

void cfi_fini(struct cfi *c)
{
	free(c->table);
}

int device_add_table(struct device *d, const void *table, uint32_t bytes, uint32_t *number)
{
	assert_ptr_equal(d, &nr_added);
	assert_int_equal(strlen(table), bytes);
	if (add_result)
		return add_result;
	*number = 100 + ++nr_added;
	return 0;
}

int device_drop_table(struct device *d, uint32_t number)
{
	assert_ptr_equal(d, &nr_added);
	dropped[nr_dropped++] = number;
	return 0;
}

int device_bind_table(struct device *d, uint32_t number, int fd, const struct timespec *ctime)
{
	struct stat st = { .st_ino = 0 };

	assert_ptr_equal(d, &nr_added);
	assert_int_equal(fd < 0, !strcmp(contents[7], "vdso"));
	assert_int_equal(fd < 0 ? 0 : fstat(fd, &st), 0);
	assert_memory_equal(&st.st_ctim, ctime, sizeof(*ctime));
	bound_number = number;
	nr_bound++;
	return 0;
}

static int count_open(void)
{
	int nr = 0;

	for (int fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static int setup(void **state)
{
	memset(contents, 0, sizeof(contents));
	memset(owners, 0, sizeof(owners));
	held = false;
	nr_compiled = 0;
	nr_added = 0;
	nr_dropped = 0;
	add_result = 0;
	nr_bound = 0;
	nr_listed = 0;
	is_read = false;
	nr_open = count_open();
	*state = unwind_tables_new((struct device *)&nr_added);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	unwind_tables_free(*state);
	assert_int_equal(count_open(), nr_open);
	assert_int_equal(nr_listed, 0);
	return 0;
}

static void hold(bool on)
{
	pthread_mutex_lock(&lock);
	held = on;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static int find(struct unwind_tables *t, uint32_t file, uint32_t *number)
{
	return unwind_tables_find(t, (const struct mapped_files *)contents, file, number);
}

/* Waits for it. */
static uint32_t number_of(struct unwind_tables *t, uint32_t file)
{
	uint32_t number;
	int err = find(t, file, &number);

	if (err == -EAGAIN) {
		unwind_tables_wait(t);
		err = find(t, file, &number);
	}
	assert_int_equal(err, 0);
	return number;
}

static bool has_news(struct unwind_tables *t)
{
	struct pollfd fd = { .fd = unwind_tables_fd(t), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static void test_compiled_once(void **state)
{
	uint32_t number;

	strcpy(contents[3], "aa");
	assert_int_equal(number_of(*state, 3), 101);
	assert_int_equal(find(*state, 3, &number), 0);
	assert_int_equal(number, 101);
	assert_int_equal(nr_compiled, 1);
}

static void test_pending_meanwhile(void **state)
{
	uint32_t number;

	strcpy(contents[1], "aa");
	hold(true);
	for (int i = 0; i < 3; i++)
		assert_int_equal(find(*state, 1, &number), -EAGAIN);
	assert_false(has_news(*state));
	hold(false);
	assert_int_equal(number_of(*state, 1), 101);
	assert_true(has_news(*state));
	unwind_tables_calm(*state);
	assert_false(has_news(*state));
	assert_int_equal(nr_compiled, 1);
}

static void test_another_name(void **state)
{
	strcpy(contents[0], "aa");
	assert_int_equal(number_of(*state, NR_FILES), 101);
	assert_int_equal(number_of(*state, 0), 101);
	assert_int_equal(nr_compiled, 1);
}

/* A file that was just made may still change: the ctime need not show it. */
static void test_bound_to_files(void **state)
{
	strcpy(contents[1], "old");
	strcpy(contents[2], "new");
	assert_int_equal(number_of(*state, 2), 101);
	assert_int_equal(nr_bound, 0);
	assert_int_equal(number_of(*state, 1), 102);
	assert_int_equal(nr_bound, 1);
	assert_int_equal(bound_number, 102);
	strcpy(contents[7], "vdso");
	assert_int_equal(number_of(*state, 7), 103);
	assert_int_equal(nr_bound, 2);
	assert_int_equal(bound_number, 103);
}

/* The file has a table, which the module has not. */
static void test_refused_is_not_bound(void **state)
{
	strcpy(contents[1], "old");
	add_result = -ENOSPC;
	assert_int_equal(number_of(*state, 1), 0);
	assert_int_equal(nr_bound, 0);
}

/* The module is given each table once, however many copies of a file there are. */
static void test_copies(void **state)
{
	strcpy(contents[1], "aa");
	strcpy(contents[2], "bb");
	strcpy(contents[3], "aa");
	strcpy(contents[4], "aab");
	assert_int_equal(number_of(*state, 1), 101);
	assert_int_equal(number_of(*state, 2), 102);
	assert_int_equal(number_of(*state, 3), 101);
	assert_int_equal(number_of(*state, 4), 103);
	assert_int_equal(nr_added, 3);
}

/* What one user has made never stands for what another one executes. */
static void test_of_other_users(void **state)
{
	if (geteuid())
		skip();
	for (uint32_t file = 1; file <= 4; file++) {
		strcpy(contents[file], "aa");
		owners[file] = 4242 * (file % 2);
	}
	assert_int_equal(number_of(*state, 1), 101);
	assert_int_equal(number_of(*state, 2), 102);
	assert_int_equal(number_of(*state, 3), 101);
	assert_int_equal(number_of(*state, 4), 102);
}

static void test_without_a_table(void **state)
{
	strcpy(contents[1], "text");
	strcpy(contents[2], "bad");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(number_of(*state, 1), 0);
		assert_int_equal(number_of(*state, 2), 0);
		assert_int_equal(number_of(*state, 9), 0);	/* can't be opened */
	}
	assert_int_equal(nr_compiled, 2);
	assert_int_equal(unwind_tables_nr_refused(*state), 0);
}

/* Without code there is nothing to tell of. */
static void test_bad_files(void **state)
{
	strcpy(contents[1], "bad");
	strcpy(contents[2], "worse");
	strcpy(contents[3], "text");
	strcpy(contents[4], "worse");
	assert_int_equal(number_of(*state, 1), 0);
	assert_int_equal(unwind_tables_bad(*state).nr, 0);
	for (uint32_t file = 2; file <= 4; file++)
		assert_int_equal(number_of(*state, file), 0);
	assert_int_equal(unwind_tables_bad(*state).nr, 3);
	assert_int_equal(unwind_tables_bad(*state).file, 2);
	assert_int_equal(unwind_tables_bad(*state).err, -EIO);
}

static void test_refused(void **state)
{
	strcpy(contents[1], "aa");
	strcpy(contents[2], "aa");
	add_result = -ENOSPC;
	assert_int_equal(number_of(*state, 1), 0);
	assert_int_equal(number_of(*state, 2), 0);
	assert_int_equal(unwind_tables_nr_refused(*state), 1);
}

static void keep_all_but(struct unwind_tables *t, uint32_t file)
{
	bool keep[NR_FILES];

	memset(keep, true, sizeof(keep));
	keep[file] = false;
	unwind_tables_keep(t, keep, NR_FILES);
}

/* A table is dropped with its last file. Its number stands for another file then. */
static void test_keep(void **state)
{
	strcpy(contents[1], "aa");
	strcpy(contents[2], "bb");
	strcpy(contents[3], "aa");
	for (uint32_t file = 1; file <= 3; file++)
		number_of(*state, file);
	keep_all_but(*state, 1);
	assert_int_equal(nr_dropped, 0);
	strcpy(contents[1], "cc");
	assert_int_equal(number_of(*state, 1), 103);
	keep_all_but(*state, 3);
	assert_int_equal(nr_dropped, 1);
	assert_int_equal(dropped[0], 101);
	assert_int_equal(number_of(*state, 2), 102);
	assert_int_equal(number_of(*state, 3), 104);
	assert_int_equal(nr_compiled, 5);
}

/* The module is asked again, when files were removed: there may be room now. */
static void test_keep_after_refusals(void **state)
{
	strcpy(contents[1], "aa");
	strcpy(contents[2], "aa");
	add_result = -ENOSPC;
	assert_int_equal(number_of(*state, 1), 0);
	keep_all_but(*state, 5);
	add_result = 0;
	assert_int_equal(number_of(*state, 1), 0);
	assert_int_equal(number_of(*state, 2), 101);
	assert_int_equal(nr_dropped, 0);
}

static void test_mark(void **state)
{
	bool marks[NR_FILES] = { false };
	uint32_t number;

	strcpy(contents[1], "aa");
	strcpy(contents[2], "worse");
	strcpy(contents[3], "bb");
	number_of(*state, 1);
	number_of(*state, 2);
	hold(true);
	assert_int_equal(find(*state, 3, &number), -EAGAIN);
	unwind_tables_mark(*state, marks, NR_FILES);
	hold(false);
	assert_true(!marks[0] && !marks[1] && marks[2] && marks[3] && !marks[4]);
	assert_int_equal(number_of(*state, 3), 102);
}

/* Many files are queued before the first one is compiled. */
static void test_many(void **state)
{
	uint32_t number;

	hold(true);
	for (uint32_t file = 0; file < NR_FILES; file++) {
		snprintf(contents[file], sizeof(contents[file]), "%u", file);
		assert_int_equal(find(*state, file, &number), -EAGAIN);
	}
	hold(false);
	unwind_tables_wait(*state);
	for (uint32_t file = 0; file < NR_FILES; file++)
		assert_int_equal(number_of(*state, file), 101 + file);
	assert_int_equal(nr_compiled, NR_FILES);
}

/* Freed in the midst of it: what waits is not compiled. */
static void test_freed_while_pending(void **state)
{
	struct unwind_tables *t = unwind_tables_new((struct device *)&nr_added);
	uint32_t number;

	(void)state;
	for (uint32_t file = 0; file < NR_FILES; file++)
		snprintf(contents[file], sizeof(contents[file]), "%u", file);
	for (uint32_t file = 0; file < NR_FILES; file++)
		find(t, file, &number);
	unwind_tables_free(t);
	assert_in_range(nr_compiled, 0, NR_FILES);
	unwind_tables_free(NULL);
}

/* What the cache has is not compiled, but the module gets it like any other table. */
static void test_cached(void **state)
{
	strcpy(contents[1], "kept");
	strcpy(contents[2], "kept");
	strcpy(contents[3], "other");
	is_read = true;
	assert_int_equal(number_of(*state, 1), 101);
	assert_int_equal(number_of(*state, 2), 101);
	assert_int_equal(nr_compiled, 0);
	assert_int_equal(number_of(*state, 3), 102);
	assert_int_equal(nr_compiled, 1);
	assert_int_equal(unwind_tables_take_new(*state).nr, 0);
}

/* Each table is taken once, also if the module refused it. A bad file has none. */
static void test_new_tables(void **state)
{
	struct new_tables new;

	strcpy(contents[1], "kept");
	strcpy(contents[2], "other");
	strcpy(contents[3], "bad");
	for (uint32_t file = 1; file <= 3; file++)
		number_of(*state, file);
	new = unwind_tables_take_new(*state);
	assert_int_equal(new.nr, 1);
	assert_int_equal(new.bytes, 4);
	new_tables_fini(&new);
	assert_int_equal(unwind_tables_take_new(*state).nr, 0);
	assert_int_equal(unwind_tables_take_new(NULL).nr, 0);
	add_result = -ENOSPC;
	strcpy(contents[4], "kept");
	number_of(*state, 4);
	assert_int_equal(nr_listed, 1);
}

/* The number behind `name` in the status of a thread. */
static uint64_t read_status(pid_t tid, const char *name, int base)
{
	char path[64], line[256];
	uint64_t value = UINT64_MAX;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, base);
	if (f)
		fclose(f);
	return value;
}

/* The owner of a file may try to take over the thread that compiles it. */
static void test_rights_of_the_thread(void **state)
{
	const uint64_t kept = CAPABILITIES_BIT(CAP_PERFMON) | CAPABILITIES_BIT(CAP_SYS_ADMIN);
	struct unwind_tables *t = *state;
	uint64_t own;
	uint32_t number;

	strcpy(contents[0], "a");
	assert_int_equal(find(t, 0, &number), -EAGAIN);
	unwind_tables_wait(t);
	assert_int_equal(compiler_opened, EPERM);
	assert_int_equal(read_status(compiler, "Seccomp:", 10), 2);
	assert_int_equal(read_status(getpid(), "Seccomp:", 10), 0);
	assert_int_equal(capabilities_get(&own), 0);
	assert_int_equal(read_status(compiler, "CapEff:", 16), own & kept);
	assert_int_equal(read_status(compiler, "CapPrm:", 16), own & kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rights_of_the_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_compiled_once, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pending_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bound_to_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_is_not_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_of_other_users, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_a_table, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep_after_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_freed_while_pending, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cached, setup, teardown),
		cmocka_unit_test_setup_teardown(test_new_tables, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
