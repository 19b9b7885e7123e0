// SPDX-License-Identifier: GPL-2.0
// sources: collector/pprof/gzip_file.c
// libs: -lz -Wl,--wrap=renameat2
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "pprof/gzip_file.h"

#define NAME	"pprof.app.1.cpu"

/* As on NFS, which has no RENAME_NOREPLACE. */
static bool no_renameat2;

int __real_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags);
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags);

int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to,
		     unsigned int flags)
{
	if (no_renameat2) {
		errno = EINVAL;
		return -1;
	}
	return __real_renameat2(from_fd, from, to_fd, to, flags);
}

/* Each test runs in an empty directory of its own. */
static int setup(void **state)
{
	char dir[] = "/tmp/test_gzout.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct dirent *entry;
	DIR *dir = opendir(".");

	while ((entry = readdir(dir)))
		unlink(entry->d_name);
	closedir(dir);
	if (chdir("/") || rmdir(*state))
		return -1;
	free(*state);
	return 0;
}

static int nr_files(void)
{
	struct dirent *entry;
	DIR *dir = opendir(".");
	int nr = 0;

	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return nr;
}

static void touch(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(content, f);
	assert_int_equal(fclose(f), 0);
}

static size_t slurp(const char *path, unsigned char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size, f);
	fclose(f);
	return n;
}

/* The file is exactly one gzip member. */
static void assert_gunzips(const unsigned char *gz, size_t len, const char *want,
			   size_t want_len)
{
	unsigned char *out = malloc(want_len + 1);
	z_stream z = {
		.next_in = (unsigned char *)gz,
		.avail_in = len,
		.next_out = out,
		.avail_out = want_len + 1,
	};

	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	assert_int_equal(z.total_out, want_len);
	assert_memory_equal(out, want, want_len);
	inflateEnd(&z);
	free(out);
}

static void assert_file(const char *path, const char *want)
{
	unsigned char buf[4096];
	size_t n = slurp(path, buf, sizeof(buf));

	assert_gunzips(buf, n, want, strlen(want));
}

/* Writes a file. Returns its final name, which the caller frees, or NULL after an error. */
static char *put(const char *path, unsigned int mode, const char *content)
{
	struct gzip_file *gz = gzip_file_open(path, mode);
	char *final = NULL;

	assert_non_null(gz);
	assert_int_equal(gzip_file_write(gz, content, strlen(content)), 0);
	errno = -gzip_file_commit(gz, &final);
	return final;
}

static void assert_put(const char *path, unsigned int mode, const char *want_name)
{
	char *final = put(path, mode, path);

	assert_non_null(final);
	assert_string_equal(final, want_name);
	assert_file(want_name, path);
	free(final);
}

static void assert_names_are_numbered(void)
{
	assert_put(NAME ".pb.gz", GZIP_FILE_KEEP, NAME ".pb.gz");
	assert_put(NAME ".pb.gz", GZIP_FILE_KEEP, NAME ".001.pb.gz");
	assert_put(NAME ".pb.gz", GZIP_FILE_KEEP, NAME ".002.pb.gz");
	assert_int_equal(unlink(NAME ".001.pb.gz"), 0);
	assert_put(NAME ".pb.gz", GZIP_FILE_KEEP, NAME ".001.pb.gz");
	assert_int_equal(nr_files(), 3);
}

static void test_keep_numbers_names(void **state)
{
	(void)state;
	assert_names_are_numbered();
}

static void test_keep_numbers_names_without_renameat2(void **state)
{
	(void)state;
	no_renameat2 = true;
	assert_names_are_numbered();
	no_renameat2 = false;
}

static void test_keep_leaves_what_is_there(void **state)
{
	unsigned char buf[16];

	(void)state;
	touch("x.pb.gz", "mine");
	assert_int_equal(symlink("nowhere", "x.001.pb.gz"), 0);
	assert_put("x.pb.gz", GZIP_FILE_KEEP, "x.002.pb.gz");
	assert_int_equal(slurp("x.pb.gz", buf, sizeof(buf)), 4);
	assert_memory_equal(buf, "mine", 4);
}

static void test_keep_numbers_other_suffixes_at_the_end(void **state)
{
	(void)state;
	touch("out", "");
	assert_put("out", GZIP_FILE_KEEP, "out.001");
}

static void test_plain(void **state)
{
	static const char *const names[] = { "x.txt", "x.001.txt" };
	unsigned char buf[16];
	char *final;

	(void)state;
	for (int i = 0; i < 2; i++) {
		final = put("x.txt", GZIP_FILE_KEEP | GZIP_FILE_PLAIN, "as it is");
		assert_string_equal(final, names[i]);
		free(final);
	}
	free(put("x.txt", GZIP_FILE_REPLACE | GZIP_FILE_PLAIN, "new"));
	assert_int_equal(slurp("x.001.txt", buf, sizeof(buf)), 8);
	assert_memory_equal(buf, "as it is", 8);
	assert_int_equal(slurp("x.txt", buf, sizeof(buf)), 3);
	assert_memory_equal(buf, "new", 3);
	assert_int_equal(nr_files(), 2);
}

static void test_keep_ends_at_999(void **state)
{
	char name[64], *last;
	int i;

	(void)state;
	touch("x.pb.gz", "");
	for (i = 1; i < 999; i++) {
		snprintf(name, sizeof(name), "x.%03d.pb.gz", i);
		touch(name, "");
	}
	assert_put("x.pb.gz", GZIP_FILE_KEEP, "x.999.pb.gz");
	last = put("x.pb.gz", GZIP_FILE_KEEP, "kept");
	assert_non_null(last);
	assert_true(slurp(last, (unsigned char *)name, sizeof(name)) > 0);
	free(last);
	assert_int_equal(nr_files(), 1001);
}

static void *put_50(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 50; i++)
		free(put("race.pb.gz", GZIP_FILE_KEEP, "x"));
	return NULL;
}

static void test_keep_gives_each_writer_a_name(void **state)
{
	pthread_t threads[4];
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, put_50, NULL), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(nr_files(), 200);
	assert_file("race.199.pb.gz", "x");
}

static void assert_folder(const char *path, unsigned int flags, const char *want)
{
	struct gzip_file *gz = gzip_file_open(path, flags);
	struct stat got, expected;
	int fd;

	assert_non_null(gz);
	fd = gzip_file_open_folder(gz);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_int_equal(stat(want, &expected), 0);
	assert_int_equal(got.st_ino, expected.st_ino);
	close(fd);
	gzip_file_abort(gz);
}

/* The folder is that of the file behind a link: there it is renamed. */
static void test_folder(void **state)
{
	struct gzip_file *gz;
	char path[64];

	(void)state;
	assert_int_equal(mkdir("sub", 0700), 0);
	snprintf(path, sizeof(path), "%s/file", (const char *)*state);
	assert_folder("file", GZIP_FILE_KEEP, ".");
	assert_folder(path, GZIP_FILE_KEEP, ".");
	assert_folder("sub/file", GZIP_FILE_REPLACE, "sub");
	assert_folder("/tmp/file", GZIP_FILE_KEEP, "/tmp");
	free(put("sub/file", GZIP_FILE_REPLACE, "x"));
	assert_int_equal(symlink("sub/file", "link"), 0);
	assert_folder("link", GZIP_FILE_REPLACE, "sub");
	gz = gzip_file_open("/dev/null", GZIP_FILE_REPLACE);
	assert_non_null(gz);
	assert_int_equal(gzip_file_open_folder(gz), -ENOENT);
	gzip_file_abort(gz);
	assert_int_equal(unlink("sub/file"), 0);
	assert_int_equal(rmdir("sub"), 0);
}

static void test_replace(void **state)
{
	struct stat st;

	(void)state;
	assert_put("out.pb.gz", GZIP_FILE_REPLACE, "out.pb.gz");
	touch("out.pb.gz", "something that is longer than what comes");
	assert_put("out.pb.gz", GZIP_FILE_REPLACE, "out.pb.gz");
	assert_int_equal(nr_files(), 1);
	assert_int_equal(stat("out.pb.gz", &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
}

static void test_replace_happens_at_commit(void **state)
{
	struct gzip_file *gz;
	unsigned char buf[16];

	(void)state;
	touch("out", "old");
	gz = gzip_file_open("out", GZIP_FILE_REPLACE);
	assert_int_equal(gzip_file_write(gz, "new", 3), 0);
	assert_int_equal(slurp("out", buf, sizeof(buf)), 3);
	assert_memory_equal(buf, "old", 3);
	assert_int_equal(gzip_file_commit(gz, NULL), 0);
	assert_file("out", "new");
}

static void test_replace_follows_a_link(void **state)
{
	struct stat st;
	char *final;

	(void)state;
	touch("target", "old");
	assert_int_equal(symlink("target", "link"), 0);
	final = put("link", GZIP_FILE_REPLACE, "new");
	assert_non_null(final);
	free(final);
	assert_file("target", "new");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(nr_files(), 2);
}

static void *read_fifo(void *arg)
{
	unsigned char *buf = arg;

	return (void *)slurp("fifo", buf, 4096);
}

static void test_fifo_is_written_into(void **state)
{
	unsigned char buf[4096];
	pthread_t reader;
	struct stat st;
	void *len;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_fifo, buf), 0);
	free(put("fifo", GZIP_FILE_REPLACE, "through"));
	pthread_join(reader, &len);
	assert_gunzips(buf, (size_t)len, "through", 7);
	assert_int_equal(stat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(nr_files(), 1);
}

/* Blocks the signals, as a run does, which reads them from a descriptor. */
static void block_signals(sigset_t *before)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, before);
}

/* Each signal ends the wait, also if it came before. The alarm means that none did. */
static void test_signals_end_the_wait_for_a_fifos_reader(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t before;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	block_signals(&before);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		pid = fork();
		if (!pid) {
			signal(signals[i], SIG_DFL);
			alarm(60);
			gzip_file_open("fifo", GZIP_FILE_REPLACE);
			_exit(0);
		}
		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void test_signals_are_blocked_again(void **state)
{
	sigset_t before, now;
	struct gzip_file *gz;
	int reader;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	block_signals(&before);
	gz = gzip_file_open("fifo", GZIP_FILE_REPLACE);
	sigprocmask(SIG_SETMASK, &before, &now);
	assert_non_null(gz);
	gzip_file_abort(gz);
	close(reader);
	assert_true(sigismember(&now, SIGINT));
	assert_true(sigismember(&now, SIGTERM));
	assert_true(sigismember(&now, SIGHUP));
}

static void assert_refused(const char *path)
{
	errno = 0;
	assert_null(gzip_file_open(path, GZIP_FILE_REPLACE));
	assert_int_equal(errno, EISNAM);
}

/* Root does not write into the FIFO of a user, by any name of it. */
static void test_anothers_fifo_is_refused(void **state)
{
	int reader;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkfifo("fifo", 0666), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_int_equal(chown("fifo", 65534, 65534), 0);
	assert_refused("fifo");
	assert_int_equal(symlink("fifo", "link"), 0);
	assert_refused("link");
	assert_int_equal(chown("fifo", 0, 65534), 0);
	assert_int_equal(seteuid(65534), 0);
	gzip_file_abort(gzip_file_open("fifo", GZIP_FILE_REPLACE));
	assert_int_equal(seteuid(0), 0);
	close(reader);
}

/* A pipe of another user, as /dev/stdout may be, is accepted. */
static void test_anothers_pipe_is_written_into(void **state)
{
	int fds[2];
	char path[64];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	if (!geteuid())
		assert_int_equal(fchown(fds[1], 65534, 65534), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	free(put(path, GZIP_FILE_REPLACE, "through"));
	assert_int_equal(read(fds[0], path, 2), 2);
	assert_memory_equal(path, "\x1f\x8b", 2);
	close(fds[0]);
	close(fds[1]);
}

static void test_dev_null(void **state)
{
	char *final = put("/dev/null", GZIP_FILE_REPLACE, "x");
	struct stat st;

	(void)state;
	assert_string_equal(final, "/dev/null");
	free(final);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void test_dev_full_fails_at_commit(void **state)
{
	(void)state;
	assert_null(put("/dev/full", GZIP_FILE_REPLACE, "x"));
	assert_int_equal(errno, ENOSPC);
}

static void test_stdout_stays_open(void **state)
{
	int saved = dup(STDOUT_FILENO), file = open("out", O_WRONLY | O_CREAT, 0600);
	char *final;

	(void)state;
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	final = put("-", GZIP_FILE_REPLACE, "to stdout");
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_string_equal(final, "-");
	free(final);
	assert_file("out", "to stdout");
	assert_int_equal(lseek(file, 0, SEEK_CUR), lseek(file, 0, SEEK_END));
	close(file);
	assert_int_equal(nr_files(), 1);
}

static void test_dash_is_a_name_where_files_are_kept(void **state)
{
	(void)state;
	assert_put("-", GZIP_FILE_KEEP, "-");
	assert_int_equal(nr_files(), 1);
}

static void test_abort_leaves_nothing(void **state)
{
	struct gzip_file *gz = gzip_file_open("out", GZIP_FILE_KEEP);

	(void)state;
	assert_int_equal(gzip_file_write(gz, "x", 1), 0);
	assert_int_equal(nr_files(), 1);
	gzip_file_abort(gz);
	assert_int_equal(nr_files(), 0);
	gzip_file_abort(NULL);
}

static void assert_open_fails(const char *path, unsigned int mode, int err)
{
	errno = 0;
	assert_null(gzip_file_open(path, mode));
	assert_int_equal(errno, err);
}

static void test_errors_of_open(void **state)
{
	(void)state;
	assert_open_fails("no/such/dir", GZIP_FILE_KEEP, ENOENT);
	assert_open_fails("no/such/dir", GZIP_FILE_REPLACE, ENOENT);
	assert_open_fails(".", GZIP_FILE_REPLACE, EISDIR);
	touch("file", "");
	assert_open_fails("file/x", GZIP_FILE_REPLACE, ENOTDIR);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_open_fails("loop", GZIP_FILE_REPLACE, ELOOP);
	assert_int_equal(nr_files(), 2);
}

/* As with a full disk: no partial file stays, and the old file does. */
static void test_file_that_cannot_grow(void **state)
{
	struct rlimit old, small = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
	struct gzip_file *gz = gzip_file_open("out", GZIP_FILE_REPLACE);
	unsigned char buf[16];
	uint32_t noise = 1;
	int i, err = 0;

	(void)state;
	touch("out", "old");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < 100000 && !err; i++) {
		noise = noise * 1664525 + 1013904223;
		err = gzip_file_write(gz, &noise, sizeof(noise));
	}
	if (!err)
		err = gzip_file_commit(gz, NULL);
	else
		gzip_file_abort(gz);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(err, -EFBIG);
	assert_int_equal(nr_files(), 1);
	assert_int_equal(slurp("out", buf, sizeof(buf)), 3);
}

static void test_equal_input_gives_equal_bytes(void **state)
{
	static const unsigned char header[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0 };
	unsigned char a[256], b[256];
	size_t len;

	(void)state;
	free(put("a", GZIP_FILE_REPLACE, "the same"));
	free(put("b", GZIP_FILE_REPLACE, "the same"));
	len = slurp("a", a, sizeof(a));
	assert_int_equal(slurp("b", b, sizeof(b)), len);
	assert_memory_equal(a, b, len);
	/* The header has no name and no comment, and the time 0. */
	assert_memory_equal(a, header, sizeof(header));
}

static void test_much_data_in_odd_pieces(void **state)
{
	size_t i, n, len = 3000000, room = 4000000;
	struct gzip_file *gz = gzip_file_open("big", GZIP_FILE_KEEP);
	unsigned char *packed = malloc(room);
	char *data = malloc(len);
	uint32_t noise = 1;

	(void)state;
	for (i = 0; i < len; i++) {
		noise = noise * 1664525 + 1013904223;
		data[i] = noise >> 24;
	}
	for (i = 0; i < len; i += n) {
		n = i % 70001 + 1;
		n = n < len - i ? n : len - i;
		assert_int_equal(gzip_file_write(gz, data + i, n), 0);
	}
	assert_int_equal(gzip_file_write(gz, NULL, 0), 0);
	assert_int_equal(gzip_file_commit(gz, NULL), 0);
	assert_gunzips(packed, slurp("big", packed, room), data, len);
	free(packed);
	free(data);
}

#define WITH_SETUP(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SETUP(test_keep_numbers_names),
		WITH_SETUP(test_keep_numbers_names_without_renameat2),
		WITH_SETUP(test_keep_leaves_what_is_there),
		WITH_SETUP(test_keep_numbers_other_suffixes_at_the_end),
		WITH_SETUP(test_plain),
		WITH_SETUP(test_keep_ends_at_999),
		WITH_SETUP(test_keep_gives_each_writer_a_name),
		WITH_SETUP(test_folder),
		WITH_SETUP(test_replace),
		WITH_SETUP(test_replace_happens_at_commit),
		WITH_SETUP(test_replace_follows_a_link),
		WITH_SETUP(test_fifo_is_written_into),
		WITH_SETUP(test_signals_end_the_wait_for_a_fifos_reader),
		WITH_SETUP(test_signals_are_blocked_again),
		WITH_SETUP(test_anothers_fifo_is_refused),
		WITH_SETUP(test_anothers_pipe_is_written_into),
		WITH_SETUP(test_dev_null),
		WITH_SETUP(test_dev_full_fails_at_commit),
		WITH_SETUP(test_stdout_stays_open),
		WITH_SETUP(test_dash_is_a_name_where_files_are_kept),
		WITH_SETUP(test_abort_leaves_nothing),
		WITH_SETUP(test_errors_of_open),
		WITH_SETUP(test_file_that_cannot_grow),
		WITH_SETUP(test_equal_input_gives_equal_bytes),
		WITH_SETUP(test_much_data_in_odd_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
