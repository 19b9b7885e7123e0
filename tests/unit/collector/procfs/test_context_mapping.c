// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/context_mapping.c collector/procfs/procfs.c
// sources: collector/procfs/live_thread.c collector/procfs/maps.c
// includes: tests/programs/otel_publish.h
// libs: -Wl,--wrap=pread,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "folder.h"
#include "procfs/context_mapping.h"
#include "tests/programs/otel_publish.h"

static const struct otel_message hello = { "hello", 5 };

ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);

/* Called before each read of memory. NULL: not called. */
static void (*before_read)(int nr);
static int nr_reads;

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at)
{
	nr_reads++;
	if (before_read)
		before_read(nr_reads);
	return __real_pread(fd, to, bytes, at);
}

static struct otel_header *header;

static int setup(void **state)
{
	(void)state;
	before_read = NULL;
	nr_reads = 0;
	header = otel_map(true);
	if (!header)
		return -1;
	otel_update(header, &hello, 1000);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return munmap(header, OTEL_BYTES);
}

/* Reads the context of this process, and expects the text. */
static void expect(struct context_mapping *m, const char *text)
{
	struct context_payload payload;

	assert_int_equal(context_mapping_read(getpid(), m, &payload), 1);
	assert_int_equal(payload.bytes, strlen(text));
	assert_memory_equal(payload.data, text, payload.bytes);
	free(payload.data);
}

/* Reads this process, and expects no payload. */
static void expect_none(struct context_mapping *m, int result)
{
	struct context_payload payload;

	assert_int_equal(context_mapping_read(getpid(), m, &payload), result);
}

static void test_read(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	expect(&m, "hello");
	assert_int_equal(m.header, (uintptr_t)header);
	nr_reads = 0;
	expect_none(&m, 0);
	assert_int_equal(nr_reads, 1);
}

static void test_update(void **state)
{
	const struct otel_message longer = { "hello again", 11 };
	struct context_mapping m = { 0 };

	(void)state;
	expect(&m, "hello");
	otel_update(header, &longer, 1001);
	expect(&m, "hello again");
	expect_none(&m, 0);
}

static void test_being_changed(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	header->published_at = 0;
	expect_none(&m, -EAGAIN);
	header->published_at = 1000;
	expect(&m, "hello");
}

/* The second read is that of the header before the payload, the third that of the payload. */
static void update_between(int nr)
{
	const struct otel_message longer = { "longer", 6 };

	if (nr == 3)
		otel_update(header, &longer, 2000);
}

static void test_torn(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	before_read = update_between;
	expect(&m, "longer");
	assert_int_equal(m.published_at, 2000);
}

static void update_always(int nr)
{
	otel_update(header, &hello, 3000 + nr);
}

static void test_torn_every_time(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	before_read = update_always;
	expect_none(&m, -EAGAIN);
	before_read = NULL;
	expect(&m, "hello");
}

static void test_bad_headers(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	header->version = 1;
	expect_none(&m, -ENOENT);
	header->version = 3;
	expect_none(&m, -ENOENT);
	header->version = 2;
	header->signature[7] = 'Y';
	expect_none(&m, -ENOENT);
}

static void test_sizes(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	header->payload_bytes = CONTEXT_MAPPING_MAX_BYTES + 1;
	expect_none(&m, -E2BIG);
	header->payload_bytes = UINT32_MAX;
	expect_none(&m, -E2BIG);
	header->payload_bytes = OTEL_BYTES - sizeof(*header) + 1;
	expect_none(&m, -EACCES);
	header->payload_bytes = 0;
	header->payload = 0;
	expect(&m, "");
}

static void test_payload_at_bad_addresses(void **state)
{
	const uint64_t addresses[] = {
		0, 1, (uintptr_t)header - 1, UINT64_MAX, 0xffffffff80000000, 0x800000000000,
	};
	struct context_mapping m = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		header->payload = addresses[i];
		expect_none(&m, -EACCES);
	}
}

static void test_payload_elsewhere(void **state)
{
	struct context_mapping m = { 0 };
	char *text = strdup("heap");

	(void)state;
	header->payload = (uintptr_t)text;
	header->payload_bytes = 4;
	expect(&m, "heap");
	free(text);
}

/* A file could be one of a FUSE server that never answers. */
static void test_payload_in_a_file(void **state)
{
	struct context_mapping m = { 0 };
	int fd = open("payload", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *at;

	(void)state;
	assert_true(fd >= 0 && !ftruncate(fd, OTEL_BYTES));
	at = mmap(NULL, OTEL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	header->payload = (uintptr_t)at;
	expect_none(&m, -EACCES);
	munmap(at, OTEL_BYTES);
	close(fd);
}

static void test_another_address(void **state)
{
	struct otel_header *other = otel_map(true);
	const struct otel_message text = { "other", 5 };
	struct context_mapping m = { 0 };

	(void)state;
	assert_non_null(other);
	expect(&m, "hello");
	header->version = 0;
	otel_update(other, &text, 1001);
	expect_none(&m, -ENOENT);	/* the known address is read first */
	expect(&m, "other");
	munmap(other, OTEL_BYTES);
	expect_none(&m, -ENOENT);
	assert_int_equal(m.header, 0);
}

static void test_two_contexts(void **state)
{
	struct otel_header *other = otel_map(true);
	struct context_mapping m = { 0 };

	(void)state;
	assert_non_null(other);
	otel_update(other, &hello, 1000);
	expect_none(&m, -ENOENT);
	munmap(other, OTEL_BYTES);
	expect(&m, "hello");
}

/* A kernel without CONFIG_ANON_VMA_NAME does not name the memory. */
static void test_anonymous(void **state)
{
	const struct otel_message text = { "anonymous", 9 };
	struct context_mapping m = { 0 };
	struct otel_header *other;

	(void)state;
	munmap(header, OTEL_BYTES);
	other = otel_map(false);
	assert_non_null(other);
	otel_update(other, &text, 1);
	if (!prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, other, OTEL_BYTES, "OTEL_CTX"))
		expect(&m, "anonymous");
	else
		expect_none(&m, -ENOENT);
	munmap(other, OTEL_BYTES);
	header = otel_map(true);
}

static void test_a_child_has_none(void **state)
{
	struct context_mapping m = { 0 };
	struct context_payload payload;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(context_mapping_read(pid, &m, &payload), -ENOENT);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(context_mapping_read(pid, &m, &payload), -ENOENT);
}

static void test_without_memory(void **state)
{
	struct context_mapping m = { 0 };

	(void)state;
	expect(&m, "hello");
	header->published_at = 7;
	/* Room for the lines of maps comes first. */
	for (int i = 0, result = -1; result < 1; i++) {
		struct context_payload payload;

		assert_true(i < 20);
		allocations_left = i;
		result = context_mapping_read(getpid(), &m, &payload);
		allocations_left = -1;
		if (result > 0)
			free(payload.data);
		else
			assert_true(result == -ENOMEM || result == -EACCES);
	}
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_read),
		WITH_SETUP(test_update),
		WITH_SETUP(test_being_changed),
		WITH_SETUP(test_torn),
		WITH_SETUP(test_torn_every_time),
		WITH_SETUP(test_bad_headers),
		WITH_SETUP(test_sizes),
		WITH_SETUP(test_payload_at_bad_addresses),
		WITH_SETUP(test_payload_elsewhere),
		WITH_SETUP(test_payload_in_a_file),
		WITH_SETUP(test_another_address),
		WITH_SETUP(test_two_contexts),
		WITH_SETUP(test_anonymous),
		WITH_SETUP(test_a_child_has_none),
		WITH_SETUP(test_without_memory),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
