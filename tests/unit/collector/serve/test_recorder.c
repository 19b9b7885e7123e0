// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/recorder.c collector/serve/messages.c
/*
 * The recorder and its children are real processes. Their run is played by this file: a recorder
 * reads what other users have written, so it may be under the control of one of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "aggregate/aggregator.h"
#include "aggregate/locations.h"
#include "aggregate/profile_types.h"
#include "base/stop_signals.h"
#include "capture.h"
#include "device/device.h"
#include "pprof/gzip_file.h"
#include "run/changed_files.h"
#include "run/naming_privileges.h"
#include "run/profile_loop.h"
#include "run/profile_output.h"
#include "run/profile_prepare.h"
#include "run/profile_run.h"
#include "serve/collection.h"
#include "serve/messages.h"
#include "serve/recorder.h"
#include "serve/targets.h"
#include "session/unwind_tables.h"

/* How the recorder behaves. */
static enum {
	GOOD,
	FAILS_TO_START,
	SENDS_FILES,		/* with its sign that it is prepared, and unasked */
	SENDS_CODE,		/* that no work has */
	SENDS_MUCH,
	NAMES_FILE,		/* in what it writes */
	CLOSES_PIPE,
	HANGS,			/* after it has closed its socket */
} manner;

static const struct settings settings = { .profile_types = 1U << PROFILE_TYPE_MUTEX };
static const struct request {
	uint32_t type;
	uint32_t debug;
} mutex = { PROFILE_TYPE_MUTEX, 0 };
static struct profile_run *run;
static bool wrote_tables;	/* the child has; before it reads files */

/* The parts of a run */

int stop_open(void)
{
	return -1;
}

void serve_targets_choose(struct settings *s, pid_t *pid)
{
	(void)s;
	(void)pid;
}

const char *serve_targets_refusal(const struct settings *s, pid_t pid, uint32_t type)
{
	(void)s;
	return !pid && type == PROFILE_TYPE_HEAP ? "no" : NULL;
}

void profile_run_init(struct profile_run *r, const struct settings *s, int stop_fd,
		      struct command *program)
{
	(void)stop_fd;
	(void)program;
	*r = (struct profile_run){ .settings = s };
	run = r;
}

void profile_run_fini(struct profile_run *r)
{
	(void)r;
}

int changed_files_update(struct profile_run *r)
{
	(void)r;
	return 0;
}

void profile_run_count(struct profile_run *r)
{
	(void)r;
}

int device_fd(const struct device *d)
{
	(void)d;
	return -1;
}

/* Sends messages with the descriptor of a file until the socket is full. */
static void send_files(int socket)
{
	int file = open("/etc/passwd", O_RDONLY);
	const int fds[] = { file, file, file };

	fcntl(socket, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 100; i++)
		if (serve_message_send(socket, "/etc/passwd", 12, fds, SERVE_MESSAGE_FDS))
			break;
	fcntl(socket, F_SETFL, 0);
	close(file);
}

int profile_prepare(struct profile_run *r)
{
	if (manner == SENDS_FILES)
		send_files(r->request_fd);
	return manner == FAILS_TO_START ? -1 : 0;
}

static void answer_badly(int socket)
{
	char much[1000] = "";
	int fds[SERVE_MESSAGE_FDS];
	struct request request;

	if (serve_message_receive(socket, &request, sizeof(request), fds) != sizeof(request))
		_exit(1);
	if (manner == SENDS_FILES)
		send_files(socket);
	if (manner == SENDS_CODE)
		assert_int_equal(write(fds[2], "\xff", 1), 1);
	if (manner == SENDS_MUCH)
		assert_int_equal(write(fds[2], much, sizeof(much)), sizeof(much));
	if (manner == NAMES_FILE) {
		assert_int_equal(dup2(open("/etc/passwd", O_RDONLY), fds[0]), fds[0]);
		assert_int_equal(write(fds[1], "../../etc/passwd\n", 17), 17);
	}
	serve_message_close(fds);
}

int profile_loop(struct profile_run *r)
{
	if (manner == HANGS) {
		close(r->request_fd);
		while (1)
			pause();
	}
	while (manner != GOOD)
		answer_badly(r->request_fd);
	while (!r->on_request(r))
		;
	return 0;
}

/* The child of a good recorder */

int naming_privileges_keep(int *folders, size_t nr)
{
	(void)folders;
	(void)nr;
	return 0;
}

uint64_t time_span_end(struct time_span *s, uint64_t wall_end_ns)
{
	(void)s;
	(void)wall_end_ns;
	return 0;
}

void aggregator_end(struct aggregator *c, uint64_t now)
{
	(void)c;
	(void)now;
}

struct new_tables unwind_tables_take_new(struct unwind_tables *t)
{
	(void)t;
	return (struct new_tables){ .nr = 7 };
}

void new_tables_write(const struct new_tables *list)
{
	wrote_tables = list->nr == 7;
}

void new_tables_fini(struct new_tables *list)
{
	(void)list;
}

int aggregator_finish(struct aggregator *c)
{
	(void)c;
	return wrote_tables ? 0 : -ENOMEM;
}

/* Here files of others are read: the socket must be closed. */
int locations_name_all(struct locations *l, bool (*is_over)(void *ctx), void *ctx)
{
	(void)l;
	(void)is_over;
	(void)ctx;
	if (fcntl(run->request_fd, F_GETFD) >= 0)
		abort();
	return 0;
}

struct gzip_file *gzip_file_open(const char *path, unsigned int flags)
{
	assert_string_equal(path, "-");
	(void)flags;
	return (struct gzip_file *)run;
}

int gzip_file_commit(struct gzip_file *f, char **name)
{
	(void)f;
	(void)name;
	return 0;
}

void gzip_file_abort(struct gzip_file *f)
{
	(void)f;
}

void profile_output_fill(struct profile_output *output, const struct profile_run *r,
			 uint32_t profile_type, const struct window_series *series, uint32_t nr)
{
	(void)r;
	(void)series;
	(void)nr;
	*output = (struct profile_output){ 0 };
	assert_int_equal(profile_type, PROFILE_TYPE_MUTEX);
}

int profile_export_write(const struct profile_export_input *in, struct gzip_file *out)
{
	(void)in;
	(void)out;
	return write(STDOUT_FILENO, "profile", 7) == 7 ? 0 : -EIO;
}

/* The runner */

static int nr_open(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int nr = 0;

	while (readdir(folder))
		nr++;
	closedir(folder);
	return nr;
}

static struct serve_recorder start(int how)
{
	struct serve_recorder recorder;

	manner = how;
	assert_int_equal(serve_recorder_start(&recorder, &settings, 5), 0);
	return recorder;
}

/* Asks a recorder. Returns: the code; the output in text, of size bytes. */
static int ask(const struct serve_recorder *recorder, char *text, size_t size)
{
	int out = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
	int code = serve_recorder_ask(recorder->socket, mutex.type, mutex.debug, out, errors);
	ssize_t len = pread(out, text, size - 1, 0);

	text[len > 0 ? len : 0] = 0;
	close(out);
	close(errors);
	return code;
}

static void test_types(void **state)
{
	const struct settings all = { .profile_types = ~0U };

	(void)state;
	assert_true(serve_recorder_counts(&all, 5) & 1U << PROFILE_TYPE_HEAP);
	assert_false(serve_recorder_counts(&all, 0) & 1U << PROFILE_TYPE_HEAP);
	assert_true(serve_recorder_counts(&all, 0) & 1U << PROFILE_TYPE_MUTEX);
	assert_false(serve_recorder_counts(&all, 5) & 1U << PROFILE_TYPE_CPU);
}

static void test_answers(void **state)
{
	struct serve_recorder recorder = start(GOOD);
	char text[32];

	(void)state;
	assert_int_equal(serve_recorder_wait(&recorder), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(&recorder, text, sizeof(text)), SERVE_DONE);
		assert_string_equal(text, "profile");
	}
	serve_recorder_end(&recorder);
	assert_int_equal(recorder.socket, -1);
}

static void test_no_session(void **state)
{
	struct serve_recorder recorder = start(FAILS_TO_START);

	(void)state;
	assert_int_equal(serve_recorder_wait(&recorder), -1);
	serve_recorder_end(&recorder);
}

/*
 * No descriptor of a recorder is taken, no text of it is a name of a file, and no code of it but 0
 * is success. What it writes into the output is the answer, and no more.
 */
static void test_bad_recorders(void **state)
{
	static const struct {
		int manner;
		int code;
	} rows[] = {
		{ SENDS_FILES, SERVE_FAILED }, { SENDS_CODE, 0xff }, { SENDS_MUCH, SERVE_DONE },
		{ NAMES_FILE, SERVE_FAILED }, { CLOSES_PIPE, SERVE_FAILED },
	};
	int nr = nr_open();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct serve_recorder recorder = start(rows[i].manner);
		struct capture c;
		char text[32];

		assert_int_equal(serve_recorder_wait(&recorder), 0);
		for (int n = 0; n < 2; n++) {
			capture_begin(&c, STDERR_FILENO);
			assert_int_equal(ask(&recorder, text, sizeof(text)), rows[i].code);
			if (rows[i].code == SERVE_FAILED)
				assert_sentence(capture_end(&c), "the session of the process has ended");
			else
				assert_string_equal(capture_end(&c), "");
			assert_string_equal(text, "");
		}
		serve_recorder_end(&recorder);
		assert_int_equal(nr_open(), nr);
	}
}

/* Neither the runner, which closes it, nor a request waits for such a recorder. */
static void test_recorder_that_stays(void **state)
{
	struct serve_recorder recorder = start(HANGS);
	struct capture c;
	char text[32];

	(void)state;
	assert_int_equal(serve_recorder_wait(&recorder), 0);
	while (send(recorder.socket, &mutex, sizeof(mutex), MSG_NOSIGNAL) > 0)
		;
	capture_begin(&c, STDERR_FILENO);
	assert_int_equal(ask(&recorder, text, sizeof(text)), SERVE_FAILED);
	assert_sentence(capture_end(&c), "the session of the process has ended");
	serve_recorder_end(&recorder);
	assert_int_equal(kill(recorder.child, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_no_session),
		cmocka_unit_test(test_bad_recorders),
		cmocka_unit_test(test_recorder_that_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
