// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/profile_request.c
// sources: collector/http/query.c
// sources: collector/http/answer.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "aggregate/profile_types.h"
#include "http/profile_request.h"

static struct profile_request request;
static struct answer answer;

static void assert_taken(const char *name, const char *query, uint32_t type, uint32_t seconds,
			 uint32_t debug)
{
	int err = profile_request_read(&request, name, query, &answer);

	if (err || request.type != type || request.seconds != seconds || request.debug != debug)
		fail_msg("%s?%s: %d, type %u, %u s, debug %u", name, query, err, request.type,
			 request.seconds, request.debug);
}

static void assert_refused(const char *name, const char *query, const char *text)
{
	if (profile_request_read(&request, name, query, &answer) != -EINVAL)
		fail_msg("%s?%s is taken", name, query);
	assert_int_equal(answer.status, 400);
	assert_true(answer.is_pprof_error);
	assert_int_equal(strlen(answer.text), strlen(text) + 1);
	assert_memory_equal(answer.text, text, strlen(text));
}

#define TOO_LONG	"profile duration exceeds server's WriteTimeout"
#define WRONG		"invalid value for \"seconds\" - must be a positive integer"
#define UNSUPPORTED	"\"seconds\" parameter is not supported for this profile type"
#define NOT_BOTH	"seconds and debug params are incompatible"

/* Go takes 30 s if the seconds are wrong in any way. */
static void test_time(void **state)
{
	(void)state;
	assert_taken("profile", "", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "seconds=7", PROFILE_TYPE_CPU, 7, 0);
	assert_taken("profile", "seconds=0", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "seconds=-1", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "seconds=1.5", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "seconds=99999999999999999999", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "seconds=3600&debug=1", PROFILE_TYPE_CPU, 3600, 0);
	assert_taken("wall", "seconds=2", PROFILE_TYPE_WALL, 2, 0);
	assert_refused("profile", "seconds=3601", TOO_LONG);
}

static void test_debug(void **state)
{
	(void)state;
	assert_taken("heap", "", PROFILE_TYPE_HEAP, 0, 0);
	assert_taken("heap", "debug=1&gc=1", PROFILE_TYPE_HEAP, 0, 1);
	assert_taken("thread", "debug=2", PROFILE_TYPE_THREAD, 0, 2);
	assert_taken("thread", "debug=77", PROFILE_TYPE_THREAD, 0, 2);
	assert_taken("thread", "debug=-1", PROFILE_TYPE_THREAD, 0, 1);
	assert_taken("thread", "debug=0", PROFILE_TYPE_THREAD, 0, 0);
	assert_taken("thread", "debug=yes", PROFILE_TYPE_THREAD, 0, 0);
	assert_taken("thread", "debug=99999999999999999999", PROFILE_TYPE_THREAD, 0, 2);
}

/* In the order of Go's checks: the number, the type, the length, debug. */
static void test_delta(void **state)
{
	(void)state;
	assert_taken("heap", "seconds=5", PROFILE_TYPE_HEAP, 5, 0);
	assert_taken("block", "seconds=", PROFILE_TYPE_BLOCK, 0, 0);
	assert_refused("heap", "seconds=0&debug=1", WRONG);
	assert_refused("heap", "seconds=x", WRONG);
	assert_refused("heap", "seconds=99999999999999999999", WRONG);
	assert_refused("own", "seconds=x", WRONG);
	assert_refused("own", "seconds=9999", UNSUPPORTED);
	assert_int_equal(request.type, PROFILE_TYPE_CUSTOM);
	assert_string_equal(request.name, "own");
	assert_refused("heap", "seconds=3601&debug=1", TOO_LONG);
	assert_refused("heap", "seconds=1&debug=1", NOT_BOTH);
	assert_taken("heap", "seconds=1&debug=0", PROFILE_TYPE_HEAP, 1, 0);
}

static void test_names(void **state)
{
	(void)state;
	assert_taken("goroutine", "", PROFILE_TYPE_THREAD, 0, 0);
	assert_true(request.is_goroutine);
	assert_taken("thread", "", PROFILE_TYPE_THREAD, 0, 0);
	assert_false(request.is_goroutine);
	assert_taken("allocs", "", PROFILE_TYPE_ALLOCS, 0, 0);
	assert_taken("mutex", "", PROFILE_TYPE_MUTEX, 0, 0);
	assert_taken("growth", "", PROFILE_TYPE_GROWTH, 0, 0);
	assert_taken("threadcreate", "", PROFILE_TYPE_THREADCREATE, 0, 0);
	assert_taken("Heap", "", PROFILE_TYPE_CUSTOM, 0, 0);
	assert_taken("trace", "", PROFILE_TYPE_CUSTOM, 0, 0);
	assert_taken("cpu", "", PROFILE_TYPE_CUSTOM, 0, 0);
}

static void test_flame(void **state)
{
	(void)state;
	assert_taken("heap", "seconds=1&format=flamegraph", PROFILE_TYPE_HEAP, 1, 0);
	assert_true(request.is_flame);
	profile_request_answer(&request, &answer);
	assert_string_equal(answer.type, ANSWER_HTML);
	assert_string_equal(answer.file, "");
	assert_taken("thread", "debug=1&format=flamegraph", PROFILE_TYPE_THREAD, 0, 0);
	assert_taken("profile", "format=flamegraph", PROFILE_TYPE_CPU, 30, 0);
	assert_taken("profile", "format=", PROFILE_TYPE_CPU, 30, 0);
	assert_false(request.is_flame);
	assert_refused("profile", "format=svg", "invalid value for \"format\" - must be flamegraph");
}

static void assert_answer(const char *name, const char *query, const char *type, const char *file)
{
	assert_int_equal(profile_request_read(&request, name, query, &answer), 0);
	profile_request_answer(&request, &answer);
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.type, type);
	assert_string_equal(answer.file, file);
	assert_false(answer.is_pprof_error);
}

static void test_answer(void **state)
{
	(void)state;
	assert_answer("profile", "seconds=1", ANSWER_BINARY, "profile");
	assert_answer("wall", "", ANSWER_BINARY, "wall");
	assert_answer("heap", "", ANSWER_BINARY, "heap");
	assert_answer("heap", "seconds=1", ANSWER_BINARY, "heap-delta");
	assert_answer("goroutine", "debug=2", ANSWER_PLAIN, "");
	assert_answer("my\"\r\n\x80/own", "", ANSWER_BINARY, "my____/own");
}

static void test_failures(void **state)
{
	(void)state;
	assert_taken("profile", "", PROFILE_TYPE_CPU, 30, 0);
	profile_request_busy(&request, &answer);
	assert_int_equal(answer.status, 500);
	assert_string_equal(answer.text,
			    "Could not enable CPU profiling: cpu profiling already in use\n");
	assert_taken("heap", "", PROFILE_TYPE_HEAP, 0, 0);
	profile_request_fail(&request, "why", &answer);
	assert_string_equal(answer.text, "failed to collect profile: why\n");
}

/* A text of any length ends with a newline. */
static void test_long_text(void **state)
{
	char text[2 * ANSWER_TEXT_BYTES];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = 0;
	answer_error(&answer, 500, "%s", text);
	assert_int_equal(strlen(answer.text), ANSWER_TEXT_BYTES - 1);
	assert_int_equal(answer.text[ANSWER_TEXT_BYTES - 2], '\n');
}

static void test_cumulative(void **state)
{
	(void)state;
	assert_taken("heap", "", PROFILE_TYPE_HEAP, 0, 0);
	assert_true(profile_request_is_cumulative(&request));
	assert_taken("heap", "seconds=1", PROFILE_TYPE_HEAP, 1, 0);
	assert_false(profile_request_is_cumulative(&request));
	assert_taken("thread", "", PROFILE_TYPE_THREAD, 0, 0);
	assert_false(profile_request_is_cumulative(&request));
	assert_taken("profile", "", PROFILE_TYPE_CPU, 30, 0);
	assert_false(profile_request_is_cumulative(&request));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_debug),
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_flame),
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_cumulative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
