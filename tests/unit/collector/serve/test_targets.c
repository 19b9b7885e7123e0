// SPDX-License-Identifier: GPL-2.0
// sources: collector/serve/targets.c collector/procfs/procfs.c collector/procfs/live_thread.c
// sources: collector/procfs/maps.c
// sources: collector/analysis/regex.c collector/analysis/re2_syntax.c
// sources: collector/analysis/re2_class.c collector/analysis/re2_escape.c
// sources: collector/base/utf8.c collector/pprof/profile_fault.c
// libs: -lpcre2-8
/* The children of this program are the targets. */
#include <errno.h>
#include <fcntl.h>
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

#include "aggregate/profile_types.h"
#include "analysis/regex.h"
#include "device/error_text.h"
#include "pprof/profile_fault.h"
#include "procfs/cgroup_folder.h"
#include "serve/targets.h"
#include "session/settings.h"

static int printed;	/* the error that was printed */

void device_error_print_attach(pid_t pid, int err)
{
	(void)pid;
	printed = err;
}

/* The test plays a cgroup with these processes; 0 ends the list. It is removed at times. */
static struct {
	pid_t pids[4];
	bool is_removed;
} cgroup;

int cgroup_folder_open(const char *path)
{
	(void)path;
	return cgroup.is_removed ? -ENOENT : open("/dev/null", O_RDONLY);
}

void cgroup_folder_print_error(const char *path, int err)
{
	(void)path;
	printed = err;
}

int cgroup_folder_visit(const char *path, bool (*visit)(void *ctx, pid_t pid), void *ctx)
{
	assert_string_equal(path, "/a");
	if (cgroup.is_removed)
		return -ENOENT;
	for (const pid_t *pid = cgroup.pids; *pid && visit(ctx, *pid); pid++)
		;
	return 0;
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

/* The processes of the moment count. The cgroup may be removed, and made again. */
static void test_cgroup(void **state)
{
	const struct settings settings = { .cgroup = "/a" };
	pid_t pids[2] = { start("one"), start("two") }, listed[8];
	struct serve_targets t;

	(void)state;
	cgroup.is_removed = true;
	assert_int_equal(serve_targets_init(&t, &settings, NULL), -1);
	assert_int_equal(printed, -ENOENT);
	serve_targets_fini(&t);
	cgroup.is_removed = false;
	assert_int_equal(serve_targets_init(&t, &settings, NULL), 0);
	assert_true(serve_targets_has_whole(&t));
	memcpy(cgroup.pids, pids, sizeof(pids));
	assert_true(serve_targets_has(&t, pids[0]));
	assert_true(serve_targets_has(&t, pids[1]));
	assert_false(serve_targets_has(&t, getpid()));
	assert_int_equal(serve_targets_list(&t, listed, 8), 2);
	assert_int_equal(serve_targets_list(&t, listed, 1), 1);
	cgroup.pids[0] = pids[1];
	cgroup.pids[1] = 0;
	assert_false(serve_targets_has(&t, pids[0]));
	assert_int_equal(serve_targets_list(&t, listed, 8), 1);
	assert_int_equal(listed[0], pids[1]);
	cgroup.is_removed = true;
	assert_false(serve_targets_has(&t, pids[1]));
	assert_int_equal(serve_targets_list(&t, listed, 8), 0);
	end(pids[0]);
	end(pids[1]);
	serve_targets_fini(&t);
}

static void test_choice(void **state)
{
	struct settings all = { .all = true }, of_cgroup = { .cgroup = "/a" };
	pid_t none = 0, pid = 5;

	(void)state;
	serve_targets_choose(&all, &none);
	assert_true(all.all && !all.nr_pids);
	serve_targets_choose(&all, &pid);
	assert_true(!all.all && all.nr_pids == 1 && *all.pids == 5);
	serve_targets_choose(&of_cgroup, &none);
	assert_true(!of_cgroup.all && of_cgroup.cgroup && !of_cgroup.nr_pids);
	serve_targets_choose(&of_cgroup, &pid);
	assert_true(!of_cgroup.all && !of_cgroup.cgroup && of_cgroup.nr_pids == 1);
}

static void test_refused_types(void **state)
{
	const struct settings all = { .all = true }, of_cgroup = { .cgroup = "/a" };

	(void)state;
	assert_null(serve_targets_refusal(&all, 0, PROFILE_TYPE_MUTEX));
	assert_non_null(serve_targets_refusal(&all, 0, PROFILE_TYPE_ALLOCS));
	assert_null(serve_targets_refusal(&all, 5, PROFILE_TYPE_ALLOCS));
	assert_null(serve_targets_refusal(&of_cgroup, 0, PROFILE_TYPE_GROWTH));
	assert_non_null(serve_targets_refusal(&of_cgroup, 0, PROFILE_TYPE_MUTEX));
	assert_null(serve_targets_refusal(&of_cgroup, 5, PROFILE_TYPE_HEAP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_refused_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
