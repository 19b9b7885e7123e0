// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/profile_input.c collector/pprof/profile_fault.c
// sources: collector/pprof/profile_source.c collector/pprof/read_ahead.c
// sources: collector/pprof/gzip_member.c
// libs: -lz -lisal
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <zlib.h>

#include "pprof/profile_fault.h"
#include "pprof/profile_input.h"

#define DATA_BYTES	((size_t)3 << 20)
#define MEMBER_BYTES	((size_t)1 << 20)

static uint8_t *data, *gz;
static size_t gz_len;
static struct profile_fault fault;
static char path[32];

static size_t compress_member(uint8_t *to, const uint8_t *from, size_t len)
{
	z_stream z = { 0 };
	size_t written;

	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	z.next_in = (uint8_t *)from;
	z.avail_in = len;
	z.next_out = to;
	z.avail_out = 2 * DATA_BYTES;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	written = z.total_out;
	deflateEnd(&z);
	return written;
}

/* Three members and an empty one. */
static int make_data(void **state)
{
	uint32_t noise = 1;

	(void)state;
	data = malloc(DATA_BYTES);
	gz = malloc(4 * DATA_BYTES);
	for (size_t i = 0; i < DATA_BYTES; i++) {
		noise = noise * 1664525 + 1013904223;
		data[i] = noise >> 28;
	}
	for (size_t at = 0; at < DATA_BYTES; at += MEMBER_BYTES)
		gz_len += compress_member(gz + gz_len, data + at, MEMBER_BYTES);
	gz_len += compress_member(gz + gz_len, data, 0);
	strcpy(path, "/tmp/test_profile_input.XXXXXX");
	return close(mkstemp(path));
}

static int remove_data(void **state)
{
	(void)state;
	free(data);
	free(gz);
	return unlink(path);
}

static void write_file(const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/*
 * Reads pieces of many sizes, and after the end of the window: ASan would find that this memory
 * does not exist. Returns: the error, or the number of bytes that were equal.
 */
static int64_t compare(struct profile_input *in)
{
	uint8_t after[PROFILE_INPUT_AFTER];
	size_t want = 1, len;
	int64_t done = 0;
	int err;

	for (;; want = want * 3 % 700001 + 1) {
		err = profile_input_fill(in, want);
		if (err)
			return err;
		memcpy(after, in->end, sizeof(after));
		len = in->end - in->at;
		if (!len)
			return done;
		if (len > want)
			len = want;
		assert_int_equal(profile_input_offset(in, in->at), done);
		assert_true(done + len <= DATA_BYTES);
		assert_memory_equal(in->at, data + done, len);
		in->at += len;
		done += len;
	}
}

static int64_t compare_file(uint64_t max_bytes)
{
	struct profile_input in;
	int64_t result = profile_input_open(&in, path, max_bytes, &fault);

	if (!result)
		result = compare(&in);
	profile_input_close(&in);
	return result;
}

static void test_members_are_one_stream(void **state)
{
	struct profile_input in;

	(void)state;
	write_file(gz, gz_len);
	assert_int_equal(compare_file(DATA_BYTES), DATA_BYTES);
	assert_int_equal(profile_input_open_memory(&in, gz, gz_len, DATA_BYTES, &fault), 0);
	assert_int_equal(compare(&in), DATA_BYTES);
	profile_input_close(&in);
}

static void test_plain_data(void **state)
{
	(void)state;
	data[0] = 0x1f;
	write_file(data, DATA_BYTES);
	assert_int_equal(compare_file(DATA_BYTES), DATA_BYTES);
	write_file(data, 1);
	assert_int_equal(compare_file(DATA_BYTES), 1);
	write_file(data, 0);
	assert_int_equal(compare_file(DATA_BYTES), 0);
}

/* A pipe gives one byte at first. */
static void test_a_pipe(void **state)
{
	int fds[2], saved = dup(STDIN_FILENO);
	struct profile_input in;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	if (!fork()) {
		(void)!write(fds[1], gz, 1);
		for (size_t at = 1; at < gz_len; at += 4096)
			(void)!write(fds[1], gz + at, gz_len - at < 4096 ? gz_len - at : 4096);
		_exit(0);
	}
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	assert_int_equal(profile_input_open(&in, "-", DATA_BYTES, &fault), 0);
	assert_int_equal(profile_input_skip(&in, DATA_BYTES - 5), 0);
	assert_int_equal(profile_input_fill(&in, 100), 0);
	assert_int_equal(in.end - in.at, 5);
	assert_memory_equal(in.at, data + DATA_BYTES - 5, 5);
	profile_input_close(&in);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fds[0]);
}

/* The offset is that in the file. */
static void assert_fault(const char *text, uint64_t offset)
{
	assert_int_equal(compare_file(DATA_BYTES), -EBADMSG);
	if (!strstr(fault.text, text))
		fail_msg("%s", fault.text);
	assert_int_equal(fault.offset, offset);
}

static void test_faults(void **state)
{
	(void)state;
	write_file(gz, gz_len - 1);
	assert_fault("its end too early", gz_len - 1);
	write_file(gz, 2);
	assert_fault("its end too early", 2);
	gz[gz_len] = 0;
	write_file(gz, gz_len + 1);
	assert_fault("other bytes after its end", gz_len);
	gz[gz_len - 8] ^= 1;	/* the check sum */
	write_file(gz, gz_len);
	assert_fault("incorrect data check", gz_len);
	gz[gz_len - 8] ^= 1;
	write_file(gz, gz_len);
	assert_int_equal(compare_file(DATA_BYTES - 1), -EBADMSG);
	assert_non_null(strstr(fault.text, "at most 3145727 bytes"));
	assert_int_equal(profile_input_open(&(struct profile_input){ 0 }, "", 1,
					    &fault), -ENOENT);
	assert_non_null(strstr(fault.text, "No such file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_are_one_stream),
		cmocka_unit_test(test_a_pipe),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_plain_data),
	};

	return cmocka_run_group_tests(tests, make_data, remove_data);
}
