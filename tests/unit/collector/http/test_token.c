// SPDX-License-Identifier: GPL-2.0
// sources: collector/http/token.c
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "http/token.h"

static void test_bearer(void **state)
{
	(void)state;
	assert_true(token_is_given("Bearer secret", "secret"));
	assert_true(token_is_given("bearer  secret", "secret"));
	assert_false(token_is_given("Bearer secre", "secret"));
	assert_false(token_is_given("Bearer secrets", "secret"));
	assert_false(token_is_given("Bearer secret ", "secret"));
	assert_false(token_is_given("Bearer ", "secret"));
	assert_false(token_is_given("Bearer", "secret"));
	assert_false(token_is_given("secret", "secret"));
	assert_false(token_is_given("", "secret"));
	assert_false(token_is_given(NULL, "secret"));
	assert_false(token_is_given("Bearer secretsecret", "secret"));
}

/* The password counts, with any user: curl's --user x:secret is eDpzZWNyZXQ=. */
static void test_basic(void **state)
{
	(void)state;
	assert_true(token_is_given("Basic eDpzZWNyZXQ=", "secret"));
	assert_true(token_is_given("basic OnNlY3JldA==", "secret"));		/* :secret */
	assert_true(token_is_given("Basic eDpzZTpjcmV0", "se:cret"));		/* x:se:cret */
	assert_false(token_is_given("Basic eDpzZWNyZXRz", "secret"));		/* x:secrets */
	assert_false(token_is_given("Basic c2VjcmV0", "secret"));		/* secret */
	assert_false(token_is_given("Basic !", "secret"));
	assert_false(token_is_given("Basic", "secret"));
	assert_false(token_is_given("Digest eDpzZWNyZXQ=", "secret"));
}

static void test_long_password(void **state)
{
	char value[9000];

	(void)state;
	memset(value, 'A', sizeof(value));
	memcpy(value, "Basic OkFB", 10);	/* ":AA..." */
	value[sizeof(value) - 1] = 0;
	assert_false(token_is_given(value, "secret"));
}

static int read_back(const char *text, size_t len, char **token)
{
	char path[] = "/tmp/token.XXXXXX";
	int fd = mkstemp(path), err;

	assert_int_equal(write(fd, text, len), len);
	close(fd);
	err = token_read(path, token);
	unlink(path);
	return err;
}

static void test_read(void **state)
{
	char text[2000], *token;

	(void)state;
	assert_int_equal(read_back(" secret\t\nnext", 13, &token), 0);
	assert_string_equal(token, "secret");
	free(token);
	assert_int_equal(read_back("", 0, &token), -ENODATA);
	assert_int_equal(read_back("\n\n", 2, &token), -ENODATA);
	memset(text, 'x', sizeof(text));
	assert_int_equal(read_back(text, 1001, &token), -E2BIG);
	assert_int_equal(read_back(text, 2000, &token), -E2BIG);
	assert_int_equal(read_back(text, 1000, &token), 0);
	free(token);
	assert_int_equal(token_read("/nonexistent/token", &token), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bearer),
		cmocka_unit_test(test_basic),
		cmocka_unit_test(test_long_password),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
