// SPDX-License-Identifier: GPL-2.0
// sources: collector/cli/option_values.c collector/cli/keywords.c
// libs: -lm
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "capture.h"
#include "aggregate/profile_types.h"
#include "cli/keywords.h"
#include "cli/option_values.h"
#include "pprof.h"
#include "session/settings.h"

#define NR(array)	(sizeof(array) / sizeof(*(array)))
#define ACCEPTED	100

static const struct keyword words[] = { { "one", 1 }, { "two", 2 }, { 0 } };

static struct argp_state argp = { .name = (char *)"pprof-collect" };

static void number(const char *text)
{
	option_number(&argp, "--n", text, 5, 10);
}

static void seconds(const char *text)
{
	option_seconds(&argp, text);
}

static void two_words(const char *text)
{
	option_keywords(&argp, "--words", words, text, "one and two are known");
}

static void types(const char *text)
{
	option_keywords(&argp, "--profile", keywords_types, text, "no such type");
}

static void pids(const char *text)
{
	struct settings s = { 0 };

	option_pids(&argp, &s, text);
	free(s.pids);
}

/* Each exits with code 2 after one line that repeats the value. */
static void test_refused(void **state)
{
	static const struct {
		void (*parse)(const char *text);
		const char *text, *message;
	} cases[] = {
		{ number, "4", "--n '4': must be a whole number from 5 to 10" },
		{ number, "11", "--n '11'" }, { number, "", "--n ''" },
		{ number, "7x", "--n '7x'" },
		{ number, " 7", "--n ' 7'" }, { number, "+7", "--n '+7'" },
		{ number, "18446744073709551623", "--n '18446744073709551623'" },
		{ seconds, "0", "--seconds '0'" },
		{ seconds, "3200000000", "--seconds '3200000000'" },
		{ seconds, "nan", "--seconds 'nan'" }, { seconds, "1s", "--seconds '1s'" },
		{ two_words, "three", "--words 'three': one and two are known" },
		{ two_words, "one,", "--words 'one,'" }, { two_words, "", "--words ''" },
		{ types, "cpu,cpu", "cpu profiling already in use" },
		{ pids, "1,2147483648", "--pid '2147483648'" }, { pids, "1,,2", "--pid ''" },
	};
	struct capture out;
	int status;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		capture_begin(&out, STDERR_FILENO);
		pid = fork();
		if (!pid) {
			argp.err_stream = stderr;
			cases[i].parse(cases[i].text);
			_exit(ACCEPTED);
		}
		waitpid(pid, &status, 0);
		capture_end(&out);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != 2)
			fail_msg("'%s' ends with code %d", cases[i].text, WEXITSTATUS(status));
		assert_sentence(out.text, cases[i].message);
	}
}

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(option_number(&argp, "--n", "5", 5, 10), 5);
	assert_int_equal(option_number(&argp, "--n", "010", 5, 10), 10);
	assert_int_equal(option_seconds(&argp, "1.5"), 1500000000);
	assert_int_equal(option_seconds(&argp, "1e-12"), 1);
}

/* A word may come twice, but not a profile type. */
static void test_keywords(void **state)
{
	(void)state;
	assert_int_equal(option_keywords(&argp, "--words", words, "two", ""), 2);
	assert_int_equal(option_keywords(&argp, "--words", words, "two,one,two", ""), 3);
	assert_int_equal(option_keywords(&argp, "--profile", keywords_types, "wall,cpu", ""),
			 1U << PROFILE_TYPE_CPU | 1U << PROFILE_TYPE_WALL);
}

static void test_pids(void **state)
{
	struct settings s = { 0 };

	(void)state;
	option_pids(&argp, &s, "1,2");
	option_pids(&argp, &s, "3");
	assert_int_equal(s.nr_pids, 3);
	assert_int_equal(s.pids[2], 3);
	option_pid(&argp, &s, "4");
	assert_int_equal(s.nr_pids, 1);
	assert_int_equal(s.pids[0], 4);
	free(s.pids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_keywords),
		cmocka_unit_test(test_pids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
