// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/output_files.c collector/pprof/gzip_file.c
// sources: collector/aggregate/profile_types.c
// libs: -lz -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <dirent.h>
#include <sys/stat.h>

#include "capture.h"
#include "session/settings.h"
#include "fail_alloc.h"
#include "folder.h"
#include "pprof/gzip_file.h"
#include "report/output_files.h"

#define BOTH	(1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_THREADCREATE)

static struct settings both = { .profile_types = BOTH };

/* Removes all files in the folder. Returns their number. */
static int empty_folder(void)
{
	const struct dirent *entry;
	DIR *dir = opendir(".");
	int nr = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' || entry->d_name[1])
			nr += !unlink(entry->d_name);
	closedir(dir);
	return nr;
}

static int setup(void **state)
{
	(void)state;
	empty_folder();
	return 0;
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void test_default_names(void **state)
{
	struct output_files o;

	(void)state;
	assert_int_equal(output_files_open(&o, &both, "nginx", 1234), 0);
	assert_non_null(o.gz[PROFILE_TYPE_CPU]);
	assert_false(exists("pprof.nginx.1234.cpu.pb.gz"));
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_CPU), 0);
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_THREADCREATE), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.nginx.1234.cpu.pb.gz");
	assert_string_equal(o.path[PROFILE_TYPE_THREADCREATE],
			    "pprof.nginx.1234.threadcreate.pb.gz");
	assert_true(exists(o.path[PROFILE_TYPE_CPU]));
	assert_true(exists(o.path[PROFILE_TYPE_THREADCREATE]));
	output_files_fini(&o);
	assert_int_equal(empty_folder(), 2);
}

static void test_text_names(void **state)
{
	struct settings config = { .profile_types = BOTH, .debug = 2 };
	struct output_files o;
	char text[8];
	FILE *f;

	(void)state;
	assert_int_equal(output_files_open(&o, &config, "nginx", 1234), 0);
	assert_int_equal(gzip_file_write(o.gz[PROFILE_TYPE_CPU], "plain", 5), 0);
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_CPU), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.nginx.1234.cpu.txt");
	f = fopen(o.path[PROFILE_TYPE_CPU], "r");
	assert_non_null(f);
	assert_string_equal(fgets(text, sizeof(text), f), "plain");
	fclose(f);
	output_files_fini(&o);
	config.profile_types = 1U << PROFILE_TYPE_CPU;
	assert_int_equal(output_files_open(&o, &config, NULL, 0), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.all.cpu.txt");
	output_files_fini(&o);
}

static void test_custom_names(void **state)
{
	struct settings config = { .profile_types = 1U << PROFILE_TYPE_CUSTOM,
				   .custom = "net/http.conns" };
	struct output_files o;

	(void)state;
	assert_int_equal(output_files_open(&o, &config, "nginx", 1234), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CUSTOM], "pprof.nginx.1234.net_http_conns.pb.gz");
	output_files_fini(&o);
}

static void test_names_without_a_process(void **state)
{
	struct settings config = { .profile_types = 1U << PROFILE_TYPE_CPU };
	struct output_files o;

	(void)state;
	assert_int_equal(output_files_open(&o, &config, NULL, 0), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.all.cpu.pb.gz");
	assert_null(o.gz[PROFILE_TYPE_THREADCREATE]);
	assert_null(o.path[PROFILE_TYPE_THREADCREATE]);
	output_files_fini(&o);
	assert_int_equal(output_files_open(&o, &config, "nginx.service", 0), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.nginx_service.cpu.pb.gz");
	output_files_fini(&o);
}

/* A thread name may hold any bytes. The file name has only characters that no shell expands. */
static void test_odd_comms(void **state)
{
	static const char *const comms[][2] = {
		{ "../../etc", "______etc" }, { "a b\"c", "a_b_c" }, { "\xff\n$(id)", "____id_" },
		{ "Az09+-_:", "Az09+-_:" }, { "", "" }, { "kworker/0:1", "kworker_0:1" },
	};
	char want[64];
	struct output_files o;

	(void)state;
	for (size_t i = 0; i < sizeof(comms) / sizeof(*comms); i++) {
		assert_int_equal(output_files_open(&o, &both, comms[i][0], 1), 0);
		snprintf(want, sizeof(want), "pprof.%s.1.cpu.pb.gz", comms[i][1]);
		assert_string_equal(o.path[PROFILE_TYPE_CPU], want);
		output_files_fini(&o);
	}
}

static void test_no_file_is_overwritten(void **state)
{
	struct output_files o;

	(void)state;
	write_file("pprof.a.1.cpu.pb.gz", "mine");
	assert_int_equal(output_files_open(&o, &both, "a", 1), 0);
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_CPU), 0);
	assert_string_equal(o.path[PROFILE_TYPE_CPU], "pprof.a.1.cpu.001.pb.gz");
	output_files_fini(&o);
	assert_int_equal(empty_folder(), 2);
}

static void test_a_given_name_is_replaced(void **state)
{
	struct settings config = { .profile_types = 1U << PROFILE_TYPE_THREADCREATE,
				   .output = "mine" };
	struct output_files o;
	struct stat st;

	(void)state;
	write_file("mine", "");
	assert_int_equal(output_files_open(&o, &config, "a", 1), 0);
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_THREADCREATE), 0);
	assert_string_equal(o.path[PROFILE_TYPE_THREADCREATE], "mine");
	output_files_fini(&o);
	assert_int_equal(stat("mine", &st), 0);
	assert_true(st.st_size > 0);
	assert_int_equal(empty_folder(), 1);
}

static void test_files_without_a_commit_are_removed(void **state)
{
	struct output_files o;

	(void)state;
	assert_int_equal(output_files_open(&o, &both, "a", 1), 0);
	assert_int_equal(gzip_file_write(o.gz[PROFILE_TYPE_CPU], "half", 4), 0);
	output_files_fini(&o);
	assert_null(o.gz[PROFILE_TYPE_CPU]);
	assert_int_equal(empty_folder(), 0);
	output_files_fini(&o);
}

static void test_no_such_folder(void **state)
{
	struct settings config = {
		.profile_types = 1U << PROFILE_TYPE_CPU, .output = "no/such/file",
	};
	struct capture out;
	struct output_files o;

	(void)state;
	capture_begin(&out, STDERR_FILENO);
	assert_int_equal(output_files_open(&o, &config, "a", 1), -1);
	assert_sentence(capture_end(&out), "no/such/file: No such file or directory: give another");
	assert_null(o.gz[PROFILE_TYPE_CPU]);
	assert_null(o.path[PROFILE_TYPE_CPU]);
}

/* The graph is opened with the profiles, and its folder stays writable. */
static void test_flame(void **state)
{
	struct settings config = { .profile_types = 1U << PROFILE_TYPE_CPU, .flame = "x.svg" };
	int folders[OUTPUT_FILES_MAX];
	struct output_files o;
	struct capture c;

	(void)state;
	assert_int_equal(output_files_open(&o, &config, "nginx", 1), 0);
	assert_non_null(o.flame);
	assert_int_equal(output_files_open_folders(&o, folders), 2);
	assert_true(folders[1] >= 0);
	close(folders[0]);
	close(folders[1]);
	output_files_fini(&o);
	assert_int_equal(empty_folder(), 0);
	config.flame = "nowhere/x.svg";
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(output_files_open(&o, &config, "nginx", 1), -1);
	assert_sentence(capture_end(&c), "cannot write nowhere/x.svg: ");
	assert_int_equal(empty_folder(), 0);
}

static void test_full_disk(void **state)
{
	struct settings config = {
		.profile_types = 1U << PROFILE_TYPE_CPU, .output = "/dev/full",
	};
	struct capture out;
	struct output_files o;

	(void)state;
	assert_int_equal(output_files_open(&o, &config, "a", 1), 0);
	capture_begin(&out, STDERR_FILENO);
	assert_int_equal(output_files_commit(&o, PROFILE_TYPE_CPU), -1);
	assert_sentence(capture_end(&out), "cannot write /dev/full: the disk is full");
	assert_null(o.gz[PROFILE_TYPE_CPU]);
	output_files_fini(&o);
}

static void test_all_names_taken(void **state)
{
	struct capture out;
	struct output_files o;
	char name[64];

	(void)state;
	write_file("pprof.a.1.cpu.pb.gz", "");
	for (int i = 1; i <= 999; i++) {
		snprintf(name, sizeof(name), "pprof.a.1.cpu.%03d.pb.gz", i);
		write_file(name, "");
	}
	capture_begin(&out, STDERR_FILENO);
	if (!output_files_open(&o, &both, "a", 1))
		assert_int_equal(output_files_commit(&o, PROFILE_TYPE_CPU), 0);
	assert_sentence(capture_end(&out), "all its names up to .999");
	assert_int_equal(access(o.path[PROFILE_TYPE_CPU], F_OK), 0);
	assert_non_null(strstr(o.path[PROFILE_TYPE_CPU], ".pprof."));
	output_files_fini(&o);
	assert_int_equal(empty_folder(), 1001);
}

static void test_error_messages(void **state)
{
	static const struct {
		int err;
		const char *want;
	} cases[] = {
		{ -ENOSPC, "disk is full" }, { -EDQUOT, "disk is full" },
		{ -EACCES, "Permission denied" }, { -EROFS, "Read-only" },
		{ -EISNAM, "another user's FIFO" },
	};
	struct capture out;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		capture_begin(&out, STDERR_FILENO);
		output_files_print_error("some/file", "--output", cases[i].err);
		assert_sentence(capture_end(&out), cases[i].want);
		assert_non_null(strstr(out.text, "cannot write some/file: "));
	}
}

/* If the second output cannot be opened, the first one is removed. */
static void test_every_allocation_may_fail(void **state)
{
	struct capture out;
	struct output_files o;
	int err = -1;

	(void)state;
	for (long n = 0; err; n++) {
		capture_begin(&out, STDERR_FILENO);
		allocations_left = n;
		err = output_files_open(&o, &both, "a", 1);
		allocations_left = -1;
		capture_end(&out);
		if (err)
			assert_sentence(out.text, "emory");
		assert_true(!err || (!o.gz[PROFILE_TYPE_CPU] && !o.path[PROFILE_TYPE_CPU]));
	}
	output_files_fini(&o);
	assert_int_equal(empty_folder(), 0);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_default_names),
		WITH_SETUP(test_text_names),
		WITH_SETUP(test_custom_names),
		WITH_SETUP(test_names_without_a_process),
		WITH_SETUP(test_odd_comms),
		WITH_SETUP(test_no_file_is_overwritten),
		WITH_SETUP(test_a_given_name_is_replaced),
		WITH_SETUP(test_files_without_a_commit_are_removed),
		WITH_SETUP(test_no_such_folder),
		WITH_SETUP(test_flame),
		WITH_SETUP(test_full_disk),
		WITH_SETUP(test_all_names_taken),
		WITH_SETUP(test_error_messages),
		WITH_SETUP(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
