// SPDX-License-Identifier: GPL-2.0
// sources: collector/run/profile_report.c collector/run/terminal_text.c collector/base/utf8.c
/* The summary and the graph are played by this file. */
#include <errno.h>
#include <sys/socket.h>

#include "capture.h"
#include "pprof/gzip_file.h"
#include "pprof/gzip_stream.h"
#include "pprof/model.h"
#include "report/summary.h"
#include "run/flame_file.h"
#include "run/profile_report.h"

/* More than a buffer of stdio or a page holds. */
#define NR_LINES	1000
#define LINE		"     10ms 10.00% a_function\n"

static struct {
	int fail_summary, fail_draw, fail_close, fail_commit;
	bool is_aborted, is_committed;
} world;

int summary_print(FILE *out, const struct summary_input *in)
{
	assert_string_equal(in->file, "x");
	for (size_t i = 0; i < NR_LINES; i++)
		for (const char *c = LINE; *c; c++)
			putc(*c, out);
	return world.fail_summary;
}

int model_default_sample_type(const struct model *m)
{
	assert_ptr_equal(m, &world);
	return 3;
}

FILE *gzip_stream_open(struct gzip_stream *s, struct gzip_file *gz)
{
	(void)s;
	assert_ptr_equal(gz, &world);
	return stdout;
}

int gzip_stream_close(struct gzip_stream *s, FILE *out)
{
	(void)s;
	assert_ptr_equal(out, stdout);
	return world.fail_close;
}

int flame_file_write(FILE *out, const struct model *m, uint32_t type, const char *path,
		     char *const *files, size_t nr_files)
{
	assert_ptr_equal(out, stdout);
	assert_ptr_equal(m, &world);
	assert_int_equal(type, 3);
	assert_string_equal(path, "x.html");
	assert_string_equal(files[0], "x.pb.gz");
	assert_int_equal(nr_files, 1);
	return world.fail_draw;
}

void gzip_file_abort(struct gzip_file *gz)
{
	assert_ptr_equal(gz, &world);
	world.is_aborted = true;
}

int gzip_file_commit(struct gzip_file *gz, char **name)
{
	assert_ptr_equal(gz, &world);
	assert_null(name);
	world.is_committed = true;
	return world.fail_commit;
}

static int begin(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	return 0;
}

/*
 * Two runs may end at once on one terminal, and must not mix their lines. A message of the socket
 * is one write.
 */
static void test_a_summary_is_one_write(void **state)
{
	const size_t len = NR_LINES * strlen(LINE);
	int ends[2], saved = dup(STDERR_FILENO), err;
	char *text = malloc(len + 1);

	(void)state;
	assert_non_null(text);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	assert_int_equal(dup2(ends[0], STDERR_FILENO), STDERR_FILENO);
	err = profile_report_print(&(struct summary_input){ .file = "x" });
	dup2(saved, STDERR_FILENO);
	assert_int_equal(err, 0);
	assert_int_equal(recv(ends[1], text, len + 1, MSG_DONTWAIT | MSG_TRUNC), len);
	assert_memory_equal(text, LINE LINE, 2 * strlen(LINE));
	assert_int_equal(recv(ends[1], text, len + 1, MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
	free(text);
	close(ends[0]);
	close(ends[1]);
	close(saved);
}

static void test_a_summary_without_memory(void **state)
{
	struct capture c;

	(void)state;
	world.fail_summary = -ENOMEM;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(profile_report_print(&(struct summary_input){ .file = "x" }), -ENOMEM);
	assert_non_null(strstr(capture_end(&c), LINE));
}

static int draw(struct capture *c)
{
	int err;

	capture_begin(c, STDERR_FILENO);
	err = profile_report_draw((struct gzip_file *)&world, (struct model *)&world, "x.html",
				  "x.pb.gz");
	capture_end(c);
	return err;
}

static void test_draw(void **state)
{
	struct capture c;

	(void)state;
	assert_int_equal(draw(&c), 0);
	assert_true(world.is_committed && !world.is_aborted);
	assert_string_equal(c.text, "");
	world.fail_commit = -EDQUOT;
	assert_int_equal(draw(&c), -1);
	assert_sentence(c.text, "cannot write x.html: Disk quota exceeded: draw it from ");
}

/* The error of the file is the cause: to the graph it is EIO. */
static void test_a_graph_that_cannot_be_written(void **state)
{
	struct capture c;

	(void)state;
	world.fail_draw = -EIO;
	world.fail_close = -ENOSPC;
	assert_int_equal(draw(&c), -1);
	assert_true(world.is_aborted && !world.is_committed);
	assert_sentence(c.text, "cannot write x.html: No space left on device: draw it from ");
}

#define TEST(fn)	cmocka_unit_test_setup(fn, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_summary_is_one_write),
		TEST(test_a_summary_without_memory),
		TEST(test_draw),
		TEST(test_a_graph_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
