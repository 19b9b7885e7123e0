// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/targets.c collector/procfs/procfs.c collector/procfs/live_thread.c
// sources: collector/procfs/maps.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/base/utf8.c collector/pprof/profile_fault.c
// libs: -lpcre2-8
/* The children of this program are the targets. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "analysis/regex.h"
#include "device/error_text.h"
#include "pprof/profile_fault.h"
#include "serve/targets.h"
#include "session/settings.h"

static int printed;	/* the error that was printed */

void device_error_print_attach(pid_t pid, int err)
{
	(void)pid;
	printed = err;
}

/* Starts a child of this name, which ends with this program. Waits until it has the name. */
static pid_t start(const char *name)
{
	int ends[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		close(ends[0]);
		close(ends[1]);
		pause();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A process that has ended is no target any more, whoever gets its pid. */
static void test_pids(void **state)
{
	pid_t pids[2] = { start("one"), start("two") }, listed[2];
	const struct settings settings = { .pids = pids, .nr_pids = 2 };
	struct serve_targets t;

	(void)state;
	assert_int_equal(serve_targets_init(&t, &settings, NULL), 0);
	assert_true(serve_targets_has(&t, pids[0]));
	assert_false(serve_targets_has(&t, getpid()));
	assert_false(serve_targets_has(&t, 0));
	assert_false(serve_targets_has(&t, -1));
	assert_int_equal(serve_targets_list(&t, listed, 2), 2);
	assert_int_equal(listed[0], pids[0]);
	assert_int_equal(serve_targets_list(&t, listed, 1), 1);
	end(pids[0]);
	assert_false(serve_targets_has(&t, pids[0]));
	assert_int_equal(serve_targets_list(&t, listed, 2), 1);
	assert_int_equal(listed[0], pids[1]);
	end(pids[1]);
	serve_targets_fini(&t);
}

static void test_no_process(void **state)
{
	pid_t pid = start("gone");
	const struct settings settings = { .pids = &pid, .nr_pids = 1 };
	struct serve_targets t;

	(void)state;
	end(pid);
	assert_int_equal(serve_targets_init(&t, &settings, NULL), -1);
	assert_int_equal(printed, -ESRCH);
	serve_targets_fini(&t);
}

static void test_all(void **state)
{
	const struct settings settings = { .all = true };
	struct serve_targets t;
	pid_t pid = start("any"), listed;

	(void)state;
	assert_int_equal(serve_targets_init(&t, &settings, NULL), 0);
	assert_true(serve_targets_has(&t, pid));
	assert_int_equal(serve_targets_list(&t, &listed, 1), 0);
	end(pid);
	assert_false(serve_targets_has(&t, pid));
	serve_targets_fini(&t);
}

/* The names of the moment count. */
static void test_names(void **state)
{
	const struct settings settings = { 0 };
	struct profile_fault fault;
	struct serve_targets t;
	struct regex *regex;
	pid_t pids[3] = { start("tgt-named-1"), start("other"), start("tgt-named-2") };
	pid_t listed[8];

	(void)state;
	assert_int_equal(regex_new(&regex, "^tgt-named", 10, &fault), 0);
	assert_int_equal(serve_targets_init(&t, &settings, regex), 0);
	assert_true(serve_targets_has(&t, pids[0]));
	assert_false(serve_targets_has(&t, pids[1]));
	assert_int_equal(serve_targets_list(&t, listed, 8), 2);
	assert_true(listed[0] < listed[1]);
	end(pids[0]);
	assert_false(serve_targets_has(&t, pids[0]));
	assert_int_equal(serve_targets_list(&t, listed, 8), 1);
	assert_int_equal(listed[0], pids[2]);
	end(pids[1]);
	end(pids[2]);
	serve_targets_fini(&t);
	regex_free(regex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
