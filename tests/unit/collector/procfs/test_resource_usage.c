// SPDX-License-Identifier: GPL-2.0
// sources: collector/procfs/resource_usage.c
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "procfs/resource_usage.h"

#define PAGE_BYTES	4096U

static char text[4096];

static void print(pid_t pid)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	text[0] = 0;
	resource_usage_print(out, pid);
	fclose(out);
}

/* Returns the number in the line, which must exist. */
static double value_of(const char *name)
{
	char want[64];
	const char *at;

	snprintf(want, sizeof(want), "# %s = ", name);
	at = strstr(text, want);
	if (!at)
		fail_msg("no %s in:\n%s", name, text);
	return strtod(at + strlen(want), NULL);
}

/* Each number is close to that of getrusage() or /proc for this process. */
static void test_of_ourselves(void **state)
{
	size_t nr_bytes = 64U << 20;
	char *memory = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	struct rusage before, after;

	(void)state;
	assert_true(memory != MAP_FAILED);
	madvise(memory, nr_bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < nr_bytes; at += PAGE_BYTES)
		memory[at] = 1;
	getrusage(RUSAGE_SELF, &before);
	print(getpid());
	getrusage(RUSAGE_SELF, &after);
	assert_true(value_of("VmRSS") >= nr_bytes && value_of("RssAnon") >= nr_bytes);
	assert_true(value_of("MaxRSS") >= value_of("VmRSS"));
	assert_true(value_of("VmPeak") >= value_of("VmSize"));
	assert_true(value_of("VmSize") > value_of("VmRSS"));
	assert_true(value_of("MinorFaults") >= before.ru_minflt);
	assert_true(value_of("MinorFaults") <= after.ru_minflt);
	assert_true(value_of("MajorFaults") <= after.ru_majflt);
	assert_true(value_of("UserTime") + value_of("SystemTime") <=
		    after.ru_utime.tv_sec + after.ru_stime.tv_sec + 2.1);
	assert_true(value_of("Threads") >= 1);
	munmap(memory, nr_bytes);
}

/* The last line is the one that Go prints last. */
static void test_lines(void **state)
{
	const char *last = NULL;

	(void)state;
	print(getpid());
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_memory_equal(line, "# ", 2);
		assert_non_null(strstr(line, " = "));
		last = line;
	}
	assert_memory_equal(last, "# MaxRSS = ", 11);
}

static void test_odd_name(void **state)
{
	char name[16] = "";
	double faults;

	(void)state;
	prctl(PR_GET_NAME, name);
	print(getpid());
	faults = value_of("MinorFaults");
	prctl(PR_SET_NAME, "a) R 1 (b\nVmRSS:");
	print(getpid());
	prctl(PR_SET_NAME, name);
	assert_true(value_of("MinorFaults") >= faults);
	assert_true(value_of("VmRSS") > PAGE_BYTES);
}

/* A zombie still has its times. A process that is gone has nothing. */
static void test_ended(void **state)
{
	siginfo_t info;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	print(pid);
	assert_true(value_of("MinorFaults") >= 0);
	assert_null(strstr(text, "RSS"));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	print(pid);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_ourselves),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_odd_name),
		cmocka_unit_test(test_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
