// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/window_messages.c
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "aggregate/named_code.h"
#include "aggregate/profile_types.h"
#include "run/window_messages.h"

#define MANY	3000

static struct {
	struct window_sender sender;
	int fd;			/* of the receiver */
	int nr_files, nr_names, nr_build_ids, nr_runs;
	struct named_code_run run;
	struct window_message_file file;
	uint64_t sum;		/* of all bytes of strings: the sanitizer sees each access */
} world;

static void add(const char *s)
{
	world.sum += s ? strlen(s) : 0;
}

static void take_file(void *ctx, const struct window_message_file *file)
{
	assert_ptr_equal(ctx, &world);
	assert_true(file->profile_type < PROFILE_TYPE_NR);
	add(file->comm);
	add(file->path);
	world.file = *file;
	world.nr_files++;
}

static void take_name(void *ctx, uint32_t id, const struct frame *lines, uint32_t nr)
{
	(void)ctx;
	(void)id;
	for (uint32_t i = 0; i < nr; i++) {
		add(lines[i].name);
		add(lines[i].system_name);
		add(lines[i].file);
	}
	world.nr_names++;
}

static void take_code(void *ctx, const struct named_code_run *run)
{
	take_name(ctx, run->file, run->lines, run->nr_lines);
	world.nr_names--;
	world.run = *run;
	world.nr_runs++;
}

static void take_build_id(void *ctx, uint32_t file, const char *build_id)
{
	(void)ctx;
	(void)file;
	add(build_id);
	world.nr_build_ids++;
}

static struct window_takers takers = {
	.file = take_file, .name = take_name, .code = take_code,
	.build_id = take_build_id, .ctx = &world,
};

static int setup(void **state)
{
	int fds[2];

	(void)state;
	memset(&world, 0, sizeof(world));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	world.sender.fd = fds[0];
	world.fd = fds[1];
	takers.name = take_name;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(world.sender.fd);
	close(world.fd);
	return 0;
}

static void receive(void)
{
	uint64_t message[WINDOW_MESSAGE_BYTES / 8];
	ssize_t nr;

	while ((nr = recv(world.fd, message, sizeof(message), MSG_DONTWAIT)) > 0)
		window_take_message(message, nr, &takers);
}

static const struct frame two[] = {
	{ .name = "f()", .system_name = "_Z1fv", .file = "a.cc", .line = 1, .column = 2,
	  .start_line = 3, .offset = 4 },
	{ .name = "main", .system_name = "main", .line = 5, .offset = FRAME_NO_OFFSET },
};

static void check_two(void *ctx, uint32_t id, const struct frame *lines, uint32_t nr)
{
	take_name(ctx, id, lines, nr);
	if (id == 8) {
		assert_int_equal(nr, 0);
		return;
	}
	assert_int_equal(id, 7);
	assert_int_equal(nr, 2);
	assert_string_equal(lines[0].name, "f()");
	assert_string_equal(lines[0].system_name, "_Z1fv");
	assert_string_equal(lines[0].file, "a.cc");
	assert_int_equal(lines[0].line * 100 + lines[0].column * 10 + lines[0].start_line, 123);
	assert_int_equal(lines[0].offset, 4);
	assert_string_equal(lines[1].name, "main");
	assert_null(lines[1].file);
	assert_int_equal(lines[1].offset, FRAME_NO_OFFSET);
}

static void test_all_records(void **state)
{
	struct window_message_file file = { .profile_type = PROFILE_TYPE_WALL, .pid = 12,
					    .comm = "nginx", .path = "w/x.pb.gz" };
	const struct named_code_run run = { 5, 2, 0x1000, 0x1010, two };

	(void)state;
	takers.name = check_two;
	window_send_name(&world.sender, 7, two, 2);
	window_send_name(&world.sender, 8, NULL, 0);
	window_send_build_id(&world.sender, 3, "0123456789");
	window_send_code(&world.sender, &run);
	receive();
	assert_int_equal(world.nr_names, 0);	/* nothing is sent yet */
	window_send_file(&world.sender, &file);
	receive();
	assert_int_equal(world.nr_names, 2);
	assert_int_equal(world.nr_build_ids, 1);
	assert_int_equal(world.nr_runs, 1);
	assert_int_equal(world.run.file, 5);
	assert_int_equal(world.run.nr_lines, 2);
	assert_int_equal(world.run.start, 0x1000);
	assert_int_equal(world.run.end, 0x1010);
	assert_int_equal(world.nr_files, 1);
	assert_memory_equal(&world.file, &file, sizeof(file));
	window_send(&world.sender);
	assert_int_equal(recv(world.fd, &file, sizeof(file), MSG_DONTWAIT), -1);
}

static void test_code_without_symbol(void **state)
{
	(void)state;
	window_send_code(&world.sender, &(struct named_code_run){ 5, 0, 0x1000, 0x1010, NULL });
	window_send(&world.sender);
	receive();
	assert_int_equal(world.nr_runs, 1);
	assert_int_equal(world.run.nr_lines, 0);
	assert_int_equal(world.run.end, 0x1010);
}

/* A full message is sent. A name that fits into none is left out, and the next one is there. */
static void test_many_names(void **state)
{
	char *name = malloc(WINDOW_MESSAGE_BYTES);
	struct frame long_one = { .system_name = "s", .offset = 1 };

	(void)state;
	for (int i = 0; i < MANY; i++) {
		window_send_name(&world.sender, 7, two, 2);
		if (i % 100 == 0)
			receive();
	}
	memset(name, 'x', WINDOW_MESSAGE_BYTES);
	name[WINDOW_MESSAGE_BYTES - 1] = 0;
	long_one.name = name;
	window_send_name(&world.sender, 9, &long_one, 1);
	window_send_build_id(&world.sender, 9, name);
	window_send_build_id(&world.sender, 9, "ab");
	window_send(&world.sender);
	receive();
	assert_int_equal(world.nr_names, MANY);
	assert_int_equal(world.nr_build_ids, 1);
	free(name);
}

/* A parent that is gone: no signal ends the child, which goes on. */
static void test_no_parent(void **state)
{
	const struct window_message_file file = { .path = "x" };

	(void)state;
	close(world.fd);
	window_send_file(&world.sender, &file);
	window_send_file(&world.sender, &file);
	assert_int_equal(world.sender.nr, 0);
	world.fd = dup(STDERR_FILENO);
}

/* Whatever a message holds, only what is in it is read. The copy has no byte too many. */
static void test_damaged_messages(void **state)
{
	const struct window_message_file file = { .comm = "a", .path = "b" };
	const struct named_code_run run = { 5, 2, 0x1000, 0x1010, two };
	static uint64_t message[WINDOW_MESSAGE_BYTES / 8];
	unsigned char *copy;
	ssize_t nr;

	(void)state;
	window_send_name(&world.sender, 7, two, 2);
	window_send_build_id(&world.sender, 3, "0123456789");
	window_send_code(&world.sender, &run);
	window_send_name(&world.sender, 7, two, 2);
	window_send_file(&world.sender, &file);
	nr = recv(world.fd, message, sizeof(message), 0);
	assert_true(nr > 0);
	srandom(1);
	for (int i = 0; i < 200000; i++) {
		size_t len = random() % 4 ? (size_t)nr : (size_t)(random() % (nr + 1));

		copy = malloc(len + 1);
		memcpy(copy, message, len);
		for (int n = random() % 4; len && n >= 0; n--)
			copy[random() % (random() % 2 && len > 200 ? 200 : len)] = random();
		window_take_message(copy, len, &takers);
		free(copy);
	}
	assert_true(world.sum > 0);
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_records),
		TEST(test_code_without_symbol),
		TEST(test_many_names),
		TEST(test_no_parent),
		TEST(test_damaged_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
