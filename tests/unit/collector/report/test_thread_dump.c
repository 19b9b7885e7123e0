// SPDX-License-Identifier: GPL-2.0
// sources: collector/report/thread_dump.c collector/device/sample_record.c
// sources: collector/device/thread_state.c collector/device/wait_class.c
// sources: collector/pprof/gzip_stream.c collector/pprof/gzip_file.c
// sources: collector/base/tuple_map.c collector/base/utf8.c collector/base/json.c
// libs: -lz -lxxhash -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
/* This file stands for locations.c: a location id is the index of an array. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail_alloc.h"
#include "folder.h"
#include "report/thread_dump.h"
#include "pprof/gzip_file.h"
#include "pprof/profile.h"

static const struct frame inlined[] = {
	{ .name = "inner", .file = "/src/in.h", .line = 3, .offset = 0x10 },
	{ .name = "outer", .file = "/src/a.c", .line = 40, .offset = 0x10 },
};

static const struct frame with_place = {
	.name = "work", .file = "/src/a.c", .line = 7, .offset = 5,
};

static const struct frame without_place = { .name = "read", .offset = 0x4e };

static const struct frame without_name = { .name = "libx.so", .offset = FRAME_NO_OFFSET };
static const struct frame no_code = { .name = "[truncated: too deep]", .offset = 0 };

enum { INLINED, WITH_PLACE, WITHOUT_PLACE, WITHOUT_NAME, NO_CODE };

static const struct location places[] = {
	[INLINED] = { 0x100, 0, true, 2, inlined },
	[WITH_PLACE] = { 0x200, 0, true, 1, &with_place },
	[WITHOUT_PLACE] = { 0x300, 0, true, 1, &without_place },
	[WITHOUT_NAME] = { 0x4abc, 0, false, 1, &without_name },
	[NO_CODE] = { 0, LOCATIONS_NO_MAPPING, false, 1, &no_code },
};

const struct location *locations_at(struct locations *l, size_t id)
{
	(void)l;
	return &places[id];
}

const struct locations_mapping *locations_mapping_at(const struct locations *l, size_t id)
{
	static const struct locations_mapping mapping = { .file = 9 };

	(void)l;
	assert_int_equal(id, 0);
	return &mapping;
}

#define LABELLED	9999	/* tid */

size_t labels_get_own(const struct label_sets *l, uint64_t id, struct profile_label *out)
{
	assert_null(l);
	if (!id)
		return 0;
	out[0] = (struct profile_label){ .key = "role", .str = "wri\"ter\n" };
	out[1] = (struct profile_label){ .key = "step", .str = "\xff" };
	return 2;
}

const char *mapped_files_path(const struct mapped_files *f, uint32_t file)
{
	(void)f;
	assert_int_equal(file, 9);
	return "/lib/libx.so";
}

static char text[65536];

static const char *write_out(struct thread_dump *d)
{
	const char *const comments[] = { "lost: 0", NULL };
	struct gzip_file *gz = gzip_file_open("out.txt", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	FILE *f;

	assert_non_null(gz);
	assert_int_equal(thread_dump_write(d, NULL, NULL, comments, gz), 0);
	assert_int_equal(gzip_file_commit(gz, NULL), 0);
	f = fopen("out.txt", "r");
	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	return text;
}

static int add_thread(struct thread_dump *d, uint32_t tid, const char *comm, uint64_t arg,
		      uint64_t ns, const uint64_t *ids, uint32_t nr)
{
	struct pprof_sample sample = {
		.ev = { .pid = 4, .tid = tid, .time_ns = 100 }, .arg = arg, .value = ns,
		.source = PPROF_SOURCE_THREAD,
	};

	strncpy((char *)sample.comm, comm, sizeof(sample.comm));
	return thread_dump_add(d, &sample, tid == LABELLED, ids, nr);
}

static int add_creation_in(struct thread_dump *d, uint32_t pid, uint32_t tid, uint32_t creator,
			   uint64_t time_ns, uint64_t place)
{
	struct pprof_sample sample = {
		.ev = { .pid = pid, .tid = creator, .time_ns = time_ns }, .arg = tid,
		.source = PPROF_SOURCE_THREADCREATE,
	};

	return thread_dump_add(d, &sample, 0, &place, 1);
}

static int add_creation(struct thread_dump *d, uint32_t tid, uint32_t creator, uint64_t time_ns,
			uint64_t place)
{
	return add_creation_in(d, 4, tid, creator, time_ns, place);
}

static void test_threads(void **state)
{
	const uint64_t first[] = { WITHOUT_PLACE, INLINED, WITH_PLACE };
	const uint64_t second[] = { WITHOUT_NAME, NO_CODE };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_int_equal(add_thread(d, 12, "b\tquiet one", SYS_futex, 300000000000, second, 2), 0);
	assert_int_equal(add_thread(d, 7, "abcdefghijklmno", PPROF_THREAD_RUNNING, 0, first, 3), 0);
	assert_string_equal(write_out(d),
			    "thread 7 \"abcdefghijklmno\" [running]:\n"
			    "read\n\t/lib/libx.so +0x4e\n"
			    "inner\n\t/src/in.h:3 +0x10\n"
			    "outer\n\t/src/a.c:40 +0x10\n"
			    "work\n\t/src/a.c:7 +0x5\n"
			    "\n"
			    "thread 12 \"b\\x09quiet one\" [futex_wait, 5 minutes]:\n"
			    "libx.so\n\t/lib/libx.so 0x4abc\n"
			    "[truncated: too deep]\n"
			    "\n"
			    "# lost: 0\n");
	thread_dump_free(d);
}

/* For 32-bit code no system call is known. */
static void test_thread_of_32_bit_code(void **state)
{
	const uint64_t cut[] = { NO_CODE };
	struct pprof_sample sample = {
		.ev = { .pid = 4, .tid = 8, .time_ns = 100 }, .arg = PPROF_NO_SYSCALL,
		.source = PPROF_SOURCE_THREAD, .end_reason = PPROF_END_COMPAT, .comm = "wine",
	};
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_int_equal(thread_dump_add(d, &sample, 0, cut, 1), 0);
	write_out(d);
	assert_non_null(strstr(text, "thread 8 \"wine\" [waiting]:\n"));
	thread_dump_free(d);
}

/* No label can close the bracket, or end the line. */
static void test_labels(void **state)
{
	const uint64_t leaf[] = { NO_CODE };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_int_equal(add_thread(d, LABELLED, "t", PPROF_THREAD_RUNNING, 0, leaf, 1), 0);
	assert_string_equal(write_out(d), "thread 9999 \"t\" [running] "
			    "{\"role\":\"wri\\\"ter\\u000a\", \"step\":\"\xef\xbf\xbd\"}:\n"
			    "[truncated: too deep]\n\n# lost: 0\n");
	thread_dump_free(d);
}

/* Tids are reused: the last creation is that of the sampled thread. */
static void test_creations(void **state)
{
	const uint64_t leaf[] = { WITHOUT_NAME };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	for (uint32_t tid = 4; tid <= 7; tid++)
		assert_int_equal(add_thread(d, tid, "t", PPROF_THREAD_RUNNABLE, 0, leaf, 1), 0);
	assert_int_equal(add_creation(d, 7, 4, 10, WITH_PLACE), 0);
	assert_int_equal(add_creation(d, 5, 4, 30, WITH_PLACE), 0);
	assert_int_equal(add_creation(d, 5, 3, 20, WITHOUT_PLACE), 0);
	assert_int_equal(add_creation(d, 3, 1, 40, WITHOUT_PLACE), 0);
	assert_int_equal(add_creation(d, 9, 1, 40, WITHOUT_PLACE), 0);
	assert_string_equal(write_out(d),
			    "thread 4 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n\n"
			    "thread 5 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n"
			    "created by thread 4:\nwork\n\t/src/a.c:7 +0x5\n\n"
			    "thread 6 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n\n"
			    "thread 7 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n"
			    "created by thread 4:\nwork\n\t/src/a.c:7 +0x5\n\n"
			    "# lost: 0\n");
	thread_dump_free(d);
}

/* A creation in another process, or after the sample, is that of another thread. */
static void test_creations_of_others(void **state)
{
	const uint64_t leaf[] = { WITHOUT_NAME };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_int_equal(add_thread(d, 5, "t", PPROF_THREAD_RUNNABLE, 0, leaf, 1), 0);
	assert_int_equal(add_thread(d, 6, "t", PPROF_THREAD_RUNNABLE, 0, leaf, 1), 0);
	assert_int_equal(add_creation_in(d, 3, 5, 3, 20, WITH_PLACE), 0);
	assert_int_equal(add_creation(d, 6, 4, 101, WITH_PLACE), 0);
	assert_string_equal(write_out(d),
			    "thread 5 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n\n"
			    "thread 6 \"t\" [runnable]:\nlibx.so\n\t/lib/libx.so 0x4abc\n\n"
			    "# lost: 0\n");
	thread_dump_free(d);
}

static void test_hostile_name(void **state)
{
	const uint64_t leaf[] = { NO_CODE };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_int_equal(add_thread(d, 4, "x\" [running]:\n", SYS_read, 0, leaf, 1), 0);
	assert_string_equal(write_out(d),
			    "thread 4 \"x\\\" [running]:\\x0a\" [read]:\n[truncated: too deep]\n\n"
			    "# lost: 0\n");
	thread_dump_free(d);
}

/* Only the last creation of a tid is kept. */
static void test_many_creations(void **state)
{
	const uint64_t leaf[] = { WITHOUT_NAME };
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(add_creation(d, 10 + i % 5000, i, 1 + i / 5000, WITH_PLACE), 0);
	assert_int_equal(add_thread(d, 10, "t", PPROF_THREAD_RUNNABLE, 0, leaf, 1), 0);
	assert_non_null(strstr(write_out(d), "created by thread 95000:\n"));
	thread_dump_free(d);
}

static void test_nobody(void **state)
{
	struct thread_dump *d = thread_dump_new(NULL);

	(void)state;
	assert_string_equal(write_out(d), "# lost: 0\n");
	thread_dump_free(d);
	thread_dump_free(NULL);
}

static void test_no_memory(void **state)
{
	const uint64_t leaf[] = { WITHOUT_NAME };
	struct thread_dump *d;
	int err = -ENOMEM;

	(void)state;
	for (long nr = 0; err; nr++) {
		allocations_left = nr;
		d = thread_dump_new(NULL);
		err = d ? add_thread(d, 4, "t", 0, 0, leaf, 1) : -ENOMEM;
		if (!err)
			err = add_creation(d, 4, 1, 1, WITH_PLACE);
		allocations_left = -1;
		assert_true(!err || err == -ENOMEM);
		thread_dump_free(d);
	}
}

static void test_full_disk(void **state)
{
	const char *const comments[] = { "lost: 0", NULL };
	struct gzip_file *gz = gzip_file_open("/dev/full", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	struct thread_dump *d = thread_dump_new(NULL);
	const uint64_t leaf[] = { INLINED };

	(void)state;
	assert_non_null(gz);
	for (uint32_t tid = 1; tid < 5000; tid++)
		assert_int_equal(add_thread(d, tid, "t", 0, 0, leaf, 1), 0);
	assert_int_equal(thread_dump_write(d, NULL, NULL, comments, gz), -ENOSPC);
	gzip_file_abort(gz);
	thread_dump_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_thread_of_32_bit_code),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_creations),
		cmocka_unit_test(test_creations_of_others),
		cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_many_creations),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
