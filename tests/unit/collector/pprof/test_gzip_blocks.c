// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/gzip_blocks.c collector/pprof/gzip_file.c
// libs: -lz -pthread -Wl,--wrap=pthread_create -Wl,--wrap=malloc,--wrap=calloc
// libs: -Wl,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "pprof/gzip_blocks.h"
#include "pprof/gzip_file.h"

#define MAX_BYTES	(5 * GZIP_BLOCKS_BYTES + 123)

static char path[40];
static uint8_t data[MAX_BYTES], back[MAX_BYTES + 1], packed[2][2 * MAX_BYTES];

static unsigned int nr_threads;
static bool no_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *ctx);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *ctx);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *ctx)
{
	if (no_threads)
		return EAGAIN;
	nr_threads++;
	return __real_pthread_create(thread, attr, run, ctx);
}

/* Each 20,000 bytes are a copy of those before: only a window across blocks makes them small. */
static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/test_gzip_blocks.XXXXXX");
	fd = mkstemp(path);
	srandom(1);
	for (size_t i = 0; i < MAX_BYTES; i++)
		data[i] = i < 20000 ? random() : data[i - 20000];
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

/* Has all of the data of write_file() been written? */
static bool is_whole = true;

/* Writes len bytes in parts. Returns: the result of gzip_blocks_close(), or -ENOMEM. */
static int write_file(const char *name, size_t len, size_t part)
{
	struct gzip_file *gz = gzip_file_open(name, GZIP_FILE_REPLACE | GZIP_FILE_PLAIN);
	struct gzip_blocks *g;
	FILE *out = gz ? gzip_blocks_open(&g, gz) : NULL;
	int err;

	for (size_t at = 0; out && at < len; at += part)
		fwrite(data + at, 1, len - at < part ? len - at : part, out);
	err = out ? gzip_blocks_close(g, out, is_whole) : -ENOMEM;
	if (err)
		gzip_file_abort(gz);
	return err ? err : gzip_file_commit(gz, NULL);
}

static size_t read_file(uint8_t *to, size_t room)
{
	FILE *in = fopen(path, "r");
	size_t len = fread(to, 1, room, in);

	fclose(in);
	return len;
}

static void check_content(size_t len)
{
	gzFile in = gzopen(path, "r");

	assert_int_equal(gzread(in, back, sizeof(back)), len);
	assert_int_equal(gzclose(in), Z_OK);
	assert_memory_equal(back, data, len);
}

static const size_t lengths[] = {
	0, 1, 20001, GZIP_BLOCKS_BYTES - 1, GZIP_BLOCKS_BYTES, GZIP_BLOCKS_BYTES + 1,
	2 * GZIP_BLOCKS_BYTES, 2 * GZIP_BLOCKS_BYTES + 1, 4 * GZIP_BLOCKS_BYTES, MAX_BYTES,
};

#define NR_LENGTHS	(sizeof(lengths) / sizeof(*lengths))

static void test_content_of_all_lengths(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		assert_int_equal(write_file(path, lengths[i], 10007), 0);
		check_content(lengths[i]);
	}
}

/* Readers must not take a profile for whole whose writer has failed. */
static void test_no_end(void **state)
{
	gzFile in;

	(void)state;
	is_whole = false;
	assert_int_equal(write_file(path, MAX_BYTES, 10007), 0);
	is_whole = true;
	in = gzopen(path, "r");
	assert_true(gzread(in, back, sizeof(back)) < (int)MAX_BYTES);
	assert_int_not_equal(gzclose(in), Z_OK);
}

/* Two blocks are deflated at the same time, and one alone needs no thread. */
static void test_the_number_of_threads(void **state)
{
	(void)state;
	nr_threads = 0;
	assert_int_equal(write_file(path, GZIP_BLOCKS_BYTES, 10007), 0);
	assert_int_equal(nr_threads, 0);
	assert_int_equal(write_file(path, MAX_BYTES, 10007), 0);
	assert_int_equal(nr_threads, 3);
}

static void test_equal_data_gives_equal_bytes(void **state)
{
	size_t len;

	(void)state;
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		assert_int_equal(write_file(path, lengths[i], 777), 0);
		len = read_file(packed[0], sizeof(packed[0]));
		no_threads = true;
		assert_int_equal(write_file(path, lengths[i], 1 << 20), 0);
		no_threads = false;
		assert_int_equal(read_file(packed[1], sizeof(packed[1])), len);
		assert_memory_equal(packed[0], packed[1], len);
		check_content(lengths[i]);
	}
}

/* One stream of zlib is the measure. */
static void test_blocks_refer_to_earlier_ones(void **state)
{
	gzFile out = gzopen(path, "w");
	size_t whole;

	(void)state;
	assert_int_equal(gzwrite(out, data, MAX_BYTES), MAX_BYTES);
	assert_int_equal(gzclose(out), Z_OK);
	whole = read_file(packed[0], sizeof(packed[0]));
	assert_int_equal(write_file(path, MAX_BYTES, 10007), 0);
	assert_in_range(read_file(packed[1], sizeof(packed[1])), 1, whole + whole / 50);
}

static void test_a_full_disk(void **state)
{
	(void)state;
	assert_int_equal(write_file("/dev/full", MAX_BYTES, 10007), -ENOSPC);
	assert_int_equal(write_file("/dev/full", 1, 1), -ENOSPC);
}

static void test_every_allocation_may_fail(void **state)
{
	int err = -ENOMEM;

	(void)state;
	for (long nr = 0; err == -ENOMEM; nr++) {
		allocations_left = nr;
		err = write_file(path, 1000, 1000);
		allocations_left = -1;
	}
	assert_int_equal(err, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_content_of_all_lengths),
		cmocka_unit_test(test_no_end),
		cmocka_unit_test(test_the_number_of_threads),
		cmocka_unit_test(test_equal_data_gives_equal_bytes),
		cmocka_unit_test(test_blocks_refer_to_earlier_ones),
		cmocka_unit_test(test_a_full_disk),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
